// Commands that run while somebody outside replaces a file that is covered for them: the kernel takes the mount on it away.
// It is noticed at once where folders can be watched, by a look every second in any case, and the command is stopped unless
// what it changes there is put back anyway.
import fs from "node:fs";
import { fsPath } from "../sandbox/path-text.ts";
import { after } from "./timers.ts";
import type { Cover, LostPlace } from "./sandbox-words.ts";
import type { Running } from "./running-command.ts";
import type { Timer } from "./timers.ts";

/** A shorter command is over before anybody could have looked. */
const LONG_MS = 20;
const LOOK_MS = 1000;
/** Of a folder in which much happens, so much of our time is enough. */
const PAUSE_MS = 20;
/** The system lends only so many to a user; what is in further folders is seen by the look. */
const MOST_WATCHED = 200;

type Covered = {
  readonly running: Running;
  readonly cover: Cover;
  readonly onLost: ((places: readonly LostPlace[]) => void) | undefined;
};

export class CoverWatch {
  readonly #covered = new Set<Covered>();
  readonly #told = new WeakMap<Covered, Set<string>>();
  readonly #watchers = new Map<string, fs.FSWatcher>();
  #looks: ReturnType<typeof setInterval> | undefined;
  #soon: Timer | undefined;
  #lookedAt = -Infinity;

  add(covered: Covered): void {
    const late: Timer = after(LONG_MS, () => this.#begin(covered));
    void covered.running.done.then(() => {
      late.cancel();
      if (this.#covered.delete(covered) && this.#covered.size === 0) this.#end();
    });
  }

  #begin(covered: Covered): void {
    this.#covered.add(covered);
    for (const folder of covered.cover.folders) this.#watch(folder);
    this.#looks ??= setInterval(() => this.#look(), LOOK_MS);
    this.#looks.unref();
    this.#look();
  }

  #watch(folder: string): void {
    if (this.#watchers.has(folder) || this.#watchers.size >= MOST_WATCHED) return;
    try {
      const watcher = fs.watch(fsPath(folder), { persistent: false }, () => this.#lookSoon());
      watcher.on("error", () => undefined); // the folder is gone: the look every second goes on
      this.#watchers.set(folder, watcher);
    } catch {
      // no more watches for this user, or no such folder: the look every second goes on
    }
  }

  #lookSoon(): void {
    const wait = this.#lookedAt + PAUSE_MS - performance.now();
    if (wait <= 0) return this.#look();
    this.#soon ??= after(wait, () => {
      this.#soon = undefined;
      this.#look();
    });
  }

  #look(): void {
    const lost = new Map<Cover, readonly LostPlace[]>();
    for (const covered of this.#covered) {
      const { cover, running, onLost } = covered;
      const places = lost.get(cover) ?? cover.lost();
      lost.set(cover, places);
      const told = this.#told.get(covered) ?? new Set();
      // What is put back is looked at again whenever something happens beside it.
      const news = places.filter(({ path, isPutBack }) => isPutBack || !told.has(path));
      if (news.length === 0) continue;
      this.#told.set(covered, new Set([...told, ...news.map(({ path }) => path)]));
      if (news.some(({ isPutBack }) => !isPutBack)) running.stop("exposed");
      onLost?.(news);
    }
    this.#lookedAt = performance.now();
  }

  #end(): void {
    clearInterval(this.#looks);
    this.#soon?.cancel();
    this.#soon = undefined;
    this.#looks = undefined;
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }
}
