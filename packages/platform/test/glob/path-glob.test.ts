import { expect, test } from "bun:test";
import { compileGlob, matchesGlob, matchesPathOrName } from "../src/glob-pattern.ts";
import { outcome } from "./workspace.ts";

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
  expect(matchesGlob(compileGlob(pattern), path)).toBe(matches);
});

test("a pattern without a slash is tried on the base name", () => {
  expect(matchesPathOrName(compileGlob("*.go"), "a/b/c.go")).toBe(true);
  expect(matchesPathOrName(compileGlob("b/*.go"), "a/b/c.go")).toBe(false);
});

test("folding compares without case", () => {
  expect(matchesGlob(compileGlob("**/.ENV", { foldCase: true }), "a/.env")).toBe(true);
  expect(matchesGlob(compileGlob("**/.ENV"), "a/.env")).toBe(false);
});

test.each([["["], ["a[/]b"], ["[a"], ["{a"], ["a\\"], ["[z-a]"], [""], ["a\0"], ["{a,b}".repeat(9)]])(
  "%p is refused as a pattern",
  async (pattern) => {
    expect(await outcome(() => compileGlob(pattern))).toBe("INVALID_GLOB");
  },
);

// As a backtracking expression each of these runs for ages; the guard is generous and only catches that.
test.each([
  ["*a".repeat(30) + "b", "a".repeat(5000)],
  ["**/".repeat(30) + "b", "a/".repeat(2000) + "c"],
])("a pattern made to explode takes linear steps", (pattern, path) => {
  const start = performance.now();
  expect(matchesGlob(compileGlob(pattern), path)).toBe(false);
  expect(performance.now() - start).toBeLessThan(5000);
});
