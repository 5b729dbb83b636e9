// Bytes from one socket to another: as fast as the slower one takes them, and no end that was not sent.
import type { Socket } from "node:net";

export type Copied = { bytes: number; isEnded: boolean };

/** What was read of the source before, and whether that was all. */
export type ReadBefore = { readonly held: Uint8Array; readonly isEnded: boolean };

export const NOTHING_READ: ReadBefore = { held: new Uint8Array(0), isEnded: false };

export function copyStream(from: Socket, to: Socket, { held, isEnded }: ReadBefore, onBytes: () => void): Copied {
  const copied: Copied = { bytes: 0, isEnded: false };
  const take = (chunk: Uint8Array): void => {
    copied.bytes += chunk.length;
    onBytes();
    if (!to.write(chunk)) {
      from.pause();
      to.once("drain", () => from.resume());
    }
  };
  const end = (): void => {
    if (copied.isEnded) return;
    copied.isEnded = true;
    to.end();
  };
  if (held.length > 0) take(held);
  from.on("data", take);
  from.on("end", end);
  if (isEnded || from.readableEnded) end();
  else if (!to.writableNeedDrain) from.resume();
  return copied;
}
