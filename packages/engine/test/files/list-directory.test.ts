import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import { drawTree, listEntries, listTree } from "../../src/index.ts";
import type { EngineCode, TreeOptions } from "../../src/index.ts";
import { Workspace, directory, link, outcome } from "../workspace.ts";

const D11: TreeOptions = { depth: 2, maxEntries: 1000, hidden: [".git", "node_modules"] };

async function draw(workspace: Workspace, name = ".", options: Partial<TreeOptions> = {}): Promise<string> {
  using place = workspace.resolve(name);
  return drawTree("w", await listTree(place, { ...D11, ...options }));
}

async function list(workspace: Workspace, options: { recursive?: boolean; maxEntries?: number } = {}, name = ".") {
  using place = workspace.resolve(name);
  return await listEntries(place, { recursive: false, maxEntries: 500, ...options });
}

describe("a tree of two levels", () => {
  test("dotfiles, links, directories and byte order", async () => {
    using workspace = new Workspace({
      "b/deep/er": "x",
      "b/x.txt": "x",
      ".env": "x",
      ".github/w.yml": "x",
      "B.txt": "x",
      "a.txt": "x",
      empty: directory,
      "to-b": link("b"),
      "to-nowhere": link("../none"),
      "node_modules/m": "x",
      ".git/config": "x",
      "b/node_modules/m": "x",
      "b/.git": "x",
      é: "x",
    });
    expect(await draw(workspace)).toBe(
      [
        "w/",
        "├── .env",
        "├── .github/",
        "│   └── w.yml",
        "├── B.txt",
        "├── a.txt",
        "├── b/",
        "│   ├── deep/",
        "│   └── x.txt",
        "├── empty/",
        "├── to-b -> b",
        "├── to-nowhere -> ../none",
        "└── é",
        "",
      ].join("\n"),
    );
  });

  test("an empty directory", async () => {
    using workspace = new Workspace();
    expect(await draw(workspace)).toBe("w/\n");
  });

  test("the cap leaves out what is deepest, and says how much", async () => {
    using workspace = new Workspace({ "a/1": "x", "a/2": "x", "a/3": "x", b: "x", "c/4": "x" });
    expect(await draw(workspace, ".", { maxEntries: 5 })).toBe(
      [
        "w/",
        "├── a/",
        "│   ├── 1",
        "│   └── 2",
        "├── b",
        "└── c/",
        "",
        "[Truncated: 2 more entries not shown]",
        "",
      ].join("\n"),
    );
  });

  test("denied and ignored entries are not there, nor links that name them", async () => {
    const files = { ".env": "x", "a/.env": "x", "a/b": "x", "to-env": link("a/.env"), "x.log": "x" };
    using workspace = new Workspace(files, { deny: ["**/.env"], ignore: ["*.log"] });
    expect(await draw(workspace)).toBe("w/\n└── a/\n    └── b\n");
  });
});

describe("entries below a directory (S2)", () => {
  const files = { "b/z": "12345", "b/a/q": "1", "a.txt": "12", "to-b": link("b"), "b.txt": "" };

  test("depth-first, in byte order, links not entered", async () => {
    using workspace = new Workspace(files);
    expect(await list(workspace, { recursive: true })).toEqual({
      entries: [
        { path: "a.txt", type: "file", size: 2 },
        { path: "b", type: "dir", size: 0 },
        { path: "b/a", type: "dir", size: 0 },
        { path: "b/a/q", type: "file", size: 1 },
        { path: "b/z", type: "file", size: 5 },
        { path: "b.txt", type: "file", size: 0 },
        { path: "to-b", type: "symlink", size: 1 },
      ],
      truncated: false,
      unreadable: [],
    });
  });

  test("not recursive", async () => {
    using workspace = new Workspace(files);
    expect((await list(workspace)).entries.map(({ path }) => path)).toEqual(["a.txt", "b", "b.txt", "to-b"]);
  });

  test.each([
    [4, 4, false],
    [3, 3, true],
    [1, 1, true],
    [5, 4, false],
  ])("at most %i: %i shown, truncated %p", async (maxEntries, shown, truncated) => {
    using workspace = new Workspace(files);
    const listing = await list(workspace, { maxEntries });
    expect([listing.entries.length, listing.truncated]).toEqual([shown, truncated]);
  });

  test("truncated inside a directory", async () => {
    using workspace = new Workspace(files);
    const listing = await list(workspace, { recursive: true, maxEntries: 3 });
    expect([listing.entries.at(-1)?.path, listing.truncated]).toEqual(["b/a", true]);
  });

  test("a FIFO is listed as a file and never opened", async () => {
    using workspace = new Workspace();
    expect(Bun.spawnSync(["mkfifo", workspace.at("fifo")]).exitCode).toBe(0);
    expect((await list(workspace)).entries).toEqual([{ path: "fifo", type: "file", size: 0 }]);
  });

  test("denied entries are not there", async () => {
    using workspace = new Workspace({ "a/.env": "x", "secret/x": "x", b: "x" }, { deny: ["**/.env", "secret"] });
    expect((await list(workspace, { recursive: true })).entries.map(({ path }) => path)).toEqual(["a", "b"]);
  });

  test.each<[string, string, EngineCode]>([
    ["a file", "a.txt", "NOT_DIRECTORY"],
    ["nothing", "none", "NOT_FOUND"],
    ["outside", "..", "OUTSIDE_SCOPE"],
  ])("%s is no directory to list", async (_, name, code) => {
    using workspace = new Workspace(files);
    expect(await outcome(() => list(workspace, {}, name))).toBe(code);
    expect(await outcome(() => draw(workspace, name))).toBe(code);
  });
});

test("astral names come after the rest of the plane, as bytes do", async () => {
  using workspace = new Workspace({ "\u{1f600}": "x", "\ufb01": "x", z: "x" });
  expect((await list(workspace)).entries.map(({ path }) => path)).toEqual(["z", "\ufb01", "\u{1f600}"]);
});

test("thousands of entries: others get their turn", async () => {
  using workspace = new Workspace();
  // More than any machine looks at in one slice; names of one file are made in no time.
  fs.writeFileSync(workspace.at("f0"), "");
  for (let i = 1; i < 6000; i += 1) fs.linkSync(workspace.at("f0"), workspace.at(`f${i}`));
  let slices = 0;
  const timer = setInterval(() => (slices += 1), 1);
  const listing = await list(workspace, { maxEntries: 6000 });
  clearInterval(timer);
  expect(listing.entries.length).toBe(6000);
  expect(slices).toBeGreaterThan(0);
});
