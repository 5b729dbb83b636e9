// How much memory the objects of one decode may take. A file of three-byte blocks would otherwise cost eighty times its
// own size in objects; a real file never comes near.

import type { Reader } from "./reader.ts";

const BASE_BYTES = 20 * 1024 * 1024;
const PER_INPUT_BYTE = 2;

export class Allowance {
  private left: number;

  constructor(inputBytes: number) {
    this.left = BASE_BYTES + PER_INPUT_BYTE * inputBytes;
  }

  /** Compressed data came out this large. */
  grant(unpackedBytes: number): void {
    this.left += PER_INPUT_BYTE * unpackedBytes;
  }

  spend(cost: number, reader: Reader, at: number): void {
    this.left -= cost;
    if (this.left >= 0) return;
    throw reader.error("TooManyRecords", "too many tiny records for the size of the input", at);
  }
}
