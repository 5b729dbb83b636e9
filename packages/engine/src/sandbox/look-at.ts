// What stands at a path, links not followed.
import { lstatSync, type BigIntStats, type Stats } from "node:fs";
import { fsPath } from "./path-text.ts";

/** undefined: nothing, or nothing that we may see. Not by `throwIfNoEntry`: below a file it throws all the same. */
export function lookAt(file: string): Stats | undefined {
  try {
    return lstatSync(fsPath(file));
  } catch {
    return undefined;
  }
}

/** `device:inode`, the same for as long as it is the same thing. Empty when nothing is there. */
export function idAt(file: string): string {
  try {
    return idOf(lstatSync(fsPath(file), { bigint: true }));
  } catch {
    return "";
  }
}

export function idOf({ dev, ino }: Pick<BigIntStats, "dev" | "ino">): string {
  return `${dev}:${ino}`;
}
