// Where versions go that were taken out of protected places: one private folder per time in the state folder, bounded,
// the oldest out first. What is moved there is never executable for anybody and its links are never followed.
import fs from "node:fs";
import path from "node:path";
import { errnoOf } from "../engine-error.ts";
import { randomHex } from "../random-hex.ts";
import { openRealDirectory, bestWalkMode } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import { bytesOf, entered, statOf, textOf } from "./place-state.ts";

const MAX_BYTES = 100 * 1024 * 1024;
/** Of one version: more are not made private one by one, nor copied to another device. */
const MAX_ENTRIES = 20_000;
const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW, O_NONBLOCK } = fs.constants;
// Not exported by node:fs: names a thing without opening it.
const O_PATH = 0o10000000;

export type KeptVersionSlot = {
  /**
   * Moves an entry here; gives its path, or undefined when nothing was there. `top`: a folder on the same device, for what
   * is too large to be copied to another one.
   */
  take(from: Directory, name: string, relative: readonly string[], top: Directory): string | undefined;
  /** Takes a version out again: a person wanted it where it was. */
  discard(file: string): void;
};

export class KeptVersions {
  readonly #folder: string;
  /** Names of slots made since the oldest were last removed. */
  readonly #made = new Set<string>();

  constructor(stateFolder: string) {
    this.#folder = path.join(stateFolder, "aside");
  }

  /** A place for the versions of one moment. Its folder is made with the first of them. */
  slot(now: Date): KeptVersionSlot {
    let slot: string | undefined;
    return {
      take: (from, name, relative, top) => {
        if (statOf(from, name) === undefined) return undefined;
        slot ??= this.#newSlot(now);
        return this.#take(slot, from, name, relative, top);
      },
      discard(file) {
        if (slot === undefined || !file.startsWith(`${slot}/`)) return;
        fs.rmSync(file, { recursive: true, force: true });
        removeEmpty(path.dirname(file), path.dirname(slot));
      },
    };
  }

  /**
   * Removes the oldest beyond what is kept; once after all of a time were taken, since it looks at every file. What was taken
   * since stays in any case: it was on this disk before.
   */
  prune(): void {
    if (this.#made.size === 0) return;
    try {
      const slots = fs.readdirSync(this.#folder).sort((one, other) => stampOrder(one).localeCompare(stampOrder(other)));
      let bytes = 0;
      for (const slot of slots.toReversed()) {
        bytes += sizeOf(path.join(this.#folder, slot), { left: MAX_ENTRIES });
        if (bytes > MAX_BYTES && !this.#made.has(slot))
          fs.rmSync(path.join(this.#folder, slot), { recursive: true, force: true });
      }
    } catch {
      return; // what is too much now is too much the next time
    }
    this.#made.clear();
  }

  #newSlot(now: Date): string {
    fs.mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const two = (number: number): string => String(number).padStart(2, "0");
    const day = `${now.getFullYear()}${two(now.getMonth() + 1)}${two(now.getDate())}`;
    const stamp = `${day}-${two(now.getHours())}${two(now.getMinutes())}${two(now.getSeconds())}`;
    for (let n = 1; ; n += 1) {
      const folder = path.join(this.#folder, `${stamp}-${n}`);
      try {
        fs.mkdirSync(folder, { mode: 0o700 });
        this.#made.add(path.basename(folder));
        return folder;
      } catch (error) {
        if (errnoOf(error) !== "EEXIST") throw error;
      }
    }
  }

  #take(slot: string, from: Directory, name: string, relative: readonly string[], top: Directory): string {
    const shown = relative.map(textOf);
    const parent = path.join(slot, ...shown.slice(0, -1));
    fs.mkdirSync(parent, { recursive: true, mode: 0o700 });
    using target = openRealDirectory(fs.realpathSync(parent), bestWalkMode);
    const wanted = relative.at(-1) ?? name;
    let free = wanted;
    for (let n = 2; statOf(target, free) !== undefined; n += 1) free = `${wanted}~${n}`;
    try {
      fs.renameSync(from.atBytes(bytesOf(name)), target.atBytes(bytesOf(free)));
      makePrivate(target, free, { left: MAX_ENTRIES });
    } catch (error) {
      if (errnoOf(error) !== "EXDEV") throw error;
      if (!copyPrivate(from, name, target, free, { left: MAX_ENTRIES, bytes: MAX_BYTES })) {
        // Too much for another device: out of the way is enough, and nothing is lost.
        if (statOf(target, free) !== undefined) removeTree(target, free);
        const beside = `.bosun-aside-${randomHex(4)}`;
        fs.renameSync(from.atBytes(bytesOf(name)), top.at(beside));
        return path.join(top.path, beside);
      }
      removeTree(from, name);
    }
    return path.join(parent, textOf(free));
  }
}

/** `…-2` before `…-10`. */
function stampOrder(slot: string): string {
  return slot.replace(/\d+$/, (n) => n.padStart(6, "0"));
}

type Budget = { left: number };

function makePrivate(directory: Directory, name: string, budget: Budget): void {
  const stat = statOf(directory, name);
  if (stat === undefined || (budget.left -= 1) < 0) return;
  if (stat.isFile()) return changeMode(directory, name, 0o600);
  if (!stat.isDirectory()) return;
  changeMode(directory, name, 0o700);
  using below = entered(directory, name);
  if (below !== undefined) for (const entry of namesIn(below)) makePrivate(below, entry, budget);
}

/** By descriptor: a process that still stands in the tree could put a link in the name's place. */
function changeMode(directory: Directory, name: string, mode: number): void {
  const at = directory.atBytes(bytesOf(name));
  if (directory.mode === "names") return fs.chmodSync(at, mode);
  const fd = fs.openSync(at, O_PATH | O_NOFOLLOW);
  try {
    if (!fs.fstatSync(fd).isSymbolicLink()) fs.chmodSync(`/proc/self/fd/${fd}`, mode);
  } finally {
    fs.closeSync(fd);
  }
}

/** Across devices; what is neither file, folder nor link holds nothing that could be kept. False: it is too large. */
function copyPrivate(
  from: Directory,
  name: string,
  to: Directory,
  target: string,
  budget: Budget & { bytes: number },
): boolean {
  const stat = statOf(from, name);
  if (stat === undefined) return true;
  budget.bytes -= Number(stat.size);
  if ((budget.left -= 1) < 0 || budget.bytes < 0) return false;
  const at = to.atBytes(bytesOf(target));
  if (stat.isSymbolicLink()) fs.symlinkSync(fs.readlinkSync(from.atBytes(bytesOf(name)), "buffer"), at);
  else if (stat.isDirectory()) {
    fs.mkdirSync(at, { mode: 0o700 });
    using inside = from.enter(bytesOf(name));
    using made = to.enter(bytesOf(target));
    return namesIn(inside).every((entry) => copyPrivate(inside, entry, made, entry, budget));
  } else if (stat.isFile()) copyFile(from.atBytes(bytesOf(name)), at);
  return true;
}

function copyFile(from: Buffer, to: Buffer): void {
  const input = fs.openSync(from, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const output = fs.openSync(to, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0o600);
    try {
      const piece = Buffer.alloc(256 * 1024);
      for (let at = 0; ;) {
        const got = fs.readSync(input, piece, 0, piece.length, at);
        if (got === 0) return;
        for (let done = 0; done < got;) done += fs.writeSync(output, piece, done, got - done, at + done);
        at += got;
      }
    } finally {
      fs.closeSync(output);
    }
  } finally {
    fs.closeSync(input);
  }
}

/** Only what has been copied: through descriptors, links themselves. */
function removeTree(directory: Directory, name: string): void {
  const at = directory.atBytes(bytesOf(name));
  if (statOf(directory, name)?.isDirectory() !== true) return fs.unlinkSync(at);
  {
    using inner = directory.enter(bytesOf(name));
    for (const entry of namesIn(inner)) removeTree(inner, entry);
  }
  fs.rmdirSync(at);
}

function namesIn(directory: Directory): string[] {
  return fs.readdirSync(directory.self, { encoding: "buffer" }).map((name) => name.toString("latin1"));
}

function sizeOf(file: string, budget: Budget): number {
  const stat = fs.lstatSync(file, { throwIfNoEntry: false });
  if (stat === undefined || (budget.left -= 1) < 0) return 0;
  if (!stat.isDirectory()) return stat.size;
  return fs.readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name), budget), 0);
}

function removeEmpty(folder: string, upTo: string): void {
  for (let at = folder; at.startsWith(`${upTo}/`); at = path.dirname(at)) {
    try {
      fs.rmdirSync(at);
    } catch {
      return; // something else is in it
    }
  }
}
