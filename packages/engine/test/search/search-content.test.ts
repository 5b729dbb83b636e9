import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { fileTypes, formatGrepLine, grep } from "../../src/index.ts";
import type { EngineCode, GrepRequest, GrepResult } from "../../src/index.ts";
import { Workspace, directory, failure, link, openDescriptors, outcome } from "../workspace.ts";

// The user's own global excludes would decide some rows.
const home = process.env["HOME"];
const config = process.env["XDG_CONFIG_HOME"];
beforeAll(() => {
  process.env["HOME"] = "/nonexistent";
  delete process.env["XDG_CONFIG_HOME"];
});
afterAll(() => {
  if (home === undefined) delete process.env["HOME"];
  else process.env["HOME"] = home;
  if (config !== undefined) process.env["XDG_CONFIG_HOME"] = config;
});

const MIB = 1024 ** 2;
const defaults = {
  mode: "content",
  maxChars: 30_000,
  maxLineChars: 2000,
  maxFileBytes: 10 * MIB,
  timeoutMs: 30_000,
} as const;

type Asked = Partial<GrepRequest> & { pattern: string };

async function search(workspace: Workspace, request: Asked, name = "."): Promise<GrepResult> {
  using place = workspace.resolve(name);
  return await grep(place, { ...defaults, ...request });
}

function text(result: GrepResult, lineNumbers = true): string[] {
  if (result.mode === "content") return result.lines.map((line) => formatGrepLine(line, lineNumbers));
  if (result.mode === "count") return result.counts.map(({ path, lines }) => `${path}:${lines}`);
  return [...result.paths];
}

const found = async (workspace: Workspace, request: Asked, name?: string) =>
  text(await search(workspace, request, name));

/** Writes files one second apart, the first named the oldest. */
function age(workspace: Workspace, ...names: string[]): void {
  names.forEach((name, i) => fs.utimesSync(workspace.at(name), 1_700_000_000 + i, 1_700_000_000 + i));
}

describe("results", () => {
  const files = {
    "a.txt": "one\nhit 1\ntwo\nthree\nfour\nhit 2\nhit 3\n",
    "b/c.txt": "hit 4",
    "b.txt": "hit 5\n",
    "z.txt": "none\n",
  };

  test.each<[string, Asked, string[]]>([
    [
      "lines, with a mark between what does not follow",
      { pattern: "hit" },
      ["a.txt:2:hit 1", "--", "a.txt:6:hit 2", "a.txt:7:hit 3", "--", "b/c.txt:1:hit 4", "--", "b.txt:1:hit 5"],
    ],
    [
      "context",
      { pattern: "hit 1", before: 1, after: 2 },
      ["a.txt-1-one", "a.txt:2:hit 1", "a.txt-3-two", "a.txt-4-three"],
    ],
    [
      "windows that meet are one",
      { pattern: "hit [12]", before: 2, after: 1 },
      [
        "a.txt-1-one",
        "a.txt:2:hit 1",
        "a.txt-3-two",
        "a.txt-4-three",
        "a.txt-5-four",
        "a.txt:6:hit 2",
        "a.txt-7-hit 3",
      ],
    ],
    [
      "windows apart are parted",
      { pattern: "hit [12]", before: 1 },
      ["a.txt-1-one", "a.txt:2:hit 1", "--", "a.txt-5-four", "a.txt:6:hit 2"],
    ],
    ["no match is no error", { pattern: "nowhere" }, []],
    ["counts of lines", { pattern: "hit", mode: "count" }, ["a.txt:3", "b/c.txt:1", "b.txt:1"]],
    ["counts, limited", { pattern: "hit", mode: "count", limit: 2 }, ["a.txt:3", "b/c.txt:1"]],
    ["counts, from the second", { pattern: "hit", mode: "count", offset: 1 }, ["b/c.txt:1", "b.txt:1"]],
    ["a limit counts marks too", { pattern: "hit", limit: 3 }, ["a.txt:2:hit 1", "--", "a.txt:6:hit 2"]],
    ["an offset counts marks too", { pattern: "hit", offset: 1, limit: 3 }, ["--", "a.txt:6:hit 2", "a.txt:7:hit 3"]],
    ["an offset past everything", { pattern: "hit", offset: 100 }, []],
    ["case matters", { pattern: "HIT" }, []],
    ["unless told otherwise", { pattern: "HIT 5", caseInsensitive: true }, ["b.txt:1:hit 5"]],
    ["a flag in the pattern", { pattern: "(?i)HIT 5" }, ["b.txt:1:hit 5"]],
  ])("%s", async (_, request, expected) => {
    using workspace = new Workspace(files);
    expect(await found(workspace, request)).toEqual(expected);
  });

  test("without numbers", async () => {
    using workspace = new Workspace({ "a.txt": "before\nhit\n" });
    const result = await search(workspace, { pattern: "hit", before: 1, lineNumbers: false });
    expect(text(result, false)).toEqual(["a.txt-before", "a.txt:hit"]);
  });

  test("files, newest first", async () => {
    using workspace = new Workspace(files);
    age(workspace, "b.txt", "a.txt", "b/c.txt");
    expect(await found(workspace, { pattern: "hit", mode: "files_with_matches" })).toEqual([
      "b/c.txt",
      "a.txt",
      "b.txt",
    ]);
    expect(await found(workspace, { pattern: "hit", mode: "files_with_matches", offset: 1, limit: 1 })).toEqual([
      "a.txt",
    ]);
  });

  test("nanoseconds decide, then the path", async () => {
    using workspace = new Workspace({ a: "hit", b: "hit", c: "hit" });
    fs.utimesSync(workspace.at("a"), 1000, 1000.000001);
    fs.utimesSync(workspace.at("b"), 1000, 1000.000002);
    fs.utimesSync(workspace.at("c"), 1000, 1000.000001);
    expect(await found(workspace, { pattern: "hit", mode: "files_with_matches" })).toEqual(["b", "a", "c"]);
  });

  test("a single file is shown as it was written, whatever the filters say", async () => {
    using workspace = new Workspace(files);
    expect(await found(workspace, { pattern: "hit 1", include: "*.go", type: "py" }, "./a.txt")).toEqual([
      "./a.txt:2:hit 1",
    ]);
    expect(await found(workspace, { pattern: "hit", mode: "count" }, workspace.at("a.txt"))).toEqual([
      `${workspace.at("a.txt")}:3`,
    ]);
    expect(await found(workspace, { pattern: "hit", mode: "files_with_matches" }, "b/c.txt")).toEqual(["b/c.txt"]);
    expect(await found(workspace, { pattern: "nowhere", mode: "files_with_matches" }, "b/c.txt")).toEqual([]);
  });

  test("paths are relative to the directory searched", async () => {
    using workspace = new Workspace(files);
    expect(await found(workspace, { pattern: "hit" }, "b")).toEqual(["c.txt:1:hit 4"]);
  });

  test("walk order: names in byte order, directory by directory", async () => {
    using workspace = new Workspace({
      "a/z": "hit",
      "a.b": "hit",
      "a-b": "hit",
      B: "hit",
      "a/b/c": "hit",
      "\u{1f600}": "hit",
      "\ufb01": "hit",
    });
    const lines = (await found(workspace, { pattern: "hit" }))
      .filter((line) => line !== "--")
      .map((line) => line.split(":")[0]);
    const expected = ["B", "a/b/c", "a/z", "a-b", "a.b", "\ufb01", "\u{1f600}"];
    expect(lines).toEqual(expected);
    const limited = (await found(workspace, { pattern: "hit", limit: 100 })).filter((line) => line !== "--");
    expect(limited.map((line) => line.split(":")[0])).toEqual(expected);
  });
});

describe("multiline", () => {
  const endless = { "a.txt": "a\n", endless: "a".repeat(9 * MIB), "z.txt": "a\n" };

  test.each<[string, Partial<GrepRequest>]>([
    ["named", { mode: "files_with_matches" }],
    ["shown", { mode: "content", limit: 9, maxLineChars: 1 }],
  ])("a line without end keeps no file from being %s", async (_, request) => {
    using workspace = new Workspace(endless);
    const result = await search(workspace, { pattern: "a\\n?", multiline: true, ...request });
    const files = text(result).map((line) => line.split(":")[0]);
    expect(files.filter((name) => name !== "--").toSorted()).toEqual(["a.txt", "endless", "z.txt"]);
    expect(result.ended).toBeUndefined();
  });

  // The time that the caller gives is not what ends these.
  test.each<[string, Partial<GrepRequest>, string]>([
    ["counting in a tree", { mode: "count" }, "."],
    ["in one file", { mode: "content" }, "endless"],
  ])("a line without end is given up, and that is said: %s", async (_, request, name) => {
    using workspace = new Workspace(endless);
    const result = await search(workspace, { pattern: "a\\n?", multiline: true, timeoutMs: 600_000, ...request }, name);
    expect(result).toMatchObject({ ended: "timeout", timeoutMs: 5000 });
    if (name === ".") expect(text(result)[0]).toStartWith("a.txt:1");
  });

  const files = { f: "start\nmiddle\nend\nstart end\n" };

  test.each<[string, Asked, string[]]>([
    ["a match may span lines", { pattern: "start\\nmiddle", multiline: true }, ["f:1:start", "f:2:middle"]],
    [
      "a dot crosses lines",
      { pattern: "start.*?end", multiline: true },
      ["f:1:start", "f:2:middle", "f:3:end", "f:4:start end"],
    ],
    ["counted by lines, not by matches", { pattern: "start.*?end", multiline: true, mode: "count" }, ["f:4"]],
    ["anchors are at lines", { pattern: "^middle$", multiline: true }, ["f:2:middle"]],
    ["a newline as a character", { pattern: "start\nmiddle", multiline: true }, ["f:1:start", "f:2:middle"]],
    ["the start of the file", { pattern: "\\Astart", multiline: true, mode: "count" }, ["f:1"]],
  ])("%s", async (_, request, expected) => {
    using workspace = new Workspace(files);
    expect(await found(workspace, request)).toEqual(expected);
  });

  test("larger files are left out, or refused when named", async () => {
    using workspace = new Workspace({ big: `a\nb\n${"x".repeat(2000)}`, small: "a\nb\n" });
    const request = { pattern: "a\\nb", multiline: true, mode: "count", maxFileBytes: 1000 } as const;
    expect(await found(workspace, request)).toEqual(["small:2"]);
    const error = await failure(() => search(workspace, request, "big"));
    expect([error.code, error.details.bytes, error.details.maxBytes]).toEqual(["TOO_LARGE", 2004, 1000]);
  });
});

describe("selection", () => {
  const tree = {
    "a.ts": "hit",
    "a.go": "hit",
    "src/b.ts": "hit",
    "src/deep/c.tsx": "hit",
    "src/deep/d.py": "hit",
    ".hidden/e.ts": "hit",
    "node_modules/m.ts": "hit",
    "src/node_modules/m.ts": "hit",
    ".git/config.ts": "hit",
  };
  const names = async (workspace: Workspace, request: Partial<GrepRequest>) =>
    (await found(workspace, { pattern: "hit", mode: "count", ...request })).map((line) => line.replace(/:\d+$/, ""));

  test.each<[string, Partial<GrepRequest>, string[]]>([
    [
      "everything but .git and node_modules",
      {},
      [".hidden/e.ts", "a.go", "a.ts", "src/b.ts", "src/deep/c.tsx", "src/deep/d.py"],
    ],
    ["an include on the base name", { include: "*.ts" }, [".hidden/e.ts", "a.ts", "src/b.ts"]],
    ["an include on the path", { include: "src/**/*.tsx" }, ["src/deep/c.tsx"]],
    ["an include with braces", { include: "*.{go,py}" }, ["a.go", "src/deep/d.py"]],
    ["an include with slashes in braces", { include: "{src/*.ts,*.py}" }, ["src/b.ts", "src/deep/d.py"]],
    [
      "an include that names a directory's files",
      { include: "src/**" },
      ["src/b.ts", "src/deep/c.tsx", "src/deep/d.py"],
    ],
    ["an include with a class", { include: "[ab].ts" }, ["a.ts", "src/b.ts"]],
    ["an include with ./", { include: "./src/*.ts" }, ["src/b.ts"]],
    ["a type", { type: "ts" }, [".hidden/e.ts", "a.ts", "src/b.ts", "src/deep/c.tsx"]],
    ["an alias of a type", { type: "python" }, ["src/deep/d.py"]],
    ["both must pass", { type: "ts", include: "src/**" }, ["src/b.ts", "src/deep/c.tsx"]],
    ["an include that looks like an option (S10)", { include: "--files" }, []],
  ])("%s", async (_, request, expected) => {
    using workspace = new Workspace(tree);
    expect(await names(workspace, request)).toEqual(expected);
  });

  test("an include does not bring back what git ignores", async () => {
    using workspace = new Workspace({ ".gitignore": "*.log\n", "a.log": "hit", "b.txt": "hit" });
    expect(await names(workspace, { include: "*.log" })).toEqual([]);
  });

  test.each<[string, Record<string, string>, string[]]>([
    ["without a repository too", { ".gitignore": "x\n", x: "hit", y: "hit" }, ["y"]],
    [
      "a rule of a child after the parent's",
      { ".gitignore": "*.log\n", "d/.gitignore": "!keep.log\n", "d/keep.log": "hit", "d/x.log": "hit" },
      ["d/keep.log"],
    ],
    ["the last match wins", { ".gitignore": "*\n!a\n", a: "hit", b: "hit" }, ["a"]],
    [
      "a trailing slash means directories",
      { ".gitignore": "build/\n", "build/x": "hit", "d/build": "hit" },
      ["d/build"],
    ],
    ["anchored", { ".gitignore": "/x\n", x: "hit", "d/x": "hit" }, ["d/x"]],
    ["the repository's own excludes", { ".git/HEAD": "", ".git/info/exclude": "x\n", x: "hit", y: "hit" }, ["y"]],
    ["other tools' ignore files do not count", { ".ignore": "x\n", ".rgignore": "x\n", x: "hit" }, ["x"]],
  ])("gitignore: %s", async (_, files, expected) => {
    using workspace = new Workspace(files);
    expect(await names(workspace, {})).toEqual(expected);
  });

  test("rules above the search directory hold up to the repository's root", async () => {
    using workspace = new Workspace({
      "repo/.git/HEAD": "",
      "repo/.gitignore": "*.log\n",
      "repo/sub/x.log": "hit",
      "repo/sub/y": "hit",
      ".gitignore": "y\n",
    });
    expect(await found(workspace, { pattern: "hit", mode: "count" }, "repo/sub")).toEqual(["y:1"]);
  });

  test("outside a repository rules above do not hold", async () => {
    using workspace = new Workspace({ ".gitignore": "y\n", "sub/y": "hit" });
    expect(await found(workspace, { pattern: "hit", mode: "count" }, "sub")).toEqual(["y:1"]);
  });

  test("types are known by name", async () => {
    using workspace = new Workspace();
    const error = await failure(() => search(workspace, { pattern: "x", type: "cobol" }));
    expect(error.code).toBe("UNKNOWN_FILE_TYPE");
    expect(error.details.known).toEqual(fileTypes);
    expect(fileTypes).toEqual([...fileTypes].sort());
    expect(await outcome(() => search(workspace, { pattern: "x", type: "constructor" }))).toBe("UNKNOWN_FILE_TYPE");
  });
});

describe("what files hold", () => {
  test("binary files are skipped", async () => {
    using workspace = new Workspace({ bin: "hit\0", txt: "hit" });
    expect(await found(workspace, { pattern: "hit" })).toEqual(["txt:1:hit"]);
    expect(await found(workspace, { pattern: "hit" }, "bin")).toEqual([]);
  });

  test("a NUL far into a file ends its search, and that is said", async () => {
    using workspace = new Workspace({ f: `hit one\n${"x\n".repeat(100_000)}\0\nhit two\n` });
    const lines = await found(workspace, { pattern: "hit" });
    expect(lines[0]).toBe("f:1:hit one");
    expect(lines[1]).toMatch(/^f: binary file matches \(found "\\0" byte around offset \d+\)$/);
    expect(lines.length).toBe(2);
  });

  test("lines of megabytes are searched, and cut when shown", async () => {
    using workspace = new Workspace({ f: `${"x".repeat(3 * MIB)}hit\nhit\n` });
    const result = await search(workspace, { pattern: "hit" });
    expect(
      result.mode === "content"
        ? result.lines.map((line) => (line.kind === "match" ? [line.line, line.text.length, line.cut] : line))
        : [],
    ).toEqual([
      [1, 2000, true],
      [2, 3, false],
    ]);
  });

  test.each<[string, string, string, string[]]>([
    ["`$` matches before CRLF, and the CR is not shown", "one\r\ntwo\r\n", "e$", ["f:1:one"]],
    ["invalid UTF-8 is shown with replacement characters", "", "hit", ["f:1:hit \ufffd"]],
    ["UTF-16 with a mark is read", "", "wide", ["f:1:wide"]],
  ])("%s", async (name, content, pattern, expected) => {
    const bytes = name.startsWith("invalid")
      ? Buffer.from([0x68, 0x69, 0x74, 0x20, 0xff, 0x0a])
      : name.startsWith("UTF-16")
        ? Buffer.from("\ufeffwide\n", "utf16le")
        : Buffer.from(content);
    using workspace = new Workspace({ f: bytes });
    expect(await found(workspace, { pattern })).toEqual(expected);
  });

  test("a FIFO in the tree does not hold anybody up", async () => {
    using workspace = new Workspace({ f: "hit" });
    expect(Bun.spawnSync(["mkfifo", workspace.at("fifo")]).exitCode).toBe(0);
    expect(await found(workspace, { pattern: "hit" })).toEqual(["f:1:hit"]);
    expect(await outcome(() => search(workspace, { pattern: "hit" }, "fifo"))).toBe("NOT_REGULAR");
  });
});

describe("patterns", () => {
  const body = "interface{} func() {\na[0] a.b <tag> -v tab\there\nfoo(bar)\n";
  test.each<[string, number[]]>([
    ["interface{}", [1]],
    ["func\\(\\) {", [1]],
    ["{", [1]],
    ["o{2}", [3]],
    ["[[]0]", [2]],
    ["\\Qa.b\\E", [2]],
    ["\\Qfoo(", [3]],
    ["\\<tag\\>", [2]],
    ["(?P<name>foo)", [3]],
    ["(?<name>foo)", [3]],
    ["[[:digit:]]", [2]],
    ["\\Afoo", [3]],
    ["bar\\)\\z", [3]],
    ["\\x66oo", [3]],
    ["\\146oo", [3]],
    ["\\p{Lu}", []],
    ["\\bfoo\\b", [3]],
    ["-v", [2]],
    ["--files", []],
    ["\\t", [2]],
    ["[^[:alnum:][:space:]]bar", [3]],
    ["[a&&b]0", []],
  ])("%p", async (pattern, lines) => {
    using workspace = new Workspace({ f: body });
    const result = await search(workspace, { pattern });
    const numbers =
      result.mode === "content" ? result.lines.flatMap((line) => (line.kind === "match" ? [line.line] : [])) : [];
    expect(numbers).toEqual(lines);
  });

  test.each<[string, EngineCode, string]>([
    ["", "INVALID_INPUT", "pattern must not be empty"],
    ["(", "INVALID_PATTERN", "unclosed group"],
    ["[a", "INVALID_PATTERN", "unclosed character class"],
    ["(a)\\1", "INVALID_PATTERN", "not supported"],
    ["a(?=b)", "INVALID_PATTERN", "not supported"],
    ["a\nb", "INVALID_PATTERN", "multiline"],
    ["\ud800", "INVALID_PATTERN", "surrogate"],
    ["x".repeat(70_000), "INVALID_PATTERN", "too long"],
  ])("refused: %p", async (pattern, code, words) => {
    using workspace = new Workspace({ f: "x" });
    const error = await failure(() => search(workspace, { pattern }));
    expect(error.code).toBe(code);
    expect(error.message).toContain(words);
    expect(await outcome(() => search(workspace, { pattern }, "f"))).toBe(code);
  });

  test("a pattern made to explode answers, and others are served meanwhile", async () => {
    using workspace = new Workspace({ f: `${"a".repeat(50_000)}!\n`.repeat(20) });
    let slices = 0;
    const timer = setInterval(() => (slices += 1), 1);
    expect(await found(workspace, { pattern: "^(a+)+$" })).toEqual([]);
    clearInterval(timer);
    expect(slices).toBeGreaterThan(0);
  });

  test("a bad include is a bad glob", async () => {
    using workspace = new Workspace();
    expect(await outcome(() => search(workspace, { pattern: "x", include: "[a" }))).toBe("INVALID_GLOB");
  });
});

describe("links", () => {
  test("that come and go after a first search are seen", async () => {
    using workspace = new Workspace({ "a/x": "needle", "b/c/y": "needle" });
    const found = async () => text(await search(workspace, { pattern: "needle", mode: "files_with_matches" })).sort();
    await Bun.sleep(2000); // longer than a folder counts as changing
    for (let i = 0; i < 2; i++) expect(await found()).toEqual(["a/x", "b/c/y"]);
    fs.symlinkSync("../a/x", path.join(workspace.root, "b/to-x"));
    for (let i = 0; i < 2; i++) expect(await found()).toEqual(["a/x", "b/c/y", "b/to-x"]);
    fs.unlinkSync(path.join(workspace.root, "b/to-x"));
    fs.renameSync(path.join(workspace.root, "b/c"), path.join(workspace.root, "d"));
    fs.symlinkSync("../d", path.join(workspace.root, "b/c"));
    for (let i = 0; i < 2; i++) expect(await found()).toEqual(["a/x", "d/y"]);
  });

  test("directories inside are followed once, files are searched, ways out are not", async () => {
    using workspace = new Workspace({
      "real/x": "hit",
      "to-real": link("real"),
      "to-x": link("real/x"),
      "to-out": link("../outside"),
      "to-secret": link("../outside/secret.txt"),
      "to-self": link("."),
      "to-up": link(".."),
      dangling: link("none"),
      "node_modules/pkg/y": "hit",
      "to-pkg": link("node_modules/pkg"),
      "real/loop": link("../real"),
    });
    for (const mode of ["content", "count"] as const) {
      for (const limit of [0, 50]) {
        const lines = await found(workspace, { pattern: "hit|secret", mode, limit });
        expect(lines.filter((line) => line !== "--").map((line) => line.split(":")[0])).toEqual([
          "real/x",
          "to-pkg/y",
          "to-x",
        ]);
      }
    }
    const files = await found(workspace, { pattern: "hit|secret", mode: "files_with_matches" });
    expect(files.sort()).toEqual(["real/x", "to-pkg/y", "to-x"]);
  });

  test("nested links in a linked directory", async () => {
    using workspace = new Workspace({
      "search/in": link("../one"),
      "one/a": "hit",
      "one/two": link("../two"),
      "two/b": "hit",
      "two/back": link("../one"),
      "two/home": link("../search"),
    });
    expect(await found(workspace, { pattern: "hit", mode: "count" }, "search")).toEqual(["in/a:1", "in/two/b:1"]);
  });

  test("a link whose target does not match is not shown", async () => {
    using workspace = new Workspace({ "d/other": "nothing", alias: link("d/other") });
    expect(await found(workspace, { pattern: "hit", mode: "files_with_matches" })).toEqual([]);
  });
});

describe("policy", () => {
  test("denied and ignored entries are skipped without a word", async () => {
    const files = {
      ".env": "hit",
      "a/.env": "hit",
      "secret/x": "hit",
      "a/b": "hit",
      "x.log": "hit",
      "to-env": link(".env"),
      "logs/y": "hit",
    };
    using workspace = new Workspace(files, { deny: ["**/.env", "secret"], ignore: ["*.log", "logs"] });
    for (const mode of ["content", "count", "files_with_matches"] as const) {
      expect((await found(workspace, { pattern: "hit", mode })).map((line) => line.split(":")[0])).toEqual(["a/b"]);
    }
  });

  test.each<[string, EngineCode]>([
    ["..", "OUTSIDE_SCOPE"],
    ["/etc", "OUTSIDE_SCOPE"],
    ["secret", "PATH_DENIED"],
    ["none", "NOT_FOUND"],
  ])("the search directory %s is an error", async (name, code) => {
    using workspace = new Workspace({ "secret/x": "hit" }, { deny: ["secret"] });
    expect(await outcome(() => search(workspace, { pattern: "hit" }, name))).toBe(code);
  });
});

describe("limits", () => {
  test("the text is capped, and says where to go on", async () => {
    using workspace = new Workspace({ f: Array.from({ length: 2000 }, (_, i) => `hit number ${i}`).join("\n") });
    const first = await search(workspace, { pattern: "hit", maxChars: 1000 });
    expect([first.more, first.cutByChars]).toEqual([true, true]);
    const shown = text(first);
    expect(shown.join("\n").length).toBeLessThanOrEqual(1000);
    const second = await search(workspace, { pattern: "hit", maxChars: 1000, offset: first.nextOffset ?? -1 });
    expect(text(second)[0]).toBe(`f:${shown.length + 1}:hit number ${shown.length}`);
  });

  test("a limit that is met exactly is not more", async () => {
    using workspace = new Workspace({ f: "hit\nhit\n" });
    expect((await search(workspace, { pattern: "hit", limit: 2 })).more).toBe(false);
    expect((await search(workspace, { pattern: "hit", limit: 1 })).more).toBe(true);
  });

  test("cancelled, it says so", async () => {
    using workspace = new Workspace({ f: "hit\n" });
    expect((await search(workspace, { pattern: "hit", signal: AbortSignal.abort() })).ended).toBe("cancelled");
  });

  test("out of time, it says so and shows what it has", async () => {
    using workspace = new Workspace({ f: "hit\n" });
    const result = await search(workspace, { pattern: "hit", timeoutMs: 0 });
    expect(result.ended).toBe("timeout");
  });

  test("a limit in a large tree stops the walk", async () => {
    const files = Object.fromEntries(Array.from({ length: 1000 }, (_, i) => [`d${i % 10}/f${i}`, "hit\n"]));
    using workspace = new Workspace(files);
    expect((await found(workspace, { pattern: "hit", limit: 3 })).length).toBe(3);
    expect((await found(workspace, { pattern: "hit", mode: "count", limit: 3 })).length).toBe(3);
    expect((await found(workspace, { pattern: "hit", mode: "count", maxChars: MIB })).length).toBe(1000);
  });

  test("nothing stays open, also when a page is full early", async () => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`many/f${i}`, "hit\nhit\n"]));
    using workspace = new Workspace({
      ...many,
      "a/b": "hit",
      l: link("a"),
      m: link("a/b"),
      d: directory,
      "n/o": link("../node_modules/x"),
      "node_modules/x/y": "hit",
    });
    await found(workspace, { pattern: "hit" });
    const before = openDescriptors(workspace);
    for (const mode of ["content", "count", "files_with_matches"] as const) {
      await found(workspace, { pattern: "hit", mode });
      await found(workspace, { pattern: "hit", mode, limit: 1 });
      await found(workspace, { pattern: "hit", mode, limit: 30 });
      await outcome(() => search(workspace, { pattern: "(", mode }));
      await search(workspace, { pattern: "hit", mode, signal: AbortSignal.abort() });
    }
    expect(openDescriptors(workspace)).toBe(before);
  });

  test("another ripgrep can be named; one that is not there is a failure to start", async () => {
    using workspace = new Workspace({ f: "hit" });
    expect(await outcome(() => search(workspace, { pattern: "hit", ripgrep: path.join(workspace.base, "none") }))).toBe(
      "START_FAILED",
    );
  });
});

test.each([
  [".config/git/ignore", "x\n", undefined],
  [".gitconfig", "[core]\n\texcludesfile = ~/mine\n", "x\n"],
])("the user's global excludes hold: %s", async (file, text, mine) => {
  using workspace = new Workspace({ x: "hit", y: "hit" });
  const at = path.join(workspace.outside, file);
  fs.mkdirSync(path.dirname(at), { recursive: true });
  fs.writeFileSync(at, text);
  if (mine !== undefined) fs.writeFileSync(path.join(workspace.outside, "mine"), mine);
  process.env["HOME"] = workspace.outside;
  try {
    expect(await found(workspace, { pattern: "hit", mode: "count" })).toEqual(["y:1"]);
  } finally {
    process.env["HOME"] = "/nonexistent";
  }
});
