import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { replaceText } from "../../src/index.ts";
import type { EngineCode, Replaced, ReplaceRequest } from "../../src/index.ts";
import { Workspace, failure, outcome } from "../workspace.ts";

const MIB = 1024 ** 2;

async function replace(workspace: Workspace, name: string, request: Partial<ReplaceRequest>): Promise<Replaced> {
  using place = workspace.resolve(name, { writing: true });
  return await replaceText(place, { find: "", replace: "", all: false, maxBytes: 10 * MIB, ...request });
}

const latin = (text: string) => Buffer.from(text, "latin1");

describe("one replacement", () => {
  test.each<[string, string | Uint8Array, string, string, string | Uint8Array]>([
    ["text", "one two three", "two", "2", "one 2 three"],
    ["nothing in its place deletes", "one two three", " two", "", "one three"],
    ["dollar signs are text", "price", "price", "$& $1 $` $' $$", "$& $1 $` $' $$"],
    ["regular expressions are text", "a.c abc", "a.c", "x", "x abc"],
    ["legacy bytes around it stay", latin("caf\xe9 old \xff\n"), "old", "new", latin("caf\xe9 new \xff\n")],
    ["a byte-order mark stays", "\ufeffold", "old", "new", "\ufeffnew"],
    ["letters beyond ASCII", "naïve 😀", "😀", "é", "naïve é"],
    ["all of it", "old", "old", "", ""],
    ["no newline is added at the end", "a\nold", "old", "new", "a\nnew"],
    ["CRLF: found with bare newlines", "a\r\nb\r\nc\r\n", "a\nb", "x\ny", "x\r\ny\r\nc\r\n"],
    ["CRLF: found as given, new newlines converted", "a\r\nb\r\n", "a", "x\ny", "x\r\ny\r\nb\r\n"],
    ["CRLF: what already is stays so", "a\r\nb\r\n", "a\r\nb", "x\r\ny", "x\r\ny\r\n"],
    ["mixed: found with bare newlines, replacement as given", "a\r\nb\nc\r\n", "a\nb", "x\ny", "x\ny\nc\r\n"],
    ["mixed: found as given, replacement as given", "a\r\nb\nc\r\n", "b\nc", "x\ny", "a\r\nx\ny\r\n"],
    ["LF: a CR in the replacement is kept", "a\nb\n", "a", "x\r\ny", "x\r\ny\nb\n"],
  ])("%s", async (_, content, find, replacement, result) => {
    using workspace = new Workspace({ f: content });
    expect((await replace(workspace, "f", { find, replace: replacement })).replacements).toBe(1);
    expect(workspace.bytes("f")).toEqual(Buffer.from(result as string));
  });
});

describe("all of them", () => {
  test.each<[string, string, string, string, string, number]>([
    ["each", "a-a-a", "a", "b", "b-b-b", 3],
    ["one is fine", "x a y", "a", "b", "x b y", 1],
    ["left to right, not overlapping", "aaaaa", "aa", "b", "bba", 2],
    ["growing", "aaa", "a", "aa", "aaaaaa", 3],
    ["deleting", "a,b,c", ",", "", "abc", 2],
    ["dollar signs", "x x", "x", "$&", "$& $&", 2],
  ])("%s", async (_, content, find, replacement, result, count) => {
    using workspace = new Workspace({ f: content });
    const done = await replace(workspace, "f", { find, replace: replacement, all: true });
    expect([done.replacements, done.snippet.length]).toEqual([count, 0]);
    expect(workspace.read("f")).toBe(result);
  });
});

describe("refused, and the file unchanged", () => {
  const rows: [string, string | Uint8Array, Partial<ReplaceRequest>, EngineCode, object][] = [
    ["nothing to find", "x", { find: "" }, "INVALID_INPUT", {}],
    ["not there", "x", { find: "y" }, "TEXT_NOT_FOUND", {}],
    ["not there, for all", "x", { find: "y", all: true }, "TEXT_NOT_FOUND", {}],
    ["several", "a a", { find: "a", replace: "b" }, "TEXT_AMBIGUOUS", { occurrences: 2 }],
    ["overlapping counts as several", "aaa", { find: "aa", replace: "b" }, "TEXT_AMBIGUOUS", { occurrences: 2 }],
    [
      "fewer than expected",
      "x",
      { find: "x", replace: "y", expectedOccurrences: 2 },
      "COUNT_DIFFERS",
      { occurrences: 1, expected: 2 },
    ],
    [
      "more than expected",
      "x x",
      { find: "x", all: true, expectedOccurrences: 1 },
      "COUNT_DIFFERS",
      { occurrences: 2 },
    ],
    ["another case", "Old", { find: "old" }, "TEXT_NOT_FOUND", {}],
    [
      "a result over the limit",
      "x".repeat(100),
      { find: "x", replace: "yy", all: true, maxBytes: 150 },
      "TOO_LARGE",
      { what: "result", bytes: 200 },
    ],
    ["a file over the limit", "x".repeat(200), { find: "y", maxBytes: 150 }, "TOO_LARGE", { what: "file", bytes: 200 }],
    ["a binary file", "a\0old", { find: "old" }, "BINARY_FILE", {}],
    ["an unpaired surrogate to find", "x", { find: "\ud800" }, "INVALID_INPUT", {}],
    ["an unpaired surrogate to put", "x", { find: "x", replace: "\udc00" }, "INVALID_INPUT", {}],
  ];
  test.each(rows)("%s", async (_, content, request, code, details) => {
    using workspace = new Workspace({ f: content });
    const error = await failure(() => replace(workspace, "f", request));
    expect(error.code).toBe(code);
    expect(error.details).toMatchObject(details);
    expect(workspace.bytes("f")).toEqual(Buffer.from(content as string));
  });

  test("a directory, and what does not exist", async () => {
    using workspace = new Workspace({ "d/x": "x" });
    expect(await outcome(() => replace(workspace, "d", { find: "x" }))).toBe("NOT_FILE");
    expect(await outcome(() => replace(workspace, "none", { find: "x" }))).toBe("NOT_FOUND");
  });
});

test("an expectation that holds: one is replaced, several only as all", async () => {
  using workspace = new Workspace({ f: "x x x", one: "x" });
  const three = { find: "x", replace: "y", expectedOccurrences: 3 };
  const error = await failure(() => replace(workspace, "f", three));
  expect(error.code).toBe("TEXT_AMBIGUOUS");
  expect(error.details).toMatchObject({ occurrences: 3, expected: 3 });
  expect(workspace.read("f")).toBe("x x x");
  expect((await replace(workspace, "f", { ...three, all: true })).replacements).toBe(3);
  expect(workspace.read("f")).toBe("y y y");
  expect((await replace(workspace, "one", { ...three, expectedOccurrences: 1 })).replacements).toBe(1);
});

describe("the snippet", () => {
  const ten = Array.from({ length: 10 }, (_, i) => `l${i + 1}\n`).join("");
  const many = (n: number) => Array.from({ length: n }, (_, i) => `n${i + 1}`).join("\n");

  test.each<[string, string, string, string, number[]]>([
    ["four lines either side", ten, "l6", "X", [2, 3, 4, 5, 6, 7, 8, 9, 10]],
    ["fewer at the start", ten, "l1\n", "X\n", [1, 2, 3, 4, 5]],
    ["fewer at the end", ten, "l10\n", "X\n", [6, 7, 8, 9, 10]],
    ["a long replacement shows its end", ten, "l5", many(9), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]],
    ["a deletion at the end", ten, "l9\nl10\n", "", [4, 5, 6, 7, 8]],
    ["a deletion of everything", "only", "only", "", []],
  ])("%s", async (_, content, find, replacement, numbers) => {
    using workspace = new Workspace({ f: content });
    const { snippet } = await replace(workspace, "f", { find, replace: replacement });
    expect(snippet.map(({ number }) => number)).toEqual(numbers);
    const lines = workspace.read("f").split("\n");
    for (const { number, text } of snippet) expect(text).toBe(lines[number - 1] ?? "");
  });

  test("a very long replacement shows both its ends", async () => {
    using workspace = new Workspace({ f: ten });
    const { snippet } = await replace(workspace, "f", { find: "l5", replace: many(1000) });
    expect(snippet.length).toBeLessThan(20);
    expect(snippet.at(-1)?.text).toBe("n1000");
    expect(snippet.some(({ text }) => text === "n1")).toBe(true);
  });
});

describe("what is nearest, when nothing matches", () => {
  test.each<[string, string, string, string]>([
    ["indentation", "if (x) {\n\treturn 1;\n}\n", "if (x) {\n    return 1;\n}", "line 1 differs only in whitespace"],
    ["trailing blanks", "a  \nb\n", "a\nb", "line 1 differs only in whitespace"],
    ["quotes", "say “hi”\n", 'say "hi"', "line 1 differs only in quotation marks or dashes"],
    ["case", "\n\nHello World\n", "hello world", "line 3 differs only in upper and lower case"],
    ["decomposed letters", "cafe\u0301\n", "café", "line 1 differs only in the Unicode form"],
    ["a blank too few", "f(a, b)\n", "f(a,b)", "line 1 differs only in whitespace"],
    ["a slip", "x\nconst value = 1;\n", "const values = 1;", 'Line 2 is most like it: the file has "const value = 1;"'],
    ["a slip far into a line", `${"long ".repeat(60)}end\n`, `${"long ".repeat(60)}and`, 'long end" where it has "…'],
    [
      "a slip beside a line that is right",
      "b {\n  the longest line\n",
      "a {\n  the longest line\n",
      'file has "b {" where',
    ],
    ["a line too many", "the longest line\n", "first\nthe longest line\n", "what is around that line is not"],
    ["copied line numbers", "alpha\nbeta\n", "     1\talpha\n     2\tbeta", "without them it is at line 1"],
    ["escaped newlines", "a\nb\n", "a\\nb", "escape sequences"],
    [
      "where lines part",
      "start here\nmiddle\nend\n",
      "start here\nother\nend",
      'line 2 the file has "middle" where it has "other"',
    ],
  ])("%s", async (_, content, find, words) => {
    using workspace = new Workspace({ f: content });
    const error = await failure(() => replace(workspace, "f", { find, replace: "x" }));
    expect(error.code).toBe("TEXT_NOT_FOUND");
    expect(error.details.nearest).toContain(words);
    expect(workspace.read("f")).toBe(content);
  });

  test("nothing near, nothing said", async () => {
    using workspace = new Workspace({ f: "alpha\n" });
    expect((await failure(() => replace(workspace, "f", { find: "omega" }))).details.nearest).toBeUndefined();
  });
});

// In quadratic time it would be days: the time limit of the test ends it.
test("matches made to be slow are counted in linear time", async () => {
  using workspace = new Workspace({ f: "a".repeat(2 * MIB) });
  const error = await failure(() => replace(workspace, "f", { find: "a".repeat(MIB) }));
  expect(error.details.occurrences).toBe(MIB + 1);
  expect(await outcome(() => replace(workspace, "f", { find: `${"a".repeat(MIB)}b` }))).toBe("TEXT_NOT_FOUND");
});

test("mode and owner stay", async () => {
  using workspace = new Workspace({ f: "old" });
  fs.chmodSync(workspace.at("f"), 0o751);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) fs.chownSync(workspace.at("f"), 1234, 4321);
  await replace(workspace, "f", { find: "old", replace: "new" });
  const { mode, uid, gid } = fs.statSync(workspace.at("f"));
  expect(mode & 0o7777).toBe(0o751);
  if (isRoot) expect([uid, gid]).toEqual([1234, 4321]);
});

test.each([
  ["an ordinary file", false],
  ["a file with two names, written in place", true],
])("new content does not get the rights that were given to the old: %s", async (_, isLinked) => {
  using workspace = new Workspace({ f: "old" });
  if (isLinked) fs.linkSync(workspace.at("f"), workspace.at("g"));
  fs.chmodSync(workspace.at("f"), 0o7755);
  await replace(workspace, "f", { find: "old", replace: "new" });
  expect(fs.statSync(workspace.at("f")).mode & 0o7777).toBe(0o755);
});

test("edits of one file wait for each other: none is lost", async () => {
  using workspace = new Workspace({ f: "0" });
  const names = Array.from({ length: 50 }, (_, i) => `<${i}>`);
  workspace.put({ g: names.join("\n") });
  await Promise.all(
    names.map((name) => replace(workspace, "g", { find: name, replace: `done ${name.slice(1, -1)};` })),
  );
  for (const name of names) expect(workspace.read("g")).toContain(`done ${name.slice(1, -1)};`);
});

test("a file that changed between reading and writing is not overwritten", async () => {
  using workspace = new Workspace({ f: "old" });
  using place = workspace.resolve("f", { writing: true });
  const edit = replaceText(place, {
    find: "old",
    replace: "new",
    all: false,
    maxBytes: MIB,
    // Runs after the file is open and before it is read: another program writes in the meantime.
    guard: async () => fs.writeFileSync(workspace.at("f"), "old, and theirs"),
  });
  expect(await outcome(() => edit)).toBe("CHANGED_ON_DISK");
  expect(workspace.read("f")).toBe("old, and theirs");
});

test("through a link the target is edited and the link stays", async () => {
  using workspace = new Workspace({ "real/f": "old" });
  fs.symlinkSync("real/f", workspace.at("alias"));
  await replace(workspace, "alias", { find: "old", replace: "new" });
  expect(workspace.read("real/f")).toBe("new");
  expect(fs.readlinkSync(workspace.at("alias"))).toBe("real/f");
});

test("a file with two names keeps both", async () => {
  using workspace = new Workspace({ f: "a longer old text" });
  fs.linkSync(workspace.at("f"), workspace.at("g"));
  await replace(workspace, "f", { find: "a longer old", replace: "new" });
  expect(workspace.read("g")).toBe("new text");
  await replace(workspace, "g", { find: "new", replace: "a much, much longer" });
  expect(workspace.read("f")).toBe("a much, much longer text");
  expect(fs.readdirSync(workspace.root).sort()).toEqual(["f", "g"]);
});
