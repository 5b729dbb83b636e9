// The o200k vocabulary in memory: token bytes, their ranks by hash, and the class of every character. Read on first use
// (2 ms and 5 MB), so that a program that never counts pays nothing. The file holds the tables as they are used, least
// significant byte first like every machine we run on: building them took longer than a whole result does.
import { readFileSync } from "node:fs";

import dataFile from "./o200k.bin" with { type: "file" };

const TABLE_BITS = 19;
export const TABLE_SLOTS = 1 << TABLE_BITS;
const TABLE_MASK = TABLE_SLOTS - 1;
/** Multiplier of the rolling hash; odd, so that it can be taken back out of a prefix. */
export const HASH_BASE = 0x01000193;
/** Numbers before the tables: tokens, bytes of the longest one, runs of classes above U+FFFF. */
const HEADER_NUMBERS = 3;

export type Vocabulary = {
  /** Bytes of all tokens, in the order of their ranks. */
  bytes: Uint8Array;
  /** Where each token starts in `bytes`; one more entry than there are tokens. */
  starts: Uint32Array;
  /** Open-addressing table of rank + 1, by hash of the token's bytes. */
  table: Int32Array;
  maxTokenBytes: number;
  /** Class of each UTF-16 unit; surrogates are looked up as pairs in `astral`. */
  classes: Uint8Array;
  /** Runs of classes above U+FFFF: first code points, and the class of each run. */
  astralStarts: Uint32Array;
  astralClasses: Uint8Array;
};

let loaded: Vocabulary | undefined;

export function vocabulary(): Vocabulary {
  loaded ??= read(readFileSync(dataFile));
  return loaded;
}

/** Where a token with this hash is first looked for. */
export function slotOf(hash: number): number {
  return (hash ^ (hash >>> 13) ^ (hash >>> 21)) & TABLE_MASK;
}

export function nextSlot(slot: number): number {
  return (slot + 1) & TABLE_MASK;
}

function read(file: Uint8Array): Vocabulary {
  // Numbers of four bytes must stand at a multiple of four, which no one promises.
  const data = file.byteOffset % 4 === 0 ? file : new Uint8Array(file);
  let at = data.byteOffset;
  const numbers = (count: number): Uint32Array => {
    const taken = new Uint32Array(data.buffer, at, count);
    at += taken.byteLength;
    return taken;
  };
  const bytes = (count: number): Uint8Array => {
    const taken = new Uint8Array(data.buffer, at, count);
    at += count;
    return taken;
  };
  const [tokens = 0, maxTokenBytes = 0, runs = 0] = numbers(HEADER_NUMBERS);
  const table = new Int32Array(data.buffer, at, TABLE_SLOTS);
  at += table.byteLength;
  const starts = numbers(tokens + 1);
  const astralStarts = numbers(runs);
  const classes = bytes(0x10000);
  const astralClasses = bytes(runs);
  return { bytes: bytes(starts[tokens] ?? 0), starts, table, maxTokenBytes, classes, astralStarts, astralClasses };
}
