import { expect, test } from "bun:test";
import { countTokens as known } from "gpt-tokenizer/encoding/o200k_base";

import { countTokens, splitPieces } from "../../src/tokens/count.ts";
import { hasCorpus, readCorpus, textOf } from "../corpus.ts";
import { Random } from "../random.ts";

const reference = (text: string) => known(text, { disallowedSpecial: new Set() });

test.skipIf(!hasCorpus)("every recorded result counts as in gpt-tokenizer (needs the corpus)", () => {
  const wrong = readCorpus().filter((record) => countTokens(textOf(record)) !== reference(textOf(record)));
  expect(wrong.map((record) => record.id)).toEqual([]);
});

// Every class of character the splitter tells apart, and the edges between them.
const PARTS = [
  ..."aBéǅʰ中\u0301٣Ⅷ1 \t\n\r/'!ſ\u00a0\u2028K",
  ..."😀𝒜𞤀",
  "\ud800",
  "'S",
  "'LL",
  "'re",
  "日本",
  " the",
  " Hello",
  "🇩🇪",
  "::",
  "    ",
  "2026",
  "\r\n",
  "<|endoftext|>",
];

test("random mixtures of all character classes count as in gpt-tokenizer", () => {
  const random = new Random(7);
  for (let round = 0; round < 25_000; round++) {
    const text = Array.from({ length: 1 + random.below(14) }, () => random.pick(PARTS)).join("");
    if (countTokens(text) !== reference(text)) expect(text).toBe(`${text} (differs)`);
  }
});

test("a byte order mark is the one token that the vocabulary gives it", () => {
  expect(countTokens("\ufeff")).toBe(1);
});

test("pieces cover the text, equal pieces have equal ids, and their costs add up", () => {
  const text = "error TS7006: Parameter 'x'\n  error TS7006: Parameter 'zqxjkvbw'\n  'zqxjkvbw' ünïcødé ünïcødé";
  const pieces = splitPieces(text);
  expect(pieces.tokens).toBe(countTokens(text));
  const byText = new Map<string, number>();
  for (let i = 0, at = 0; i < pieces.count; i++) {
    const piece = text.slice(at, pieces.ends[i]);
    expect(byText.get(piece) ?? pieces.ids[i]).toBe(pieces.ids[i]!);
    byText.set(piece, pieces.ids[i]!);
    at = pieces.ends[i]!;
  }
  expect(pieces.ends[pieces.count - 1]).toBe(text.length);
});

// A quadratic merge would need hours for these.
test.each(["a", " ", "é", "\u0301A"])("a megabyte of %j is counted without getting stuck", (unit) => {
  expect(countTokens(unit.repeat(1_000_000 / unit.length))).toBeGreaterThan(0);
});

// Short pieces are known by their characters alone, packed in numbers: none may pass for another.
test("pieces at the edge of what is packed count as in gpt-tokenizer", () => {
  const units = ["a", " ", "!", "ж", "é", "\u0001", "\u0004", "6", "\0"];
  for (const unit of units) {
    for (let size = 1; size <= 15; size++) {
      for (const end of ["", "x", "\n", "ж", "\u00046"]) {
        const text = unit.repeat(size) + end;
        expect(countTokens(text)).toBe(reference(text));
      }
    }
  }
});

test("runs of one letter count as in gpt-tokenizer", () => {
  for (const size of [95, 96, 97, 98, 500, 1111])
    expect(countTokens("a".repeat(size))).toBe(reference("a".repeat(size)));
});
