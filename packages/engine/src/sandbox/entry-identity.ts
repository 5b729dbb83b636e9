// By what an entry is known from a later one of the same name, also where a file system gives an inode away again.
import type { BigIntStats } from "node:fs";
import { idOf, exactEntryStat } from "./entry-stat.ts";
import { folderOf } from "./path-text.ts";

export type EntryIdentity = { readonly id: string; readonly born: bigint; readonly isBornKnown: boolean };

/** Undefined when nothing is there, or nothing that we may see. */
export function identityAt(file: string): EntryIdentity | undefined {
  const stat = exactEntryStat(file);
  if (stat === undefined) return undefined;
  return {
    id: idOf(stat),
    born: stat.birthtimeNs,
    isBornKnown: tellsBirth(stat) || tellsBirth(exactEntryStat(folderOf(file))),
  };
}

export function isSameEntry(then: EntryIdentity | undefined, now: EntryIdentity | undefined): boolean {
  if (then === undefined || now === undefined) return then === now;
  return then.id === now.id && (then.born === now.born || !now.isBornKnown);
}

/** A file system that does not know when something was made gives its last change instead. */
function tellsBirth(stat: BigIntStats | undefined): boolean {
  return stat !== undefined && stat.birthtimeNs !== stat.ctimeNs;
}
