import { describe, expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { closeScope, deletePath, movePath, openScope, resolveInScope } from "../../src/index.ts";
import type { EngineCode } from "../../src/index.ts";
import { Workspace, directory, link, outcome } from "../workspace.ts";

async function move(workspace: Workspace, from: string, to: string, overwrite = false) {
  using source = workspace.resolve(from, { follow: false, writing: true });
  using target = workspace.resolve(to, { follow: false, writing: true });
  return await movePath(source, target, { overwrite });
}

const content = {
  file: "file",
  other: "other",
  "dir/inner": "inner",
  "full/x": "x",
  empty: directory,
  alias: link("file"),
  out: link("../outside/secret.txt"),
  dangling: link("none"),
};

describe("moves", () => {
  test.each<[string, string, string, boolean, boolean]>([
    ["a file", "file", "new", false, false],
    ["a file, making parents", "file", "a/b/new", false, false],
    ["a file over a file", "file", "other", true, true],
    ["a file over an empty directory", "file", "empty", true, true],
    ["a directory", "dir", "moved", false, false],
    ["a directory over an empty one", "dir", "empty", true, true],
    ["a directory over a file", "dir", "other", true, true],
    ["a directory, with a slash", "dir/", "moved/", false, false],
    ["a file over a link: the link is replaced, its target is not", "file", "out", true, true],
    ["a name with a dash (S10)", "file", "--help", false, false],
  ])("%s", async (_, from, to, overwrite, overwritten) => {
    using workspace = new Workspace(content);
    const isDirectory = fs.statSync(workspace.at(from)).isDirectory();
    expect(await move(workspace, from, to, overwrite)).toEqual({ overwritten });
    expect(fs.existsSync(workspace.at(from))).toBe(false);
    expect(workspace.read(isDirectory ? path.join(to, "inner") : to)).toBe(isDirectory ? "inner" : "file");
    expect(fs.lstatSync(workspace.at(to)).isSymbolicLink()).toBe(false);
    expect(fs.readFileSync(path.join(workspace.outside, "secret.txt"), "utf8")).toBe("secret\n");
  });

  test.each(["alias", "out", "dangling"])("the link %s moves as a link", async (name) => {
    using workspace = new Workspace(content);
    const text = fs.readlinkSync(workspace.at(name));
    await move(workspace, name, "moved");
    expect(fs.readlinkSync(workspace.at("moved"))).toBe(text);
    expect(workspace.read("file")).toBe("file");
  });

  test("onto itself changes nothing", async () => {
    using workspace = new Workspace(content);
    expect(await move(workspace, "file", "./file")).toEqual({ overwritten: false });
    expect(workspace.read("file")).toBe("file");
  });

  test("over another name of the same file leaves one name", async () => {
    using workspace = new Workspace(content);
    fs.linkSync(workspace.at("file"), workspace.at("twin"));
    expect(await move(workspace, "file", "twin", true)).toEqual({ overwritten: true });
    expect([fs.existsSync(workspace.at("file")), workspace.read("twin")]).toEqual([false, "file"]);
  });
});

describe("refused", () => {
  test.each<[string, string, string, boolean, EngineCode]>([
    ["what does not exist", "none", "new", false, "NOT_FOUND"],
    ["an existing file", "file", "other", false, "ALREADY_EXISTS"],
    ["an existing directory is no place to move into", "file", "dir", false, "ALREADY_EXISTS"],
    ["a dangling link exists", "file", "dangling", false, "ALREADY_EXISTS"],
    ["over a directory with something in it", "file", "full", true, "DIRECTORY_NOT_EMPTY"],
    ["a directory over one with something in it", "dir", "full", true, "DIRECTORY_NOT_EMPTY"],
    ["into itself", "dir", "dir/deeper", false, "INVALID_PATH"],
    ["the root", ".", "new", false, "INVALID_PATH"],
    ["onto the root", "file", ".", true, "INVALID_PATH"],
    ["out", "file", "../outside/new", false, "OUTSIDE_SCOPE"],
    ["from outside", "../outside/secret.txt", "new", false, "OUTSIDE_SCOPE"],
    ["below a file", "file", "other/new", false, "NOT_DIRECTORY"],
    ["a file to a name with a slash", "file", "new/", false, "NOT_DIRECTORY"],
  ])("%s", async (_, from, to, overwrite, code) => {
    using workspace = new Workspace(content);
    const before = fs.readdirSync(workspace.base, { recursive: true }).sort();
    expect(await outcome(() => move(workspace, from, to, overwrite))).toBe(code);
    expect(fs.readdirSync(workspace.base, { recursive: true }).sort()).toEqual(before);
  });
});

test("without overwrite, of many movers to one name exactly one wins", async () => {
  const names = Array.from({ length: 30 }, (_, i) => `f${i}`);
  using workspace = new Workspace(Object.fromEntries(names.map((name) => [name, name])));
  const codes = await Promise.all(names.map((name) => outcome(() => move(workspace, name, "target"))));
  expect(codes.filter((code) => code === "ok").length).toBe(1);
  expect(codes.filter((code) => code === "ALREADY_EXISTS").length).toBe(29);
  expect(fs.readdirSync(workspace.root).length).toBe(30);
});

test("a directory that holds another root stays", async () => {
  using workspace = new Workspace({ "a/b/f": "x" });
  const scope = openScope({ workdir: workspace.root, roots: [workspace.root, workspace.at("a/b")] });
  using from = resolveInScope(scope, "a", { follow: false });
  using to = resolveInScope(scope, "z", { follow: false });
  expect(await outcome(() => movePath(from, to, { overwrite: false }))).toBe("INVALID_PATH");
  closeScope(scope);
});

test("nor does a directory that is a root of another scope", async () => {
  using workspace = new Workspace({ "a/b/f": "x", "c/f": "x" });
  const scope = openScope({ workdir: workspace.root, roots: [workspace.root], kept: [workspace.at("a/b")] });
  for (const name of ["a", "a/b"]) {
    using from = resolveInScope(scope, name, { follow: false });
    using to = resolveInScope(scope, "z", { follow: false });
    using other = resolveInScope(scope, "c", { follow: false });
    expect(await outcome(() => movePath(from, to, { overwrite: false }))).toBe("INVALID_PATH");
    expect(await outcome(() => movePath(other, from, { overwrite: true }))).toBe("INVALID_PATH");
    expect(await outcome(() => deletePath(from, { recursive: true }))).toBe("INVALID_PATH");
  }
  expect(workspace.read("a/b/f")).toBe("x");
  closeScope(scope);
});

test("a tree that holds what is denied or read-only does not move: the pattern would lose it", async () => {
  using workspace = new Workspace({ "a/b/key": "x", "c/d/e": "x" }, { deny: ["a/b/key"], readOnly: ["c/d/e"] });
  expect(await outcome(() => move(workspace, "a", "z"))).toBe("PATH_DENIED");
  expect(await outcome(() => move(workspace, "c", "z"))).toBe("READ_ONLY");
});

const otherDevice = [os.tmpdir(), "/dev/shm", "/run"].find(
  (at) => fs.existsSync(at) && fs.statSync(at).dev !== fs.statSync(os.tmpdir()).dev && isWritable(at),
);

// Needs a second file system that can be written to; without one there is nothing to test.
describe.skipIf(otherDevice === undefined)("between devices", () => {
  test.each([
    ["a file", "file"],
    ["a tree", "dir"],
    ["a link", "alias"],
  ])("%s is copied, then goes", async (_, name) => {
    using workspace = new Workspace({
      file: "file",
      "dir/deep/inner": "inner",
      "dir/link": link("deep"),
      alias: link("file"),
    });
    fs.chmodSync(workspace.at("file"), 0o6640);
    fs.chmodSync(workspace.at("dir/deep"), 0o2775);
    const far = fs.realpathSync(fs.mkdtempSync(path.join(otherDevice ?? "", "bosun-engine-")));
    const scope = openScope({ workdir: workspace.root, roots: [workspace.root, far] });
    try {
      using from = resolveInScope(scope, name, { follow: false });
      using to = resolveInScope(scope, path.join(far, "sub", name), { follow: false });
      expect(await movePath(from, to, { overwrite: false })).toEqual({ overwritten: false });
      const at = path.join(far, "sub", name);
      expect(fs.lstatSync(workspace.at(name), { throwIfNoEntry: false })).toBeUndefined();
      if (name === "file")
        expect([fs.readFileSync(at, "utf8"), fs.statSync(at).mode & 0o7777]).toEqual(["file", 0o640]);
      if (name === "alias") expect(fs.readlinkSync(at)).toBe("file");
      if (name === "dir")
        expect([fs.readFileSync(`${at}/deep/inner`, "utf8"), fs.readlinkSync(`${at}/link`)]).toEqual(["inner", "deep"]);
      if (name === "dir") expect(fs.statSync(`${at}/deep`).mode & 0o7777).toBe(0o2775);
      expect(fs.readdirSync(path.join(far, "sub"))).toEqual([name]);
    } finally {
      closeScope(scope);
      fs.rmSync(far, { recursive: true });
    }
  });
});

function isWritable(at: string): boolean {
  try {
    fs.accessSync(at, fs.constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
