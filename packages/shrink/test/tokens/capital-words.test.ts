// The words that were written down are those of the vocabulary.
import { expect, test } from "bun:test";

import { capitalWords } from "../../src/tokens/capital-words.ts";
import { countTokens } from "../../src/tokens/count.ts";
import { vocabulary } from "../../src/tokens/vocabulary.ts";

test("all tokens of a capital and small letters, in the order of their ranks", () => {
  const { bytes, starts } = vocabulary();
  const found: string[] = [];
  for (let rank = 0; rank + 1 < starts.length; rank++) {
    const token = Buffer.from(bytes.subarray(starts[rank], starts[rank + 1])).toString("latin1");
    if (/^[A-Z][a-z]+$/.test(token)) found.push(token);
  }
  expect(capitalWords(200_000)).toEqual(found);
});

test("as many as are asked for, the most usual first, each of them one token", () => {
  const words = capitalWords(4096);
  expect(words.length).toBe(4096);
  expect(words).toEqual(capitalWords(5000).slice(0, 4096));
  expect(countTokens(words.join(""))).toBe(4096);
});
