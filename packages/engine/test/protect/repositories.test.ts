// Which repositories are found around and below the allowed folders, and that a new one is noticed.
import { expect, test } from "bun:test";
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { findRepositories, RepositoryFinder } from "../../src/index.ts";
import { GitFolderSearch } from "../../src/protect/git-folders.ts";
import { GitFolder } from "./git.ts";

test("its own, and those up to three levels below; not in node_modules, not through links, not deeper", () => {
  using folder = new GitFolder();
  folder.repository("w");
  folder.repository("elsewhere");
  for (const name of ["w/a", "w/b/c", "w/d/e/f", "w/g/h/i/deep", "w/node_modules/m"]) folder.repository(name);
  symlinkSync(folder.at("elsewhere"), folder.at("w/linked"));
  const tops = findRepositories([folder.at("w")]).map(({ top }) => top);
  expect(tops.toSorted()).toEqual(["w", "w/a", "w/b/c", "w/d/e/f"].map((name) => folder.at(name)));
});

test("the nearest one around an allowed folder", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/packages/one"), { recursive: true });
  const top = folder.at("w");
  expect(findRepositories([folder.at("w/packages/one")])).toEqual([
    { top, gitDir: `${top}/.git`, commonDir: `${top}/.git`, pointer: undefined },
  ]);
});

test("a worktree leads to its own folder and to what it shares", () => {
  using folder = new GitFolder();
  folder.repository("main");
  folder.git("main", "worktree", "add", "-q", "../tree");
  const common = folder.at("main/.git");
  expect(findRepositories([folder.at("tree")])).toEqual([
    { top: folder.at("tree"), gitDir: `${common}/worktrees/tree`, commonDir: common, pointer: folder.at("tree/.git") },
  ]);
});

test("a submodule leads into the repository around it", () => {
  using folder = new GitFolder();
  folder.repository("lib");
  folder.repository("main");
  folder.git("main", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", folder.at("lib"), "libs/lib");
  const gitDir = folder.at("main/.git/modules/libs/lib");
  expect(findRepositories([folder.at("main")])).toContainEqual({
    top: folder.at("main/libs/lib"),
    gitDir,
    commonDir: gitDir,
    pointer: folder.at("main/libs/lib/.git"),
  });
});

test("a bare repository, and a `.git` that is a link", () => {
  using folder = new GitFolder();
  folder.git(".", "init", "-q", "--bare", "w/bare.git");
  folder.repository("w/real");
  renameSync(folder.at("w/real/.git"), folder.at("w/store"));
  symlinkSync("../store", folder.at("w/real/.git"));
  const found = findRepositories([folder.at("w")]);
  expect(found.map(({ top, gitDir, pointer }) => ({ top, gitDir, pointer }))).toEqual(
    expect.arrayContaining([
      { top: folder.at("w/bare.git"), gitDir: folder.at("w/bare.git"), pointer: undefined },
      { top: folder.at("w/real"), gitDir: folder.at("w/store"), pointer: folder.at("w/real/.git") },
    ]),
  );
});

test.each<[string, string | Uint8Array]>([
  ["no pointer at all", "hello\n"],
  ["a pointer to nothing", "gitdir: ../nothing\n"],
  ["a pointer to a file", "gitdir: /etc/hostname\n"],
  ["a pointer with NUL", "gitdir: /etc\0x\n"],
  ["a million bytes", `gitdir: ${"x".repeat(1_000_000)}\n`],
  ["bytes that are no text", new Uint8Array([0xff, 0xfe, 0])],
])("a `.git` file that holds %s is no repository", (_, content) => {
  using folder = new GitFolder();
  mkdirSync(folder.at("w"));
  writeFileSync(folder.at("w/.git"), content);
  expect(findRepositories([folder.at("w")])).toEqual([]);
});

test("at most 64, the nearest first", () => {
  using folder = new GitFolder();
  for (let i = 0; i < 70; i += 1) {
    mkdirSync(folder.at(`w/r${i}/.git`), { recursive: true });
    writeFileSync(folder.at(`w/r${i}/.git/HEAD`), "ref: refs/heads/main\n");
  }
  folder.repository("w");
  const found = findRepositories([folder.at("w")]);
  expect(found).toHaveLength(64);
  expect(found[0]?.top).toBe(folder.at("w"));
});

test("looking again gives the same list, notices a new repository at once, and one that is gone", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/a/b/c"), { recursive: true });
  const finder = new RepositoryFinder([folder.at("w")]);
  const first = finder.find();
  expect(finder.find()).toBe(first);
  for (const name of ["w/a", "w/a/b", "w/a/b/c"]) {
    folder.repository(name);
    expect(finder.find().map(({ top }) => top)).toContain(folder.at(name));
  }
  rmSync(folder.at("w/a/b/.git"), { recursive: true });
  expect(finder.find().map(({ top }) => top)).not.toContain(folder.at("w/a/b"));
});

test("many new ones do not push an old one out, nor one that looks bare or has lost its HEAD", () => {
  using folder = new GitFolder();
  folder.repository("w/z/old");
  const finder = new RepositoryFinder([folder.at("w")], { repositories: 4 });
  const old = finder.find();
  expect(old.map(({ top }) => top)).toEqual([folder.at("w/z/old")]);
  for (const name of ["a", "b", "c", "d", "e"]) folder.repository(`w/${name}`);
  expect(finder.find()).toHaveLength(4);
  expect(finder.limited).toBe(true);
  for (const name of ["HEAD", "objects", "refs"]) mkdirSync(folder.at("w/z/old", name));
  renameSync(folder.at("w/z/old/.git/HEAD"), folder.at("w/z/old/.git/HEAD2"));
  expect(finder.find()).toContainEqual(old[0] as never);
  // A new start, which knows nothing: the oldest are taken.
  expect(findRepositories([folder.at("w")], { repositories: 4 })).toContainEqual(old[0] as never);
});

test("a folder that is made to look bare hides neither its own repository nor those below", () => {
  using folder = new GitFolder();
  folder.repository("w");
  folder.repository("w/sub");
  mkdirSync(folder.at("w/objects"));
  mkdirSync(folder.at("w/refs"));
  writeFileSync(folder.at("w/HEAD"), "ref: refs/heads/main\n");
  expect(findRepositories([folder.at("w")]).map(({ gitDir }) => gitDir)).toEqual([
    folder.at("w/.git"),
    folder.at("w/sub/.git"),
  ]);
});

/** `caf\xe9` and what is in it, as text that keeps every byte. */
const ODD = "caf\uDCE9";

function oddRepository(folder: GitFolder): void {
  folder.repository("plain");
  mkdirSync(folder.at("w"));
  Bun.spawnSync(["sh", "-c", 'mv ../plain "$(printf "caf\\351")"'], { cwd: folder.at("w") });
}

test("a repository in a folder whose name is not UTF-8", () => {
  using folder = new GitFolder();
  oddRepository(folder);
  const top = `${folder.at("w")}/${ODD}`;
  expect(findRepositories([folder.at("w")])).toEqual([
    { top, gitDir: `${top}/.git`, commonDir: `${top}/.git`, pointer: undefined },
  ]);
});

test("a worktree whose pointer is not UTF-8", () => {
  using folder = new GitFolder();
  oddRepository(folder);
  Bun.spawnSync(["sh", "-c", 'mkdir tree; printf "gitdir: ../caf\\351/.git\\n" > tree/.git'], { cwd: folder.at("w") });
  const found = findRepositories([folder.at("w")]).find(({ pointer }) => pointer !== undefined);
  expect(found?.gitDir).toBe(`${folder.at("w")}/${ODD}/.git`);
});

test("both searches look at the same folders, also beyond some hundreds, and say when there are more", () => {
  using folder = new GitFolder();
  for (let i = 0; i < 600; i += 1) mkdirSync(folder.at("w", `${i}`), { recursive: true });
  folder.repository("w/0/deep");
  const search = new GitFolderSearch([folder.at("w")]);
  expect([...search.find().keys()]).toEqual([folder.at("w/0/deep/.git")]);
  expect(new RepositoryFinder([folder.at("w")]).find().map(({ top }) => top)).toEqual([folder.at("w/0/deep")]);
  const few = new RepositoryFinder([folder.at("w")], { folders: 10 });
  few.find();
  expect(few.limited).toBe(true);
});

test("many new folders do not keep a new start from an old repository, however far down", () => {
  using folder = new GitFolder();
  folder.repository("w/old");
  folder.repository("w/team/old");
  for (let i = 0; i < 600; i += 1) mkdirSync(folder.at(`w/new${i}`));
  const found = findRepositories([folder.at("w")], { folders: 20 }).map(({ top }) => top);
  expect(found.toSorted()).toEqual([folder.at("w/old"), folder.at("w/team/old")]);
});
