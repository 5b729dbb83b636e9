// The scans of one tree within this process: what the keeper runs, and what a command runs where there is no keeper.
import { isFull } from "./database.ts";
import { Scanner } from "./scan.ts";
import type { ScanResult } from "./scan.ts";
import { pendingPaths } from "./snapshot-order.ts";
import type { UndoStore } from "./store.ts";
import type { TreePath } from "./tree-path.ts";
import { StoreFull } from "./undo-error.ts";

const FILES_AT_ONCE = 200;
const MOST_PASSES = 5;
const DAY_MS = 86_400_000;

export class LocalKeeper {
  readonly #store: UndoStore;
  readonly #scanner: Scanner;
  #pending: TreePath[] | undefined;

  constructor(store: UndoStore) {
    this.#store = store;
    this.#scanner = new Scanner(store);
  }

  /** What a start does before anything else: leftovers of killed processes, and what is too old. */
  begin(): void {
    this.#store.contents.tidy();
    this.#store.contents.forgetBefore(Date.now() - this.#store.settings.keepDays * DAY_MS);
  }

  /** Until the record agrees with the tree, or the tree will not hold still. */
  scan(): ScanResult {
    try {
      return this.#scanAll();
    } catch (error) {
      // The changes stay where they are, and the windows open: a later scan finds both when there is room.
      if (error instanceof StoreFull || isFull(error)) return { steps: [], again: false, files: 0 };
      throw error;
    }
  }

  #scanAll(): ScanResult {
    const steps: number[] = [];
    let result = this.#scanner.scan();
    steps.push(...result.steps);
    for (let pass = 1; result.again && pass < MOST_PASSES; pass += 1) {
      result = this.#scanner.scan();
      steps.push(...result.steps);
    }
    return { ...result, steps };
  }

  /** Reads a part of what the first scan only listed; false when nothing is left. */
  keepSome(): boolean {
    this.#pending ??= pendingPaths(this.#store);
    const next = this.#pending.splice(0, FILES_AT_ONCE);
    if (next.length === 0) {
      this.#pending = undefined;
      return false;
    }
    try {
      this.#scanner.keepPending(next);
    } catch (error) {
      // Without room nothing more is kept; what was listed stays listed, and the next start tries again.
      if (!(error instanceof StoreFull) && !isFull(error)) throw error;
      this.#pending = [];
    }
    return true;
  }

  /** The first snapshot whole, then the changes since. */
  freshen(): ScanResult {
    const result = this.scan();
    while (this.keepSome());
    return result;
  }
}
