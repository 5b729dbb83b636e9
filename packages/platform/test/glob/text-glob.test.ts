import { describe, expect, test } from "bun:test";
import { compilePathGlob, compileTextGlob, coversPath, matchesPath, matchesText } from "@bosun/platform/glob";

test.each<[string, string, boolean]>([
  ["abc", "abc", true],
  ["abc", "abcd", false],
  ["a*", "abc", true],
  ["a*", "a", true],
  ["*c", "abc", true],
  ["a*c*e", "abcde", true],
  ["a*c*e", "abcd", false],
  ["?", "é", true],
  ["?", "\u{1f600}", true],
  ["[a-c]x", "bx", true],
  ["[!a-c]x", "bx", false],
  ["{a,b}c", "bc", true],
  ["{a,b{c,d}}", "bd", true],
  ["\\*", "*", true],
  ["\\*", "x", false],
  ["*", "a/b\nc", true],
])("text: %s and %p: %p", (pattern, text, matches) => {
  expect(matchesText(compileTextGlob(pattern), text)).toBe(matches);
});

test.each<[string, string, boolean]>([
  ["/a/b", "/a/b", true],
  ["/a/b", "/a/bc", false],
  ["/a/*", "/a/b", true],
  ["/a/*", "/a/b/c", false],
  ["/a/**", "/a/b/c", true],
  ["/a/**", "/a", true],
  ["/a/**", "/ab", false],
  ["/**/.env", "/.env", true],
  ["/**/.env", "/x/y/.env", true],
  ["/**/.env", "/x/.env.local", false],
  ["/**/a/**/b", "/x/a/y/z/b", true],
  ["/**/a/**/b", "/x/a/y/z/c", false],
  ["/srv/*.key", "/srv/x.key", true],
  ["/a/{b,c}/*.ts", "/a/c/x.ts", true],
])("path: %s and %s: %p", (pattern, path, matches) => {
  expect(matchesPath(compilePathGlob(pattern), path)).toBe(matches);
});

describe("a pattern for a folder", () => {
  test("covers everything in it, and not its neighbour", () => {
    const glob = compilePathGlob("/**/secrets");
    expect(coversPath(glob, "/w/secrets/a/b")).toBe(true);
    expect(coversPath(glob, "/w/secrets")).toBe(true);
    expect(coversPath(glob, "/w/secrets2/a")).toBe(false);
  });

  test("may ignore case where the file system does", () => {
    expect(coversPath(compilePathGlob("/**/.env", { foldCase: true }), "/w/.ENV")).toBe(true);
    expect(coversPath(compilePathGlob("/**/.env"), "/w/.ENV")).toBe(false);
  });
});

test("no pattern takes long", () => {
  const glob = compileTextGlob(`${"*a".repeat(200)}b`);
  expect(matchesText(glob, "a".repeat(20_000))).toBe(false);
  const path = compilePathGlob(`/${"**/a/".repeat(100)}b`);
  expect(matchesPath(path, `/${"a/".repeat(1000)}c`)).toBe(false);
});

test.each([
  ["nothing", ""],
  ["a NUL", "a\u0000"],
  ["a class never closed", "a[b"],
  ["a brace never closed", "a{b"],
  ["braces that multiply", "{a,b}".repeat(9)],
])("%s is refused", (_, pattern) => {
  expect(() => compilePathGlob(pattern)).toThrow();
});
