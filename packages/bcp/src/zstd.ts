// The zstd half of node:zlib, loaded when first needed: it costs 8 ms of start-up, and most programs that import this
// package never unpack anything. (The installed type definitions do not know it yet, either.)

import { createRequire } from "node:module";
import type { Transform } from "node:stream";

export type Zstd = {
  createZstdCompress(options: { params: Record<number, number> }): Transform;
  createZstdDecompress(options: { chunkSize: number }): Transform;
  zstdDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number; chunkSize: number }): Uint8Array;
};

let loaded: Zstd | undefined;

export function zstd(): Zstd {
  loaded ??= load();
  return loaded;
}

function load(): Zstd {
  const zlib: unknown = createRequire(import.meta.url)("node:zlib");
  if (!isZstd(zlib)) throw new Error("this runtime has no zstd: Bun 1.4 or Node 24 is needed");
  return zlib;
}

function isZstd(zlib: unknown): zlib is Zstd {
  return typeof zlib === "object" && zlib !== null && "zstdDecompressSync" in zlib && "createZstdCompress" in zlib;
}

const COMPRESSION_LEVEL = 100; // libzstd's number for the parameter
const LEVEL = 3;

/**
 * What the reference's compressor writes: level 3, and the end told only after all input. Told it with the last of the
 * input, zstd pledges the size or closes a block early, and the bytes come out different; that is what the synchronous call
 * does, and a stream whose writes are not waited for. How the input is cut makes no difference.
 */
export class ZstdWriter {
  private readonly stream: Transform;
  private readonly ended: Promise<void>;

  constructor(send: (packed: Uint8Array) => void) {
    this.stream = zstd().createZstdCompress({ params: { [COMPRESSION_LEVEL]: LEVEL } });
    this.stream.on("data", send);
    this.ended = new Promise((resolve, reject) => this.stream.on("end", resolve).on("error", reject));
    // Whoever waits for a write is told there.
    this.ended.catch(() => undefined);
  }

  /** The piece may be used again once this is fulfilled. */
  write(piece: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.stream.write(piece, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** All of the input, or what is left of it, which may be nothing. */
  async end(piece?: Uint8Array): Promise<void> {
    if (piece) this.stream.write(piece);
    this.stream.end();
    await this.ended;
  }
}
