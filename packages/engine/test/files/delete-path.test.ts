import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { deletePath, makeDirectory } from "../../src/index.ts";
import type { EngineCode } from "../../src/index.ts";
import { openRealDirectory } from "../../src/scope/directory.ts";
import { Workspace, directory, link, openDescriptors, outcome } from "../workspace.ts";

async function remove(workspace: Workspace, name: string, recursive = false, signal?: AbortSignal) {
  using place = workspace.resolve(name, { follow: false, writing: true });
  return await deletePath(place, { recursive, ...(signal === undefined ? {} : { signal }) });
}

const content = {
  file: "x",
  empty: directory,
  "full/a/b/c": "x",
  "full/link-out": link("../../outside"),
  "full/dangling": link("none"),
  alias: link("file"),
  "dir-alias": link("full"),
  out: link("../outside"),
};

describe("deleting", () => {
  test.each<[string, string, boolean, "file" | "directory"]>([
    ["a file", "file", false, "file"],
    ["an empty directory", "empty", false, "directory"],
    ["an empty directory, with a slash", "empty/", false, "directory"],
    ["a tree", "full", true, "directory"],
    ["a link, not its target", "alias", false, "file"],
    ["a link to a directory, not the directory", "dir-alias", true, "file"],
    ["a link out, not what is there", "out", true, "file"],
    ["a dangling link", "full/dangling", false, "file"],
  ])("%s", async (_, name, recursive, deleted) => {
    using workspace = new Workspace(content);
    expect(await remove(workspace, name, recursive)).toEqual({ deleted });
    expect(fs.lstatSync(workspace.at(name.replace(/\/$/, "")), { throwIfNoEntry: false })).toBeUndefined();
    expect(fs.readdirSync(workspace.outside)).toEqual(["secret.txt"]);
    if (name === "dir-alias") expect(workspace.read("full/a/b/c")).toBe("x");
  });

  test.each<[string, string, boolean, EngineCode]>([
    ["what does not exist", "none", false, "NOT_FOUND"],
    ["a directory with something in it", "full", false, "DIRECTORY_NOT_EMPTY"],
    ["the root", ".", true, "INVALID_PATH"],
    ["the root by another way", "full/..", true, "INVALID_PATH"],
    ["what is outside", "../outside/secret.txt", false, "OUTSIDE_SCOPE"],
    ["through a link out", "out/secret.txt", false, "OUTSIDE_SCOPE"],
  ])("refused: %s", async (_, name, recursive, code) => {
    using workspace = new Workspace(content);
    const before = fs.readdirSync(workspace.base, { recursive: true }).length;
    expect(await outcome(() => remove(workspace, name, recursive))).toBe(code);
    expect(fs.readdirSync(workspace.base, { recursive: true }).length).toBe(before);
  });

  test("a FIFO and a name that is not UTF-8 go too", async () => {
    using workspace = new Workspace({ d: directory });
    expect(Bun.spawnSync(["mkfifo", workspace.at("d/fifo")]).exitCode).toBe(0);
    fs.writeFileSync(Buffer.concat([Buffer.from(workspace.at("d/")), Buffer.from([0xff, 0xfe])]), "x");
    fs.mkdirSync(Buffer.concat([Buffer.from(workspace.at("d/sub")), Buffer.from([0xff])]));
    await remove(workspace, "d", true);
    expect(fs.readdirSync(workspace.root)).toEqual([]);
  });

  test("a tree deeper than descriptors would reach", async () => {
    using workspace = new Workspace({ d: directory });
    // One step at a time: the whole path is longer than any call takes.
    let at = openRealDirectory(workspace.at("d"), "descriptors");
    for (let i = 0; i < 300; i += 1) {
      using outer = at;
      fs.writeFileSync(outer.at("f"), "x");
      fs.mkdirSync(outer.at("directory-with-a-long-name"));
      at = outer.enter("directory-with-a-long-name");
    }
    at[Symbol.dispose]();
    const before = openDescriptors(workspace);
    await remove(workspace, "d", true);
    expect(fs.readdirSync(workspace.root)).toEqual([]);
    expect(openDescriptors(workspace)).toBe(before);
  });

  test("a tree that holds what is denied or read-only stays whole", async () => {
    using workspace = new Workspace(
      { "a/b/.env": "x", "a/c": "x", "d/e": "x" },
      { deny: ["**/.env"], readOnly: ["d/e"] },
    );
    expect(await outcome(() => remove(workspace, "a", true))).toBe("PATH_DENIED");
    expect(await outcome(() => remove(workspace, "d", true))).toBe("READ_ONLY");
    expect([workspace.read("a/c"), workspace.read("d/e")]).toEqual(["x", "x"]);
  });

  test("cancelling stops it", async () => {
    using workspace = new Workspace(content);
    expect(await outcome(() => remove(workspace, "full", true, AbortSignal.abort()))).toBe("CANCELLED");
  });
});

describe("making directories", () => {
  const make = (workspace: Workspace, name: string, recursive = true) => {
    using place = workspace.resolve(name, { writing: true });
    return makeDirectory(place, { recursive });
  };

  test.each<[string, string, boolean, boolean]>([
    ["one", "new", false, true],
    ["with its parents", "a/b/c", true, true],
    ["with a slash", "new/", false, true],
    ["one that exists", "empty", false, false],
    ["one that exists behind a link", "dir-alias", true, false],
    ["the root", ".", true, false],
    ["below a linked directory", "dir-alias/new", false, true],
  ])("%s", (_, name, recursive, created) => {
    using workspace = new Workspace(content);
    expect(make(workspace, name, recursive)).toEqual({ created });
    expect(fs.statSync(workspace.at(name)).isDirectory()).toBe(true);
  });

  test.each<[string, string, boolean, EngineCode]>([
    ["a file that exists", "file", true, "ALREADY_EXISTS"],
    ["below a file", "file/x", true, "NOT_DIRECTORY"],
    ["without its parent", "a/b", false, "NOT_FOUND"],
    ["outside", "../outside/new", true, "OUTSIDE_SCOPE"],
    ["through a link out", "out/new", true, "OUTSIDE_SCOPE"],
  ])("refused: %s", async (_, name, recursive, code) => {
    using workspace = new Workspace(content);
    expect(await outcome(() => make(workspace, name, recursive))).toBe(code);
    expect(fs.existsSync(path.join(workspace.outside, "new"))).toBe(false);
  });
});
