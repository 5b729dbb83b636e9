import { expect, test } from "bun:test";

import { compilePattern } from "../src/index.ts";

const PATTERNS = [
  "abc",
  "a.c",
  "a*b",
  "(ab)+c",
  "a|b|cd",
  "^ab",
  "ab$",
  "^$",
  "[a-c]+d",
  "[^a]b",
  "\\d+",
  "\\w\\s\\w",
  "a?b?c",
  "(a|b)*c",
  "x(?:y|z)?",
  "\\.",
  "[\\d-]+",
  "(a*)*b",
  "\\S+@\\S+",
];
const LINES = [
  "",
  "abc",
  "aXc",
  "aaab",
  "ababc",
  "cd",
  "xab",
  "abx",
  "bbd",
  "xb",
  "room 101",
  "a b",
  "c",
  "ac",
  "xz",
  "a.b",
  "1-2",
  "aaaa",
  "me@home",
  "  ",
];

test("agrees with RegExp wherever both can judge", () => {
  for (const pattern of PATTERNS) {
    const compiled = compilePattern(pattern);
    if (!compiled.ok) throw new Error(compiled.reason);
    for (const line of LINES)
      expect([pattern, line, compiled.matches(line)]).toEqual([pattern, line, new RegExp(pattern).test(line)]);
  }
});

test("patterns that make others hang take no time", () => {
  for (const pattern of ["^(a+)+$", "(a|a)*b", "(.*)*x", "(a?)*(a?)*b"]) {
    const compiled = compilePattern(pattern);
    expect(compiled.ok && compiled.matches(`${"a".repeat(20_000)}!`)).toBe(false);
  }
});

test.each(["(", "a)", "*a", "[a", "a{2}", "\\b", "a\\", "x".repeat(201)])("%s is refused with a reason", (pattern) => {
  expect(compilePattern(pattern)).toMatchObject({ ok: false, reason: expect.any(String) });
});

test.each([
  ["(?i)x", "(?i)"],
  ["a(?=b)", "(?="],
  ["(?<!a)b", "(?<!"],
  ["(?<year>\\d+)", "(?<year>"],
  ["\\bword", "\\b"],
  ["(a)\\1", "\\1"],
  ["\\p{L}", "\\p"],
  ["a{2,3}", "{2,3} (a count)"],
  ["a{2}", "{2} (a count)"],
])("what is not known is named, with what is: %s", (pattern, named) => {
  const compiled = compilePattern(pattern);
  expect(compiled).toMatchObject({
    ok: false,
    reason: expect.stringContaining(`pattern: ${named} is not supported; there are . [] `),
  });
});
