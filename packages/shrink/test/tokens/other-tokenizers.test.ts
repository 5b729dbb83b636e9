import { expect, test } from "bun:test";

import { Shrinker } from "../../src/index.ts";
import { countTokens } from "../../src/tokens/count.ts";
import { isSmallerElsewhere, roughTokens } from "../../src/tokens/other-tokenizers.ts";

test.each<[string, string, number]>([
  ["nothing", "", 0],
  ["a word", "word", 1],
  ["a blank belongs to the word after it", "one word here", 3],
  ["more blanks are one token, and the last belongs to the word", "one    word", 3],
  ["an indented line", "a\n    b", 3],
  ["a line break stands alone", "a\nb", 3],
  ["a tab stands alone", "1\tb", 3],
  ["blanks at the end", "a   ", 2],
  ["long words are cut", "internationalization", 4],
  ["digits in threes", "1234567", 3],
  ["but not the same digit again and again", "00000000000000000000000000000000", 1],
  ["signs in threes", "=======", 3],
  ["letters of ours may be two tokens", "α", 1.5],
])("%s", (_, text, tokens) => {
  expect(roughTokens(text)).toBe(tokens);
});

test("what is much smaller here is smaller there, without a look", () => {
  expect(isSmallerElsewhere("a", "b b b b b", 10, 4)).toBe(true);
  expect(isSmallerElsewhere("a", "b b b b b", 10, 5)).toBe(false);
});

// In our vocabulary the number before a name is four tokens, elsewhere two: a letter for it would save nothing there.
test("a saving that is one in our vocabulary alone is none", () => {
  const nameOf = (i: number): string => ((i * 2_654_435_761) % 4_294_967_296).toString(36).replaceAll(/\d/g, "e");
  const text = Array.from({ length: 96 }, (_, i) => `     1\t${nameOf(i + 1)}`).join("\n");
  const shortened = text.replaceAll("     1\t", "α\t");
  expect(countTokens(shortened)).toBeLessThan(countTokens(text));
  expect(roughTokens(shortened)).toBeGreaterThanOrEqual(roughTokens(text));
  const result = new Shrinker().shrink({ content: [{ type: "text", text }] });
  expect(result.folds).not.toContain("abbr");
});
