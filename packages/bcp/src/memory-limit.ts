// How much memory one decode, and a rendering of what came out, may take: 64 MB and four times the input (FORMAT.md,
// "Limits"). Objects, strings and what is unpacked are counted as they are made. A file of three-byte blocks would cost
// eighty times its own size in objects; a real file never comes near.

import type { Block } from "./block-types.ts";
import type { Reader } from "./byte-reader.ts";

// The rest of the 64 MB and of the four times is the runtime's: code, and garbage that the collector has not seen yet.
const FREE_BYTES = 44e6;
const PER_INPUT_BYTE = 3.5;
const REPLACEMENT = "\ufffd";
const STRING_COST = 40;
// No path is longer. Summaries may be; but a text that is copied into a heading, escaped or quoted takes many times its size.
const LONG_TEXT_BYTES = 4096;
const PER_LONG_BYTE = 16;

export class MemoryLimit {
  private left: number;
  /** Objects and strings so far. */
  spent = 0;
  private readonly excess: "paid" | "free";

  /** `excess`: whether unpacked data is limited elsewhere, by somebody who has the memory for it. */
  constructor(inputBytes: number, excess: "paid" | "free" = "paid") {
    this.left = FREE_BYTES + PER_INPUT_BYTE * inputBytes;
    this.excess = excess;
  }

  /** What has not been spent; without end for somebody who has the memory. */
  get unspent(): number {
    return this.excess === "paid" ? this.left : Number.POSITIVE_INFINITY;
  }

  /** Compressed data came out this large, and stays. */
  unpacked(bytes: number): void {
    if (this.excess === "paid") this.left -= bytes;
    else this.left += PER_INPUT_BYTE * bytes;
  }

  /** So much was taken that belongs to no block, or has been left behind. */
  taken(bytes: number): void {
    this.spent += bytes;
    if (this.excess === "paid") this.left -= bytes;
  }

  /** A text field of so many bytes: two per character, unless all of them are ASCII. */
  spendText(bytes: number, text: string, reader: Reader, at: number): void {
    // A string with replacements was made with room for more of them.
    const perChar = text.includes(REPLACEMENT) ? 4 : text.length === bytes ? 1 : 2;
    this.spend(STRING_COST + perChar * text.length, reader, at);
    this.spendLong(bytes, reader, at);
  }

  /** The same for one that is not kept: what counts is only whether it is long. */
  spendLong(bytes: number, reader: Reader, at: number): void {
    if (bytes <= LONG_TEXT_BYTES) return;
    this.left -= PER_LONG_BYTE * (bytes - LONG_TEXT_BYTES);
    if (this.left >= 0) return;
    throw reader.error("TooManyRecords", "names and summaries are too long for the size of the input", at);
  }

  spend(cost: number, reader: Reader, at: number): void {
    this.left -= cost;
    this.spent += cost;
    if (this.left >= 0) return;
    throw reader.error("TooManyRecords", "too many tiny records for the size of the input", at);
  }
}

// What a decode has left of its memory, for a rendering of the same blocks: both together are limited.
const memoryLeft = new WeakMap<readonly Block[], number>();

export function noteMemoryLeft(blocks: readonly Block[], bytes: number): void {
  memoryLeft.set(blocks, bytes);
}

/** Without end for blocks that were not decoded just so. */
export function memoryLeftFor(blocks: readonly Block[]): number {
  return memoryLeft.get(blocks) ?? Number.POSITIVE_INFINITY;
}
