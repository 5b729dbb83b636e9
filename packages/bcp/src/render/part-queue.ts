// Parts of one block that wait to be written. Short words are put together: a tree has a million of them, and in a list they
// would take ten times as much.

import type { Part } from "./text-buffer.ts";

const MAX_WORDS = 1024;
// Longer ones are mostly names that are held anyway.
const WORD_CHARS = 64;

export class PartQueue {
  private readonly parts: Part[] = [];
  private words: string[] = [];

  add(part: Part): void {
    if (typeof part === "string" && part.length <= WORD_CHARS) {
      if (this.words.push(part) === MAX_WORDS) this.close();
      return;
    }
    this.close();
    this.parts.push(part);
  }

  /** All of them, each of whole characters. */
  take(): Part[] {
    this.close();
    return this.parts.splice(0);
  }

  private close(): void {
    if (this.words.length > 0) this.parts.push(this.words.join(""));
    this.words = [];
  }
}
