// The zstd half of node:zlib, which Bun and Node 24 have and the installed type definitions do not know yet.

import type { Transform } from "node:stream";

declare module "zlib" {
  function createZstdCompress(options: { params: Record<number, number> }): Transform;
  function createZstdDecompress(): Transform;
  function zstdDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
}
