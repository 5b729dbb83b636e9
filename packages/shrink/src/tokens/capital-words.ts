// Words that cost one token wherever they stand: a capital and small letters. The tokenizer cuts before every capital,
// so that a row of them without blanks is as many tokens as words. They are written down, with blanks between, because
// to look for them among all tokens took longer than the rest of the first result that needed them.
import { readFileSync } from "node:fs";

import wordsFile from "./capital-words.bin" with { type: "file" };

/** The first of them in the vocabulary, which are the most usual ones; always the same. */
export function capitalWords(count: number): string[] {
  return readFileSync(wordsFile, "latin1").split(" ", count);
}
