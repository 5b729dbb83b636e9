// Texts of a call, before they are kept: no secret, nothing that acts on a screen, one short line.
import { redact } from "@bosun/platform/secrets";
import { screenSafe } from "@bosun/platform/safe-text";
import type { TreePath } from "./tree-path.ts";

const MAX_CHARS = 200;

export function labelOf(text: string): string {
  return screenSafe(redact(text), { oneLine: true, maxChars: MAX_CHARS });
}

/** A path for a person's screen. */
export function shownPath(path: TreePath): string {
  const text = path.isWellFormed()
    ? path
    : path.replace(/[\udc80-\udcff]/g, (unit) => `\\x${(unit.charCodeAt(0) - 0xdc00).toString(16)}`);
  return screenSafe(text, { oneLine: true });
}
