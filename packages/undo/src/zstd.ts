// The zstd half of node:zlib, loaded when first needed: it costs 8 ms of start-up. The installed type definitions do not know
// it yet.
import { createRequire } from "node:module";

type Zstd = {
  zstdCompressSync(bytes: Uint8Array): Uint8Array;
  zstdDecompressSync(bytes: Uint8Array, options: { maxOutputLength: number }): Uint8Array;
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
  return typeof zlib === "object" && zlib !== null && "zstdCompressSync" in zlib && "zstdDecompressSync" in zlib;
}
