// Memory for one file that is not small, used again by the next: new memory costs more than reading into it, and Bun gives
// it back late. Who forgets to give it back loses nothing but that.
import { CHUNK_BYTES } from "./chunk.ts";

/** So much is read faster than a turn lasts. */
export const AT_ONCE_BYTES = 2 * 1024 * 1024;
/** With a byte more, that shows whether a file has grown. */
export const ROOM_BYTES = AT_ONCE_BYTES + 1;

let spare: Buffer | undefined;
const lent = new WeakMap<ArrayBufferLike, Buffer>();

/** Memory where a program would rather have files, ROOM_BYTES of it. */
export function offerMemory(room: Buffer): void {
  spare = room;
}

export function lendBytes(length: number): Buffer {
  if (length <= CHUNK_BYTES / 4 || length > ROOM_BYTES) return Buffer.allocUnsafe(length);
  const memory = spare ?? Buffer.allocUnsafeSlow(ROOM_BYTES);
  spare = undefined;
  lent.set(memory.buffer, memory);
  return memory.subarray(0, length);
}

/** `bytes` are any part of what was lent, and mean nothing from now on. */
export function giveBack({ buffer }: Uint8Array): void {
  const memory = lent.get(buffer);
  if (memory === undefined) return;
  lent.delete(buffer);
  spare ??= memory;
}
