// Words that cost one token wherever they stand: a capital and small letters. The tokenizer cuts before every capital,
// so that a row of them without blanks is as many tokens as words.
import { vocabulary } from "./vocabulary.ts";

/** The first of them in the vocabulary, which are the most usual ones; always the same. */
export function capitalWords(count: number): string[] {
  const { bytes, starts } = vocabulary();
  const words: string[] = [];
  for (let rank = 0; rank + 1 < starts.length && words.length < count; rank++) {
    const [start = 0, end = 0] = [starts[rank], starts[rank + 1]];
    if (isCapitalWord(bytes, start, end)) words.push(String.fromCharCode(...bytes.subarray(start, end)));
  }
  return words;
}

function isCapitalWord(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 2 || !isBetween(bytes[start], 0x41, 0x5a)) return false;
  for (let i = start + 1; i < end; i++) if (!isBetween(bytes[i], 0x61, 0x7a)) return false;
  return true;
}

function isBetween(byte: number | undefined, low: number, high: number): boolean {
  return byte !== undefined && byte >= low && byte <= high;
}
