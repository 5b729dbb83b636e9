// How much memory one decode may take for its objects, and for what it unpacks beyond what honest data does. A file of
// three-byte blocks would otherwise cost eighty times its own size in objects; a real file never comes near.

import type { Reader } from "./reader.ts";

const BASE_BYTES = 14 * 1024 * 1024;
const PER_INPUT_BYTE = 2;
// Compressed text is rarely more than four times as long when it is unpacked.
const HONEST_RATIO = 4;
// What is unpacked beyond that stays in memory, and a rendering of it will want as much again and more.
const PER_EXCESS_BYTE = 1.6;
// Names, titles and summaries become strings, at two bytes per character where one is not Latin, and are copied into every
// heading. Real ones are short.
const STRING_COST = 40;
const FREE_STRING_BYTES = 256;
const PER_STRING_BYTE = 8;

export class Allowance {
  private left: number;
  private honest: number;
  private readonly perExcessByte: number;

  /** `excess`: whether unpacked data is limited elsewhere, by somebody who has the memory for it. */
  constructor(inputBytes: number, excess: "paid" | "free" = "paid") {
    this.left = BASE_BYTES + PER_INPUT_BYTE * inputBytes;
    this.honest = HONEST_RATIO * inputBytes;
    this.perExcessByte = excess === "paid" ? PER_EXCESS_BYTE : 0;
  }

  /** Compressed data came out this large: as good as input up to the honest ratio, not beyond it. */
  unpacked(bytes: number): void {
    const honest = Math.min(bytes, this.honest);
    this.honest -= honest;
    this.left += PER_INPUT_BYTE * honest - this.perExcessByte * (bytes - honest);
  }

  /** A text field of so many bytes. One with replacements grows threefold, and nothing of it is for free. */
  spendText(bytes: number, reader: Reader, at: number, isReplaced = false): void {
    const surplus = bytes - (isReplaced ? 0 : FREE_STRING_BYTES);
    this.spend(STRING_COST, reader, at);
    if (surplus <= 0) return;
    this.left -= PER_STRING_BYTE * surplus;
    if (this.left >= 0) return;
    throw reader.error("TooManyRecords", "names and summaries are too long for the size of the input", at);
  }

  spend(cost: number, reader: Reader, at: number): void {
    this.left -= cost;
    if (this.left >= 0) return;
    throw reader.error("TooManyRecords", "too many tiny records for the size of the input", at);
  }
}
