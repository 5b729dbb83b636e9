// Runs in a process of its own: streams far more than memory should hold, and prints how far the peak rose.

import { decodeStream } from "../../src/index.ts";
import { peakKib } from "./peak.ts";

const MIB = 1024 * 1024;
const BLOCKS = 300;

const before = peakKib();
let blocks = 0;
for await (const event of decodeStream(process.argv[2] === "packed" ? packed() : plain())) {
  if (event.kind === "block") blocks++;
}
console.log(JSON.stringify({ blocks, grownKib: peakKib() - before }));

// 300 blocks of 1 MiB.
function* plain(): Generator<Uint8Array> {
  yield Uint8Array.of(0x42, 0x43, 0x50, 0, 1, 0, 0, 0);
  const piece = new Uint8Array(64 * 1024).fill(0x61);
  for (let block = 0; block < BLOCKS; block++) {
    yield Uint8Array.of(0x42, 0, 0x80, 0x80, 0x40);
    for (let sent = 0; sent < MIB; sent += piece.length) yield piece;
  }
  yield Uint8Array.of(0xff, 1, 0, 0);
}

// The same as one zstd frame: a raw block for what differs, "128 KiB of the same byte" in four bytes for what does not.
function* packed(): Generator<Uint8Array> {
  yield Uint8Array.of(0x42, 0x43, 0x50, 0, 1, 0, 1, 0, 0x28, 0xb5, 0x2f, 0xfd, 0x00, 0x58);
  const limit = 200; // 256 MiB is all that a payload may unpack to
  for (let block = 0; block < limit; block++) {
    yield rawBlock([0x42, 0, 0x80, 0x80, 0x40], 0);
    for (let i = 0; i < 8; i++) yield Uint8Array.of(0x02, 0x00, 0x10, 0x61);
  }
  yield rawBlock([0xff, 1, 0, 0], 1);
}

function rawBlock(bytes: readonly number[], last: number): Uint8Array {
  return Uint8Array.of(last | (bytes.length << 3), 0, 0, ...bytes);
}
