// By what an entry is known from a later one of the same name, also where a file system gives an inode away again.
import { lstatSync } from "node:fs";
import type { BigIntStats } from "node:fs";
import { idOf } from "./look-at.ts";
import { folderOf, fsPath } from "./path-text.ts";

export type EntryIdentity = { readonly id: string; readonly born: bigint; readonly isBornKnown: boolean };

/** Undefined when nothing is there, or nothing that we may see. */
export function identityAt(file: string): EntryIdentity | undefined {
  try {
    const stat = lstatSync(fsPath(file), { bigint: true, throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const isBornKnown = tellsBirth(stat) || tellsBirth(lstatSync(fsPath(folderOf(file)), { bigint: true }));
    return { id: idOf(stat), born: stat.birthtimeNs, isBornKnown };
  } catch {
    return undefined; // nothing, or nothing that we may see
  }
}

export function isSameEntry(then: EntryIdentity | undefined, now: EntryIdentity | undefined): boolean {
  if (then === undefined || now === undefined) return then === now;
  return then.id === now.id && (then.born === now.born || !now.isBornKnown);
}

/** A file system that does not know when something was made gives its last change instead. */
function tellsBirth({ birthtimeNs, ctimeNs }: BigIntStats): boolean {
  return birthtimeNs !== ctimeNs;
}
