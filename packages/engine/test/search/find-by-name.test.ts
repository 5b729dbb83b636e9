import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { glob } from "../../src/index.ts";
import type { EngineCode, GlobRequest, GlobResult } from "../../src/index.ts";
import { Workspace, directory, link, openDescriptors, outcome } from "../workspace.ts";

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

async function search(
  workspace: Workspace,
  pattern: string,
  options: Partial<GlobRequest> = {},
  name = ".",
): Promise<GlobResult> {
  using place = workspace.resolve(name);
  return await glob(place, { pattern, maxResults: 1000, timeoutMs: 30_000, ...options });
}

const sorted = async (...args: Parameters<typeof search>) => [...(await search(...args)).paths].sort();

const tree = {
  "main.go": "x",
  "src/a.go": "x",
  "src/deep/b.go": "x",
  "src/deep/c.ts": "x",
  ".hidden/d.go": "x",
  ".env": "x",
  "node_modules/e.go": "x",
  ".git/f.go": "x",
  empty: directory,
  "to-file": link("src/a.go"),
  "to-dir": link("src"),
  "to-out": link("../outside/secret.txt"),
  broken: link("none"),
};

describe("patterns", () => {
  test.each<[string, string, Partial<GlobRequest>, string[]]>([
    ["a base name at any depth", "*.go", {}, [".hidden/d.go", "main.go", "src/a.go", "src/deep/b.go"]],
    ["two stars", "**/*.ts", {}, ["src/deep/c.ts"]],
    ["a fixed directory", "src/*.go", {}, ["src/a.go"]],
    ["a fixed path", "src/deep/c.ts", {}, ["src/deep/c.ts"]],
    ["everything below a directory", "src/deep/**", {}, ["src/deep", "src/deep/b.go", "src/deep/c.ts"]],
    ["dotfiles match", ".*", {}, [".env", ".hidden"]],
    ["braces", "*.{ts,env}", {}, [".env", "src/deep/c.ts"]],
    ["a class", "[ab].go", {}, ["src/a.go", "src/deep/b.go"]],
    ["a negated class", "src/**/[!a].go", {}, ["src/deep/b.go"]],
    ["a question mark", "?.go", {}, [".hidden/d.go", "src/a.go", "src/deep/b.go"]],
    ["directories are listed", "*e*", {}, [".env", ".hidden", "empty", "src/deep", "to-file"]],
    ["files only", "*e*", { type: "file" }, [".env", "to-file"]],
    ["directories only", "*e*", { type: "directory" }, [".hidden", "empty", "src/deep"]],
    ["links to files inside; no others", "{to-*,broken}", {}, ["to-file"]],
    ["./ in front", "./src/*.go", {}, ["src/a.go"]],
    ["nothing there", "*.rs", {}, []],
    ["a name that is an option (S10)", "--help", {}, []],
  ])("%s", async (_, pattern, options, expected) => {
    using workspace = new Workspace(tree);
    expect(await sorted(workspace, pattern, options)).toEqual(expected);
  });

  test("an absolute pattern under the directory", async () => {
    using workspace = new Workspace(tree);
    expect(await sorted(workspace, `${workspace.root}/src/*.go`)).toEqual(["src/a.go"]);
    expect(await sorted(workspace, "/etc/*")).toEqual([]);
  });

  test.each<[string, EngineCode]>([
    ["", "INVALID_INPUT"],
    ["[a", "INVALID_GLOB"],
    ["{a", "INVALID_GLOB"],
    ["./", "INVALID_GLOB"],
  ])("refused: %p", async (pattern, code) => {
    using workspace = new Workspace(tree);
    expect(await outcome(() => search(workspace, pattern))).toBe(code);
  });
});

test("newest first, by nanoseconds, then by path", async () => {
  using workspace = new Workspace({ a: "x", b: "x", c: "x", d: "x" });
  fs.utimesSync(workspace.at("a"), 1000, 1000.000001);
  fs.utimesSync(workspace.at("b"), 1000, 1000.000002);
  fs.utimesSync(workspace.at("c"), 1000, 2000);
  fs.utimesSync(workspace.at("d"), 1000, 1000.000001);
  expect((await search(workspace, "*")).paths).toEqual(["c", "b", "a", "d"]);
  const newest = await search(workspace, "*", { maxResults: 2 });
  expect([newest.paths, newest.total]).toEqual([["c", "b"], 4]);
});

test.each<[string, string]>([
  ["a missing directory", "none"],
  ["a file", "main.go"],
])("%s holds nothing", async (_, name) => {
  using workspace = new Workspace(tree);
  expect((await search(workspace, "*", {}, name)).paths).toEqual([]);
});

test.each<[string, Record<string, string>, string, string[]]>([
  ["ignored files", { ".gitignore": "*.log\n", "a.log": "", b: "" }, "*", [".gitignore", "b"]],
  [
    "a directory and what is in it",
    { ".gitignore": "out/\n", "out/x": "", "d/out": "" },
    "**",
    [".gitignore", "d", "d/out"],
  ],
  ["brought back", { ".gitignore": "*.log\n!keep.log\n", "a.log": "", "keep.log": "" }, "*.log", ["keep.log"]],
  [
    "inside, but not the directory itself",
    { ".gitignore": "d/**\n!d/keep\n", "d/x": "", "d/keep": "" },
    "d/*",
    ["d/keep"],
  ],
  ["a child's rules", { "d/.gitignore": "x\n", "d/x": "", x: "" }, "x", ["x"]],
  ["an escaped mark", { ".gitignore": "\\#x\n\\!y\n", "#x": "", "!y": "", z: "" }, "?*", [".gitignore", "z"]],
  ["comments, blanks and CRLF", { ".gitignore": "# no\r\n\r\n x\r\nx  \r\n", x: "", y: "" }, "[xy]", ["y"]],
  ["braces are characters", { ".gitignore": "{a,b}\n", a: "", "{a,b}": "" }, "*", [".gitignore", "a"]],
  ["a rule that does not parse matches nothing", { ".gitignore": "[\nx\n", "[": "", x: "" }, "*", [".gitignore", "["]],
  ["a middle slash anchors", { ".gitignore": "a/b\n", "a/b": "", "c/a/b": "" }, "**/b", ["c/a/b"]],
  [
    "a repository inside has its own",
    { ".gitignore": "x\n", "repo/.git/HEAD": "", "repo/x": "", x: "" },
    "x",
    ["repo/x"],
  ],
])("gitignore: %s", async (_, files, pattern, expected) => {
  using workspace = new Workspace(files);
  expect(await sorted(workspace, pattern)).toEqual(expected);
});

// A repository is somebody else's, its rules included. The time limit is not what ends these.
test.each<[string, string]>([
  ["patterns that nearly match everywhere", `*${"a".repeat(100)}b*\n`.repeat(2400)],
  ["many patterns of two stars", "*a*a*b\n".repeat(30_000)],
  ["more than rules ever are", "x\n".repeat(600_000)],
])("hostile rules are given up, and that is said: %s", async (_, rules) => {
  const names = Array.from({ length: 3000 }, (__, i) => `${"a".repeat(200)}${i}`);
  const files = Object.fromEntries(names.map((name) => [name, ""]));
  using workspace = new Workspace({ ...files, ".gitignore": rules });
  const found = await search(workspace, "*", { timeoutMs: 600_000 });
  expect(found).toMatchObject({ total: names.length + 1, ended: undefined, rulesGivenUp: true });
});

test("a great many plain rules hold", async () => {
  const rules = Array.from({ length: 20_000 }, (_, i) => `n${i}`).join("\n");
  using workspace = new Workspace({
    ".gitignore": `${rules}\n!n7\nd/n8x\ne/`,
    n5: "",
    n7: "",
    "d/n8x": "",
    "d/e": "",
    "e/f": "",
  });
  const found = await search(workspace, "*", { type: "file" });
  expect([...found.paths].sort()).toEqual([".gitignore", "d/e", "n7"]);
  expect(found.rulesGivenUp).toBe(false);
});

test("rules above hold up to the repository's root", async () => {
  using workspace = new Workspace({
    ".gitignore": "y\n",
    "repo/.git/HEAD": "",
    "repo/.gitignore": "/sub/x\n",
    "repo/sub/x": "",
    "repo/sub/y": "",
  });
  expect(await sorted(workspace, "*", {}, "repo/sub")).toEqual(["y"]);
});

test("denied and ignored entries are not there", async () => {
  using workspace = new Workspace(
    { ".env": "", "secret/x": "", "a/b": "", "c.log": "" },
    { deny: ["**/.env", "secret"], ignore: ["*.log"] },
  );
  expect(await sorted(workspace, "**")).toEqual(["a", "a/b"]);
});

test("cancelled, it says so", async () => {
  using workspace = new Workspace(tree);
  expect((await search(workspace, "*", { signal: AbortSignal.abort() })).ended).toBe("cancelled");
});

test("nothing stays open, and others get their turn", async () => {
  // More than any machine looks at in one slice; names of one file are made in no time.
  const files = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`d${i}/e/f${i}`, ""]));
  using workspace = new Workspace(files);
  for (let i = 50; i < 8000; i += 1) fs.linkSync(workspace.at("d0/e/f0"), workspace.at(`d${i % 50}/e/f${i}`));
  const before = openDescriptors(workspace);
  let slices = 0;
  const timer = setInterval(() => (slices += 1), 1);
  expect((await search(workspace, "**/f*", { maxResults: 10_000 })).total).toBe(8000);
  clearInterval(timer);
  expect(slices).toBeGreaterThan(0);
  expect(openDescriptors(workspace)).toBe(before);
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
    expect(await sorted(workspace, "*")).toEqual(["y"]);
  } finally {
    process.env["HOME"] = "/nonexistent";
  }
});
