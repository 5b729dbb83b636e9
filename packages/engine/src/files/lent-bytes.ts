// Memory for one file that is not small, used again by the next: new memory costs more than reading into it, and Bun gives
// it back late. Who forgets to give it back loses nothing but that.
import { CHUNK_BYTES } from "./chunk.ts";

/** So much is read faster than a turn lasts. */
export const AT_ONCE_BYTES = 2 * 1024 * 1024;

let spare: ArrayBuffer | undefined;
const lent = new WeakSet<ArrayBufferLike>();

export function lendBytes(length: number): Buffer {
  if (length <= CHUNK_BYTES / 4 || length > AT_ONCE_BYTES + 1) return Buffer.allocUnsafe(length);
  const memory = spare ?? (Buffer.allocUnsafeSlow(AT_ONCE_BYTES + 1).buffer as ArrayBuffer);
  spare = undefined;
  lent.add(memory);
  return Buffer.from(memory, 0, length);
}

/** `bytes` are any part of what was lent, and mean nothing from now on. */
export function giveBack({ buffer }: Uint8Array): void {
  if (lent.delete(buffer)) spare = buffer as ArrayBuffer;
}
