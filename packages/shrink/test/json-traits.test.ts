import { expect, test } from "bun:test";

import { holdsBlank, isString, isStringScalar, looksLikeLiteral, scalarHoldsBlank } from "../src/folds/json-words.ts";
import { writeScalar, writeWord } from "../src/folds/json-words.ts";
import type { JsonScalar } from "../src/json-syntax.ts";
import { traitsOf, UNKNOWN } from "../src/json-traits.ts";

const SCALARS = [
  "1 -0 1.50 1e9 true false null",
  '"" "a" "-" "--" "true" "nulls" "12" "1.5" "1.5." "-7e3" "007" "e9" "-"',
  String.raw`"{x}" "[" "|" "^" "it's" "\\" "\"" "\n" "\u0041" "a:b" "a=b" "ä" "ä1" "→" "𝕏"`,
].flatMap((line) => line.split(" "));
const BLANKS = ['" "', '"a b"', '" a"', '"a "', '"a\u00a0b"', '"12 "', '"a\u2028b"', '"it\'s a"'];

test.each([...SCALARS, ...BLANKS].map((raw) => [raw]))("what is known of %s is what a look into it says", (raw) => {
  const text = `[0, ${raw}]`;
  const known: JsonScalar = { kind: "scalar", raw, traits: traitsOf(text, 4, 4 + raw.length) };
  const unknown: JsonScalar = { kind: "scalar", raw, traits: UNKNOWN };
  expect(isStringScalar(known)).toBe(isString(raw));
  expect(scalarHoldsBlank(known)).toBe(holdsBlank(raw));
  expect(looksLikeLiteral(known)).toBe(looksLikeLiteral(unknown));
  for (const delimiter of [" ", "|"] as const)
    for (const stringsOnly of [true, false])
      expect(writeScalar(known, delimiter, stringsOnly)).toBe(writeWord(raw, delimiter, stringsOnly));
});
