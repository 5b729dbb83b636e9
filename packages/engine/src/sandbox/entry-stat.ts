// What stands at a path, links not followed.
import { lstatSync, type BigIntStats, type Stats } from "node:fs";
import { errnoOf } from "../engine-error.ts";
import { fsPath } from "./path-text.ts";

// An exception costs more than the look.
const LOOK = { throwIfNoEntry: false } as const;
const EXACT_LOOK = { throwIfNoEntry: false, bigint: true } as const;

/** undefined: nothing, or nothing that we may see. */
export function entryStat(file: string): Stats | undefined {
  try {
    return lstatSync(fsPath(file), LOOK);
  } catch {
    return undefined; // a part of the way is no folder, or closed to us
  }
}

/** The same with exact inodes and times. */
export function exactEntryStat(file: string): BigIntStats | undefined {
  try {
    return lstatSync(fsPath(file), EXACT_LOOK);
  } catch {
    return undefined; // a part of the way is no folder, or closed to us
  }
}

export function isThere(file: string): boolean {
  return entryStat(file) !== undefined;
}

/** What cannot be looked at may be there. */
export function mayBeThere(file: string): boolean {
  try {
    return lstatSync(fsPath(file), LOOK) !== undefined;
  } catch (error) {
    return errnoOf(error) !== "ENOTDIR"; // closed to us is not absent
  }
}

/** `device:inode`, the same for as long as it is the same thing. Empty when nothing is there. */
export function idAt(file: string): string {
  const stat = exactEntryStat(file);
  return stat === undefined ? "" : idOf(stat);
}

export function idOf({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
