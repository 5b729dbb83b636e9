// Parts of a text → chunks worth a write, each of them whole characters.

import { Buffer } from "node:buffer";
import { GarbageCollection } from "../garbage-collection.ts";
import type { Part } from "../render/text-buffer.ts";

const CHUNK_BYTES = 64 * 1024;
const LF = 0x0a;
// Strings that a chunk was made of, as in a dump of bytes.
const LEFT_BEHIND = 16 * CHUNK_BYTES;

export class ChunkedWriter {
  private readonly send: (chunk: Uint8Array) => void | Promise<void>;
  private readonly chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  private filled = 0;
  private readonly garbage = new GarbageCollection();
  /** Whether the last thing written was the end of a line. */
  endsLine = false;

  constructor(send: (chunk: Uint8Array) => void | Promise<void>) {
    this.send = send;
  }

  async write(part: Part): Promise<void> {
    const size = typeof part === "string" ? Buffer.byteLength(part) : part.length;
    if (size === 0) return;
    if (this.filled + size > CHUNK_BYTES) await this.flush();
    if (size > CHUNK_BYTES) {
      const bytes = typeof part === "string" ? Buffer.from(part) : part;
      this.endsLine = bytes.at(-1) === LF;
      await this.send(bytes);
      return;
    }
    if (typeof part === "string") this.chunk.write(part, this.filled);
    else this.chunk.set(part, this.filled);
    this.filled += size;
    this.endsLine = this.chunk[this.filled - 1] === LF;
  }

  async flush(): Promise<void> {
    if (this.filled === 0) return;
    // Not a Buffer, whose slice() copies nothing: whoever wants to keep it has to be able to.
    await this.send(new Uint8Array(this.chunk.buffer, 0, this.filled));
    this.filled = 0;
    this.garbage.add(LEFT_BEHIND);
  }
}

/** A part as strings of bounded length, each of whole characters; what is not UTF-8 is replaced. */
export function* piecesOf(part: Part): Generator<string> {
  if (typeof part === "string") {
    yield part;
    return;
  }
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  for (let at = 0; at < part.length; at += CHUNK_BYTES) {
    yield decoder.decode(part.subarray(at, at + CHUNK_BYTES), { stream: at + CHUNK_BYTES < part.length });
  }
}
