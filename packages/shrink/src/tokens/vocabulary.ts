// The o200k vocabulary in memory: token bytes, their ranks by hash, and the class of every character.
// Loaded on first use (about 20 ms and 6 MB), so that a program that never counts pays nothing; who has idle time can
// have it loaded in steps.
import { readFileSync } from "node:fs";

import dataFile from "./o200k.bin" with { type: "file" };

/** Less than a millisecond of hashing, once it is compiled. */
const TOKENS_PER_STEP = 4096;
const TABLE_BITS = 19;
const TABLE_MASK = (1 << TABLE_BITS) - 1;
/** Multiplier of the rolling hash; odd, so that it can be taken back out of a prefix. */
export const HASH_BASE = 0x01000193;

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
/** Tokens that are in the table already. */
let hashed = 0;

export function vocabulary(): Vocabulary {
  loaded ??= read(readFileSync(dataFile));
  if (hashed + 1 < loaded.starts.length) hashTokens(loaded, Infinity);
  return loaded;
}

export function isVocabularyReady(): boolean {
  return loaded !== undefined && hashed + 1 >= loaded.starts.length;
}

/** A step towards a vocabulary that is ready to be used. */
export function prepareVocabulary(): void {
  if (loaded === undefined) loaded = read(readFileSync(dataFile));
  else hashTokens(loaded, hashed + TOKENS_PER_STEP);
}

/** Where a token with this hash is first looked for. */
export function slotOf(hash: number): number {
  return (hash ^ (hash >>> 13) ^ (hash >>> 21)) & TABLE_MASK;
}

export function nextSlot(slot: number): number {
  return (slot + 1) & TABLE_MASK;
}

function read(data: Uint8Array): Vocabulary {
  const count = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const starts = new Uint32Array(count + 1);
  let maxTokenBytes = 0;
  for (let rank = 0, at = 0; rank < count; rank++) {
    const length = data[4 + rank] ?? 0;
    if (length > maxTokenBytes) maxTokenBytes = length;
    at += length;
    starts[rank + 1] = at;
  }
  const from = 4 + count;
  const end = from + (starts[count] ?? 0);
  const table = new Int32Array(TABLE_MASK + 1);
  return { bytes: data.subarray(from, end), starts, table, maxTokenBytes, ...readClasses(data, end) };
}

function hashTokens({ bytes, starts, table }: Vocabulary, until: number): void {
  const last = Math.min(until, starts.length - 1);
  for (let rank = hashed, at = starts[hashed] ?? 0; rank < last; rank++) {
    const end = starts[rank + 1] ?? 0;
    if (end === at) continue;
    let hash = 0;
    for (; at < end; at++) hash = (Math.imul(hash, HASH_BASE) + (bytes[at] ?? 0) + 1) | 0;
    let slot = slotOf(hash);
    while (table[slot] !== 0) slot = nextSlot(slot);
    table[slot] = rank + 1;
  }
  hashed = last;
}

function readClasses(data: Uint8Array, from: number): Pick<Vocabulary, "classes" | "astralStarts" | "astralClasses"> {
  const classes = new Uint8Array(0x10000);
  const astralStarts: number[] = [];
  const astralClasses: number[] = [];
  for (let at = from, code = 0; at < data.length;) {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = data[at++] ?? 0;
      length |= (byte & 127) << shift;
      if (byte < 128) break;
    }
    const kind = data[at++] ?? 0;
    if (code < 0x10000) classes.fill(kind, code, Math.min(code + length, 0x10000));
    if (code + length > 0x10000) {
      astralStarts.push(Math.max(code, 0x10000));
      astralClasses.push(kind);
    }
    code += length;
  }
  return { classes, astralStarts: Uint32Array.from(astralStarts), astralClasses: Uint8Array.from(astralClasses) };
}
