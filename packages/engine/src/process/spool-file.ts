// The full output of a command on disk, up to a limit, in a file without a name. Offsets are those of the stream.
import { readSync, writeSync } from "node:fs";
import { closeQuietly, openNamelessFile } from "./private-files.ts";

export type SpoolPlan = { readonly folder: string; readonly maxBytes: number };

export class Spool {
  readonly #maxBytes: number;
  #fd: number | undefined;
  #bytes = 0;

  constructor(plan: SpoolPlan) {
    this.#maxBytes = plan.maxBytes;
    try {
      this.#fd = openNamelessFile(plan.folder);
    } catch {
      // No disk: the head and the tail are still in memory, and `bytes` says that nothing is here.
    }
  }

  get bytes(): number {
    return this.#bytes;
  }

  append(chunk: Uint8Array): void {
    if (this.#fd === undefined) return;
    let left = chunk.subarray(0, Math.max(0, this.#maxBytes - this.#bytes));
    try {
      while (left.length > 0) {
        const written = writeSync(this.#fd, left);
        this.#bytes += written;
        left = left.subarray(written);
      }
    } catch {
      // A full disk ends the spool, not the command: `bytes` stays at what is really there.
      this.#fd = this.#bytes > 0 ? this.#fd : undefined;
    }
  }

  read(offset: number, maxBytes: number): Uint8Array {
    if (this.#fd === undefined) return new Uint8Array(0);
    const buffer = new Uint8Array(Math.max(0, Math.min(maxBytes, this.#bytes - offset)));
    let filled = 0;
    while (filled < buffer.length) {
      const got = readSync(this.#fd, buffer, filled, buffer.length - filled, offset + filled);
      if (got === 0) break;
      filled += got;
    }
    return buffer.subarray(0, filled);
  }

  close(): void {
    if (this.#fd !== undefined) closeQuietly(this.#fd);
    this.#fd = undefined;
    this.#bytes = 0;
  }
}
