import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import {
  deletePath,
  encodeContent,
  makeDirectory,
  movePath,
  openScope,
  replaceText,
  resolveInScope,
  writeFile,
} from "../../src/index.ts";
import type { EngineCode, ScopedPath, ScopeOptions } from "../../src/index.ts";
import { Workspace, directory, failure, link, openDescriptors, outcome } from "../workspace.ts";

const files = {
  "a/b/file": "x",
  "a/link-to-file": link("b/file"),
  "link-to-dir": link("a/b"),
  "link-up": link(".."),
  "link-out": link("../outside/secret.txt"),
  "link-out-dir": link("../outside"),
  "link-absolute-out": link("/etc/passwd"),
  "chain-1": link("chain-2"),
  "chain-2": link("link-out"),
  "dangling-in": link("not-yet"),
  "dangling-out": link("../outside/not-yet"),
  loop: link("loop"),
  "loop-a": link("loop-b"),
  "loop-b": link("loop-a"),
  "with space ü": "x",
  empty: directory,
};

// Both ways of walking must give the same answers; the one by names is for systems without /proc.
describe.each(["descriptors", "names"] as const)("by %s", (walkMode) => {
  let workspace: Workspace;
  beforeAll(() => {
    workspace = new Workspace(files, { walkMode });
    fs.mkdirSync(`${workspace.root}_evil`);
    fs.writeFileSync(path.join(`${workspace.root}_evil`, "f"), "x");
  });
  afterAll(() => workspace[Symbol.dispose]());

  test.each<[string, string, string]>([
    ["a file", "a/b/file", "a/b/file"],
    ["dots and doubled slashes", "./a//b/./file", "a/b/file"],
    ["a link to a file", "a/link-to-file", "a/b/file"],
    ["a file through a linked directory", "link-to-dir/file", "a/b/file"],
    ["`..` after a link is the parent of its target", "link-to-dir/../link-to-file", "a/b/file"],
    ["`..` that stays inside", "a/../a/b/file", "a/b/file"],
    ["a directory, with a slash", "a/b/", "a/b"],
    ["a directory by `..`", "a/b/..", "a"],
    ["the root by a dot", ".", ""],
    ["the root through a link up and down", "link-up/w", ""],
    ["a file that does not exist", "new", "new"],
    ["a file whose parents do not exist", "new/er/est", "new/er/est"],
    ["the target of a dangling link inside", "dangling-in", "not-yet"],
    ["spaces and letters beyond ASCII", "with space ü", "with space ü"],
    ["a tilde is a name", "~", "~"],
    ["an encoded dot is a name", "%2e%2e/x", "%2e%2e/x"],
    ["a trailing dot is part of the name", "a.", "a."],
    ["a backslash is part of the name", "a\\..\\b", "a\\..\\b"],
  ])("%s", (_, requested, real) => {
    using place = workspace.resolve(requested);
    expect(place.path).toBe(path.join(workspace.root, real));
  });

  test.each<[string, string, EngineCode]>([
    ["the parent", "..", "OUTSIDE_SCOPE"],
    ["a sibling that shares the prefix (S1)", "../w_evil/f", "OUTSIDE_SCOPE"],
    ["an absolute path outside", "/etc/passwd", "OUTSIDE_SCOPE"],
    ["the top of the disk", "/", "OUTSIDE_SCOPE"],
    ["a missing path outside looks like any outside", "../outside/none/such", "OUTSIDE_SCOPE"],
    ["a path below a file outside looks like any outside", "../outside/secret.txt/x", "OUTSIDE_SCOPE"],
    ["a link to a file outside", "link-out", "OUTSIDE_SCOPE"],
    ["a link to an absolute path", "link-absolute-out", "OUTSIDE_SCOPE"],
    ["a chain of links out", "chain-1", "OUTSIDE_SCOPE"],
    ["a file through a linked directory outside", "link-out-dir/secret.txt", "OUTSIDE_SCOPE"],
    ["a dangling link out", "dangling-out", "OUTSIDE_SCOPE"],
    ["a new file below a dangling link out", "dangling-out/x", "OUTSIDE_SCOPE"],
    ["a link to the parent", "link-up", "OUTSIDE_SCOPE"],
    ["a loop of one", "loop", "LINK_LOOP"],
    ["a loop of two", "loop-a/x", "LINK_LOOP"],
    ["a file as a directory", "a/b/file/x", "NOT_DIRECTORY"],
    ["a file with a slash", "a/b/file/", "NOT_DIRECTORY"],
    ["a link to a file with a slash", "a/link-to-file/", "NOT_DIRECTORY"],
    ["`..` below what does not exist", "new/../a", "NOT_FOUND"],
    ["an empty path", "", "INVALID_PATH"],
    ["a NUL", "a\0b", "INVALID_PATH"],
    ["an unpaired surrogate", "a\ud800", "INVALID_PATH"],
    ["a URL", "file:///etc/passwd", "INVALID_PATH"],
    ["a name that is too long", "n".repeat(300), "INVALID_PATH"],
    ["a path that is too long", "d/".repeat(3000), "INVALID_PATH"],
  ])("refused: %s", async (_, requested, code) => {
    expect(await outcome(() => workspace.resolve(requested))).toBe(code);
  });

  test("without following, a link is itself", () => {
    using place = workspace.resolve("link-out", { follow: false });
    expect(place.entry?.kind).toBe("symlink");
    expect(place.path).toBe(workspace.at("link-out"));
  });

  test("a relative path starts at the base given", () => {
    using place = workspace.resolve("file", { base: workspace.at("a/b") });
    expect(place.path).toBe(workspace.at("a/b/file"));
  });

  test("an absolute path that leads in through a link outside is inside", () => {
    const alias = path.join(workspace.outside, "alias");
    fs.symlinkSync(workspace.root, alias);
    using place = workspace.resolve(`${alias}/a/b/file`);
    expect(place.path).toBe(workspace.at("a/b/file"));
    fs.unlinkSync(alias);
  });

  test("nothing stays open", async () => {
    const before = openDescriptors(workspace);
    for (const requested of ["a/b/file", "link-out", "loop", "a/b/file/x", "new/er", "link-to-dir/../b", "/", "a/.."]) {
      await outcome(() => workspace.resolve(requested));
      await outcome(() => workspace.resolve(requested, { follow: false, writing: true }));
    }
    expect(openDescriptors(workspace)).toBe(before);
  });
});

test("a root that was replaced is found again", () => {
  using workspace = new Workspace({ "a/file": "old" });
  fs.renameSync(workspace.root, `${workspace.root}-gone`);
  fs.mkdirSync(workspace.at("a"), { recursive: true });
  fs.writeFileSync(workspace.at("a/file"), "newer");
  using place = workspace.resolve("a/file");
  expect(place.entry?.stat.size).toBe(5n);
});

test("a root that is gone is missing, not forbidden", async () => {
  using workspace = new Workspace();
  fs.rmSync(workspace.root, { recursive: true });
  using place = workspace.resolve("a");
  expect(place.entry).toBeUndefined();
});

describe("deny patterns", () => {
  const rows: [string, string[], string, string][] = [
    ["a base name anywhere", ["**/.env"], "a/b/.env", "PATH_DENIED"],
    ["a directory covers what is below", ["**/secrets"], "a/secrets/deep/x", "PATH_DENIED"],
    ["what does not exist is denied alike", ["**/.env"], "none/such/.env", "PATH_DENIED"],
    ["deny beats allow", ["**"], "a/plain", "PATH_DENIED"],
    ["a relative pattern starts at the workdir", ["a/*.key"], "a/x.key", "PATH_DENIED"],
    ["a relative pattern does not float", ["*.key"], "a/x.key", "ok"],
    ["a pattern with a trailing slash", ["a/secrets/"], "a/secrets/x", "PATH_DENIED"],
    ["alternatives", ["**/{.env,.netrc}"], ".netrc", "PATH_DENIED"],
    ["a link to what is denied", ["**/.env"], "to-env", "PATH_DENIED"],
    ["a dangling link to what is denied", ["**/.npmrc"], "to-npmrc", "PATH_DENIED"],
    ["through a denied directory and back", ["**/secrets"], "a/secrets/../plain", "PATH_DENIED"],
    ["through a denied directory that does not exist", ["**/none"], "a/none/../plain", "PATH_DENIED"],
    ["a link that is itself named", ["to-plain"], "to-plain", "PATH_DENIED"],
    ["the target of a link that is named", ["to-plain"], "a/plain", "PATH_DENIED"],
    ["through a linked prefix", ["to-a/secrets/**"], "a/secrets/x", "PATH_DENIED"],
    ["outside comes before denied", ["**/outside"], "../outside/secret.txt", "OUTSIDE_SCOPE"],
    ["a name that only looks similar", ["**/.env"], "a/.environment", "ok"],
    ["another case is another name here", ["**/.env"], "a/.ENV", "ok"],
  ];
  test.each(rows)("%s", async (_, deny, requested, code) => {
    const content = {
      "a/plain": "x",
      "a/b/.env": "x",
      "a/secrets/x": "x",
      "a/x.key": "x",
      "to-env": link("a/b/.env"),
      "to-npmrc": link("a/.npmrc"),
      "to-plain": link("a/plain"),
      "to-a": link("a"),
    };
    using workspace = new Workspace(content);
    const scope = openScope({ workdir: workspace.root, roots: [workspace.root], deny });
    expect(await outcome(() => resolveInScope(scope, requested))).toBe(code);
  });

  test("a denied path says the same whether it exists or not", async () => {
    using workspace = new Workspace({ ".env": "x" }, { deny: ["**/.env"] });
    const there = await failure(() => workspace.resolve(".env"));
    fs.unlinkSync(workspace.at(".env"));
    const gone = await failure(() => workspace.resolve(".env"));
    expect(gone.message).toBe(there.message);
    expect(gone.details).toEqual(there.details);
  });

  test("with case folded, another case is the same name", async () => {
    using workspace = new Workspace({ ".ENV": "x" });
    const folded = { ...openScope({ workdir: workspace.root, roots: [workspace.root], deny: ["**/.env"] }) };
    const deny = folded.deny.map((pattern) => ({ ...pattern, foldCase: true }));
    expect(await outcome(() => resolveInScope({ ...folded, foldCase: true, deny }, ".ENV"))).toBe("PATH_DENIED");
  });
});

test("read-only patterns refuse writing, not reading", async () => {
  using workspace = new Workspace({ "vendor/x": "x", y: "y" }, { readOnly: ["vendor"] });
  expect(await outcome(() => workspace.resolve("vendor/x"))).toBe("ok");
  expect(await outcome(() => workspace.resolve("vendor/x", { writing: true }))).toBe("READ_ONLY");
  expect(await outcome(() => workspace.resolve("vendor/new", { writing: true }))).toBe("READ_ONLY");
  expect(await outcome(() => workspace.resolve("y", { writing: true }))).toBe("ok");
});

test("writing asks again, should the resolver not have been told", async () => {
  using workspace = new Workspace({ "vendor/x": "x", y: "y" }, { readOnly: ["vendor"] });
  const content = encodeContent("z", 10);
  const nofollow = { follow: false };
  const acts: [string, () => unknown][] = [
    ["write", () => holding(workspace.resolve("vendor/new"), (place) => writeFile(place, content))],
    [
      "replace",
      () =>
        holding(workspace.resolve("vendor/x"), (place) =>
          replaceText(place, { find: "x", replace: "", all: true, maxBytes: 9 }),
        ),
    ],
    ["mkdir", () => holding(workspace.resolve("vendor/d"), (place) => makeDirectory(place, { recursive: true }))],
    [
      "delete",
      () => holding(workspace.resolve("vendor/x", nofollow), (place) => deletePath(place, { recursive: true })),
    ],
    [
      "move in",
      () =>
        holding(workspace.resolve("y", nofollow), (from) =>
          holding(workspace.resolve("vendor/y", nofollow), (to) => movePath(from, to, { overwrite: true })),
        ),
    ],
    [
      "move out",
      () =>
        holding(workspace.resolve("vendor/x", nofollow), (from) =>
          holding(workspace.resolve("z", nofollow), (to) => movePath(from, to, { overwrite: true })),
        ),
    ],
  ];
  for (const [name, act] of acts) expect([name, await outcome(act)]).toEqual([name, "READ_ONLY"]);
  expect(fs.readdirSync(workspace.at("vendor"))).toEqual(["x"]);
});

async function holding<T>(place: ScopedPath, work: (place: ScopedPath) => T | Promise<T>): Promise<T> {
  using held = place;
  return await work(held);
}

test("unscoped, only what is denied is refused", async () => {
  using workspace = new Workspace({}, { roots: [], deny: ["/etc/shadow"] });
  expect(await outcome(() => workspace.resolve("/etc/passwd"))).toBe("ok");
  expect(await outcome(() => workspace.resolve("/etc/shadow"))).toBe("PATH_DENIED");
  using top = workspace.resolve("/");
  expect([top.path, top.entry?.kind]).toEqual(["/", "directory"]);
});

test("several roots", async () => {
  using workspace = new Workspace({ x: "x" });
  const scope = openScope({ workdir: workspace.root, roots: [workspace.root, workspace.outside] });
  expect(await outcome(() => resolveInScope(scope, "../outside/secret.txt"))).toBe("ok");
  expect(await outcome(() => resolveInScope(scope, ".."))).toBe("OUTSIDE_SCOPE");
});

test("a root given through a link is the real one", () => {
  using workspace = new Workspace({ x: "x" });
  const alias = path.join(workspace.base, "alias");
  fs.symlinkSync("w", alias);
  const scope = openScope({ workdir: alias, roots: [alias] });
  expect(scope.roots).toEqual([workspace.root]);
  using place = resolveInScope(scope, `${alias}/x`);
  expect(place.path).toBe(workspace.at("x"));
});

test.each<[string, (w: Workspace) => Partial<ScopeOptions>, EngineCode]>([
  ["a root that does not exist", (w) => ({ roots: [w.at("none")] }), "NOT_FOUND"],
  ["a root that is a file", (w) => ({ roots: [w.at("file")] }), "NOT_DIRECTORY"],
  ["a workdir that does not exist", (w) => ({ workdir: w.at("none") }), "NOT_FOUND"],
  ["a deny pattern that does not parse", () => ({ deny: ["[a"] }), "INVALID_GLOB"],
])("start is refused: %s", async (_, options, code) => {
  using workspace = new Workspace({ file: "x" });
  const wanted = { workdir: workspace.root, roots: [workspace.root], ...options(workspace) };
  expect(await outcome(() => openScope(wanted))).toBe(code);
});
