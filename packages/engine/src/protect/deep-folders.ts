// Looks through all folders below some roots for those in which git would find a repository, at any depth, a few milliseconds
// at a time. A folder that is unchanged costs one lstat. Paths keep every byte (path-text.ts).
import { isThere } from "../sandbox/entry-stat.ts";
import { entryIn } from "../sandbox/path-text.ts";
import { readFolder } from "../sandbox/read-folder.ts";
import { looksBare } from "./repository-folders.ts";
import { isUnchanged, stampOf } from "./stamp.ts";
import type { Stamp } from "./stamp.ts";

/** Folders below which nothing is looked at any more are said to be left out. */
const MOST_FOLDERS = 50_000;
const SLICE_MS = 3;
/** Of the time, a fifth: commands and answers go first. */
const PAUSE_MS = 12;
/** A look that took long is not repeated at once. */
const REST_FACTOR = 4;

type Listing = { readonly stamp: Stamp; readonly below: readonly string[]; readonly isFound: boolean };

export class DeepFolders {
  readonly #roots: readonly string[];
  readonly #most: number;
  #known = new Map<string, Listing>();
  #found: readonly string[] = [];
  #walk: Generator<void> | undefined;
  #isAgain = false;
  #busyMs = 0;
  #timer: Timer | undefined;
  #limited = false;
  /** Called when there are others than before, and at the end of each look. */
  onLooked: (hasChanged: boolean) => void = () => undefined;

  /** `roots`: real paths. */
  constructor(roots: readonly string[], most = MOST_FOLDERS) {
    this.#roots = roots;
    this.#most = most;
  }

  /** Folders with a `.git` of any kind, and those that look like a bare repository. */
  get folders(): readonly string[] {
    return this.#found;
  }

  /** There were more folders than are looked at. */
  get limited(): boolean {
    return this.#limited;
  }

  /** Something may have come that was not looked for yet. */
  get isDue(): boolean {
    return this.#walk !== undefined || this.#isAgain;
  }

  /** What is there now will be found. */
  request(): void {
    this.#isAgain = true;
    this.#schedule(PAUSE_MS);
  }

  /** All that was asked for at once. False: there was no time for it. */
  finish(mostMs: number): boolean {
    const until = performance.now() + mostMs;
    while (this.isDue && performance.now() < until) this.#slice(until);
    return !this.isDue;
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#walk = undefined;
    this.#isAgain = false;
  }

  #schedule(ms: number): void {
    if (this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#slice(performance.now() + SLICE_MS);
      if (this.isDue) this.#schedule(this.#walk === undefined ? PAUSE_MS + this.#busyMs * REST_FACTOR : PAUSE_MS);
    }, ms);
    this.#timer.unref();
  }

  #slice(until: number): void {
    if (this.#walk === undefined) {
      this.#isAgain = false;
      this.#busyMs = 0;
      this.#walk = this.#look();
    }
    const before = this.#found;
    const began = performance.now();
    let isDone = false;
    while (!isDone && performance.now() < until) isDone = this.#walk.next().done === true;
    this.#busyMs += performance.now() - began;
    if (isDone) this.#walk = undefined;
    const hasChanged = this.#found !== before;
    if (isDone || hasChanged) this.onLooked(hasChanged);
  }

  /** Those nearest to the roots first. */
  *#look(): Generator<void> {
    const listings = new Map<string, Listing>();
    const found: string[] = [];
    const queue = [...new Set(this.#roots)];
    let isCut = false;
    for (let next = 0; next < queue.length; next += 1) {
      const folder = queue[next] ?? "";
      const listing = this.#list(folder);
      listings.set(folder, listing);
      if (listing.isFound) {
        found.push(folder);
        if (!this.#found.includes(folder)) this.#found = [...this.#found, folder];
      }
      for (const name of listing.below) {
        isCut ||= queue.length >= this.#most;
        if (!isCut) queue.push(entryIn(folder, name));
      }
      yield;
    }
    this.#known = listings;
    this.#limited = isCut;
    if (found.length !== this.#found.length) this.#found = found;
  }

  #list(folder: string): Listing {
    const stamp = stampOf(folder);
    const known = this.#known.get(folder);
    if (known !== undefined && isUnchanged(known.stamp, stamp)) return known;
    // Links are no folders here, so none is followed.
    const entries = readFolder(folder);
    const names = new Set(entries.map(({ name }) => name));
    const below = entries.flatMap(({ name, kind }) => (kind === "folder" && name !== ".git" ? [name] : []));
    const isFound = isThere(entryIn(folder, ".git")) || looksBare((name) => names.has(name));
    return { stamp, below, isFound };
  }
}
