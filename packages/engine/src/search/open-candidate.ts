// Files held open by descriptor while ripgrep reads them: it is given the descriptors, so what it reads is what was
// judged. Names alone would let a directory be swapped for a link between its walk and its reading.
import { errnoOf, ioError, isExhausted } from "../engine-error.ts";
import { closeEntry, joinPath } from "../scope/directory.ts";
import type { Directory, Entry } from "../scope/directory.ts";
import fs from "node:fs";

/** Time stamps of directories move in ticks; what changed this shortly before counts as changed during. */
const TICK_NS = 50_000_000n;

export type Pinned = Disposable & {
  /** As results show it. */
  readonly path: string;
  readonly mtimeNs: bigint;
  /** What to hand to ripgrep; it opens exactly this file, however names change. */
  readonly argument: string;
  /**
   * No directory on the way was changed since the search began: then what ripgrep found by name was found in this very
   * file, and need not be looked for again.
   */
  readonly stable: boolean;
};

type Level = { readonly name: string; readonly directory: Directory; readonly stable: boolean };

/** Opens files below one directory, following nothing. In walk order it keeps the directories of the last one open. */
export class Pinner implements Disposable {
  readonly #top: Level;
  readonly #levels: Level[] = [];
  readonly #sinceNs: bigint;

  constructor(top: Directory, startedMs: number) {
    this.#sinceNs = BigInt(Math.floor(startedMs)) * 1_000_000n - TICK_NS;
    this.#top = { name: "", directory: top, stable: this.#isStable(top) };
  }

  /** Undefined when it is no regular file any more, or out of reach. */
  pin(relative: string, shown: string): Pinned | undefined {
    const names = relative.split("/");
    const name = names.pop() ?? "";
    try {
      const { directory, stable } = this.#enter(names);
      const entry = directory.look(name);
      if (entry?.kind === "file") return pinEntry(entry, joinPath(directory.path, name), shown, stable);
      closeEntry(entry);
      return undefined;
    } catch (error) {
      return outOfReach(error, shown);
    }
  }

  /** As `pin`, without holding it: for its time stamp. */
  look(relative: string): { mtimeNs: bigint; stable: boolean } | undefined {
    const names = relative.split("/");
    const name = names.pop() ?? "";
    try {
      const { directory, stable } = this.#enter(names);
      const stat = fs.lstatSync(directory.at(name), { bigint: true });
      return stat.isFile() ? { mtimeNs: stat.mtimeNs, stable } : undefined;
    } catch (error) {
      return outOfReach(error, relative);
    }
  }

  [Symbol.dispose](): void {
    this.#keep(0);
  }

  #enter(names: readonly string[]): Level {
    let shared = 0;
    while (shared < names.length && this.#levels[shared]?.name === names[shared]) shared += 1;
    this.#keep(shared);
    let level = this.#levels.at(-1) ?? this.#top;
    for (const name of names.slice(shared)) {
      const directory = level.directory.enter(name);
      level = { name, directory, stable: level.stable && this.#isStable(directory) };
      this.#levels.push(level);
    }
    return level;
  }

  #keep(count: number): void {
    for (const level of this.#levels.splice(count)) level.directory[Symbol.dispose]();
  }

  #isStable(directory: Directory): boolean {
    return fs.fstatSync(directory.fd, { bigint: true }).ctimeNs < this.#sinceNs;
  }
}

/** Gone, closed to us, or no file any more: left out without a word. */
function outOfReach(error: unknown, shown: string): undefined {
  if (errnoOf(error) === undefined || isExhausted(error)) throw ioError("open", shown, error);
}

export function pinEntry(entry: Entry, realPath: string, shown: string, stable: boolean): Pinned {
  return {
    path: shown,
    mtimeNs: entry.stat.mtimeNs,
    // Our own process id: `self` would be ripgrep.
    argument: entry.fd === undefined ? realPath : `/proc/${process.pid}/fd/${entry.fd}`,
    stable,
    [Symbol.dispose]: () => closeEntry(entry),
  };
}

/** The same for a directory to start in. */
export function argumentFor(directory: Directory): string {
  return directory.mode === "descriptors" ? `/proc/${process.pid}/fd/${directory.fd}` : directory.path;
}
