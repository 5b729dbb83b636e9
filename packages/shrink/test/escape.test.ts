import { describe, expect, test } from "bun:test";
import {
  canBeTakenOff,
  disguised,
  disguisedJson,
  escapeMarks,
  isDisguiseOf,
  lengthInDisguise,
  unescapeMarks,
} from "../src/escape.ts";
import { Random } from "./random.ts";

const TEXTS: readonly (readonly [string, string])[] = [
  ["a mark", "[bosun:tree]"],
  ["marks side by side", "[bosun:[bosun:[bosun:"],
  ["a mark between lines and quotes", 'x "y" \\ \n[bosun:a]\t\u001b[bosun:b]\u0000'],
  ["disguises of its own", "[b0:[b1:[bosun:[b2:"],
  ["letters that are not Latin", "ä[bosun:→𝕏]"],
  ["a backslash and what looks like an escape", String.raw`\u005bbosun: [bosun: \\u0062 \\\u006f`],
  ["half a surrogate", "\ud800[bosun:\udc00"],
];

describe("a disguise", () => {
  test.each(TEXTS)("comes off again: %s", (_, text) => {
    const escaped = escapeMarks(text);
    if (escaped === undefined) throw new Error("there was a mark");
    expect(escaped.text).not.toContain("[bosun:");
    expect(unescapeMarks(escaped)).toBe(text);
    expect(isDisguiseOf(escaped, text)).toBe(true);
  });

  test.each(TEXTS)("is the same in the JSON that was sent: %s", (_, text) => {
    const escaped = escapeMarks(text);
    if (escaped === undefined) throw new Error("there was a mark");
    const pieces = disguisedJson(JSON.stringify(text), escaped.variant) ?? [];
    expect(JSON.parse(pieces.join(""))).toBe(escaped.text);
  });

  test.each([
    ["another letter", "[b0:tree]", "[bosun:trees"],
    ["more behind it", "[b0:tree]!", "[bosun:tree]"],
    ["less behind it", "[b0:tree", "[bosun:tree]"],
    ["no mark there", "[b0:tree]", "[b0:tree]"],
    ["a mark that was left", "[bosun:tree]", "[bosun:tree"],
  ])("is not taken for one with %s", (_, text, before) => {
    expect(isDisguiseOf({ text, variant: 0 }, before)).toBe(false);
  });
});

test("what is said to come off does, whatever it stands between", () => {
  const random = new Random(3);
  const parts = ["[bosun:", "[b0:", "[b1:", "[b", "[", "b0:", "0:", ":", "osun:", "[bosun", "x"];
  let certain = 0;
  for (let i = 0; i < 5000; i++) {
    const text = Array.from({ length: random.below(9) }, () => parts[random.below(parts.length)]).join("");
    for (const variant of [0, 1]) {
      const there = disguised(text, variant);
      expect(lengthInDisguise(text, variant)).toBe(there.length);
      if (!canBeTakenOff(text, variant)) continue;
      certain++;
      expect(unescapeMarks({ text: there, variant })).toBe(text);
    }
  }
  expect(certain).toBeGreaterThan(2000);
});

test.each([
  String.raw`"\u005bbosun:"`,
  String.raw`"[\u0062osun:"`,
  String.raw`"\\\u005Bbosun:"`,
  String.raw`"[bosun\u003a"`,
])("a mark in other characters is not missed: %s", (json) => {
  expect(JSON.parse(json)).toContain("[bosun:");
  expect(disguisedJson(json, 0)).toBeUndefined();
});
