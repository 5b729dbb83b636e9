// A small file of ours that only remembers: nothing in it grants anything. So a damaged one is started over, one that
// cannot be used is done without, and what other programs of ours write into it at the same time stays.
import { rmSync } from "node:fs";
import { BosunError } from "@bosun/platform/errors";
import { openStateFile } from "@bosun/platform/private-files";

export type CacheFile<T> = {
  readonly value: T;
  update(change: (value: T) => T): void;
};

export function openCacheFile<T>(file: string, empty: T, parse: (value: unknown) => T | undefined): CacheFile<T> {
  try {
    return forgiving(openStateFile(file, empty, parse));
  } catch (error) {
    if (!(error instanceof BosunError)) throw error;
    if (error.code !== "STORE") return inMemory(empty); // a link, another user's: not ours to touch
  }
  try {
    rmSync(file, { force: true });
    return forgiving(openStateFile(file, empty, parse));
  } catch {
    return inMemory(empty); // a folder that cannot be written: remembered for this run only
  }
}

function forgiving<T>(kept: CacheFile<T>): CacheFile<T> {
  const memory = inMemory(kept.value);
  return {
    get value() {
      return memory.value;
    },
    update(change) {
      memory.update(change);
      try {
        kept.update(change);
      } catch {
        // a full disk, a folder that is gone: what cannot be remembered is learnt again
      }
    },
  };
}

function inMemory<T>(start: T): CacheFile<T> {
  let value = start;
  return {
    get value() {
      return value;
    },
    update: (change) => void (value = change(value)),
  };
}
