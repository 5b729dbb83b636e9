// Patterns for paths: what each matches, what is none, and that none takes long.
import { expect, test } from "bun:test";
import { compilePathGlob, GlobError, matchesPath, matchesPathOrName, matchesSegments } from "@bosun/platform/glob";

test.each<[string, string, string, boolean]>([
  ["a star stops at a slash", "*.ts", "a/b.ts", false],
  ["a star matches a name", "*.ts", "b.ts", true],
  ["a star matches the empty name part", "a*", "a", true],
  ["dotfiles match a star", "*", ".env", true],
  ["two stars cross directories", "**/*.ts", "a/b/c.ts", true],
  ["two stars match no directory at all", "**/*.ts", "c.ts", true],
  ["two stars at the end match everything below", "src/**", "src/a/b", true],
  ["two stars in the middle", "a/**/z", "a/b/c/z", true],
  ["two stars in the middle match nothing", "a/**/z", "a/z", true],
  ["two stars inside a name are one", "a**b", "axxb", true],
  ["two stars inside a name do not cross", "a**b", "a/b", false],
  ["a question mark is one character", "?.c", "ab.c", false],
  ["a question mark takes an astral character whole", "?", "😀", true],
  ["a class", "[abc].c", "b.c", true],
  ["a range", "[a-c].c", "d.c", false],
  ["a negated class", "[!abc].c", "d.c", true],
  ["a class negated with a caret", "[^abc].c", "a.c", false],
  ["alternatives", "{a,b}.c", "b.c", true],
  ["nested alternatives", "{a,{b,c}d}.x", "cd.x", true],
  ["alternatives with slashes", "{src/*.ts,lib/*.js}", "lib/x.js", true],
  ["an empty alternative", "a{,b}", "a", true],
  ["braces in a class are themselves", "[{]x", "{x", true],
  ["an escaped star is a star", "a\\*", "a*", true],
  ["an escaped star is nothing else", "a\\*", "ab", false],
  ["a lone closing brace is itself", "a}", "a}", true],
  ["an absolute pattern", "/srv/*.key", "/srv/a.key", true],
  ["an absolute pattern does not match below", "/srv/*.key", "/srv/x/a.key", false],
])("%s", (_, pattern, path, matches) => {
  expect(matchesPath(compilePathGlob(pattern), path)).toBe(matches);
});

test("a pattern without a slash is tried on the base name", () => {
  expect(matchesPathOrName(compilePathGlob("*.go"), "a/b/c.go")).toBe(true);
  expect(matchesPathOrName(compilePathGlob("b/*.go"), "a/b/c.go")).toBe(false);
});

test("folding compares without case", () => {
  expect(matchesPath(compilePathGlob("**/.ENV", { foldCase: true }), "a/.env")).toBe(true);
  expect(matchesPath(compilePathGlob("**/.ENV"), "a/.env")).toBe(false);
});

test.each([["["], ["a[/]b"], ["[a"], ["{a"], ["a\\"], ["[z-a]"], [""], ["a\0"], ["{a,b}".repeat(9)]])(
  "%p is refused as a pattern",
  (pattern) => {
    expect(() => compilePathGlob(pattern)).toThrow(GlobError);
  },
);

// As a backtracking expression each of these runs for ages.
test.each([
  ["*a".repeat(30) + "b", "a".repeat(5000)],
  ["**/".repeat(30) + "b", "a/".repeat(2000) + "c"],
  [`${"*a".repeat(200)}b`, "a".repeat(20_000)],
])("a pattern made to explode takes at most length × length steps", (pattern, path) => {
  const work = { steps: 0 };
  const { alternatives } = compilePathGlob(pattern);
  expect(alternatives.some((segments) => matchesSegments(segments, path.split("/"), work))).toBe(false);
  expect(work.steps).toBeLessThan(2 * pattern.length * path.length);
});
