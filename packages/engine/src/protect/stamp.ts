// Whether a file or folder is still what it was when it was read, by one lstat. It knows nothing of what was read.
import { exactEntryStat } from "../sandbox/entry-stat.ts";

/**
 * A file system stamps changes with a clock of a few milliseconds: what changed this shortly before it was read may have
 * changed again without another stamp.
 */
const UNSURE_MS = 100;

export type Stamp = { readonly text: string; readonly unsure: boolean };

const ABSENT: Stamp = { text: "", unsure: false };

/** Of the entry itself, links not followed. The change time is used, since nobody can set it. */
export function stampOf(file: string): Stamp {
  const found = exactEntryStat(file);
  if (found === undefined) return ABSENT;
  const { dev, ino, mode, size, ctimeNs, ctimeMs } = found;
  return { text: `${dev}:${ino}:${mode}:${size}:${ctimeNs}`, unsure: Date.now() - Number(ctimeMs) < UNSURE_MS };
}

/** Whether what was read at `then` need not be read again. */
export function isUnchanged(then: Stamp, now: Stamp): boolean {
  return then.text === now.text && !then.unsure;
}
