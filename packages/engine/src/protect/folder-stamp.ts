// Whether a file or folder is still what it was when it was read, by one lstat. It knows nothing of what was read.
import { lstatSync } from "node:fs";
import { fsPath } from "../sandbox/path-text.ts";

/**
 * A file system stamps changes with a clock of a few milliseconds: what changed this shortly before it was read may have
 * changed again without another stamp.
 */
const UNSURE_MS = 50;

export type Stamp = { readonly text: string; readonly unsure: boolean };

const ABSENT: Stamp = { text: "", unsure: false };
const LOOK = { throwIfNoEntry: false } as const;

/** Of the entry itself, links not followed. The change time is used, since nobody can set it. */
export function stampOf(file: string): Stamp {
  try {
    const found = lstatSync(fsPath(file), LOOK);
    if (found === undefined) return ABSENT;
    const { dev, ino, mode, size, ctimeMs } = found;
    return { text: `${dev}:${ino}:${mode}:${size}:${ctimeMs}`, unsure: Date.now() - ctimeMs < UNSURE_MS };
  } catch {
    return ABSENT; // a part of the way is gone or closed to us
  }
}

/** Whether what was read at `then` need not be read again. */
export function isUnchanged(then: Stamp, now: Stamp): boolean {
  return then.text === now.text && !then.unsure;
}
