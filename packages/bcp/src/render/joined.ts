// A rendering before it is one text: what we wrote, and content as it lies in the payload.

import { Buffer } from "node:buffer";
import { decodeLossy } from "../utf8.ts";

/** Words of ours, or UTF-8. */
export type Part = string | Uint8Array;

/**
 * The parts as one text. By way of their bytes: joining a string per part would hold all of them twice, at two bytes per
 * character as soon as one of them is not Latin.
 */
export function joined(parts: readonly Part[]): string {
  let size = 0;
  for (const part of parts) size += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const part of parts) {
    // No view per part: there may be a hundred thousand.
    if (typeof part === "string") at += bytes.write(part, at);
    else {
      bytes.set(part, at);
      at += part.length;
    }
  }
  return decodeLossy(bytes);
}
