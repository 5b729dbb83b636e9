// Which places of real repositories and of a home folder are held, and what opens them again.
import { expect, test } from "bun:test";
import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { heldPlaces, Protection } from "../../src/index.ts";
import type { HoldOptions } from "../../src/index.ts";
import { GitFolder } from "./git.ts";

function listed(folder: GitFolder, options: Partial<HoldOptions> = {}): Record<string, unknown> {
  const usual = { roots: [folder.at("w")], home: folder.at("home"), open: [], extra: [], enabled: true };
  const places = heldPlaces({ ...usual, ...options });
  return Object.fromEntries(places.map(({ path, absent }) => [path.slice(folder.base.length + 1), absent]));
}

const OF_GIT = {
  "w/.git/hooks": "folder",
  "w/.git/config": { content: "" },
  "w/.git/commondir": { content: ".\n" },
  "w/.git/config.worktree": "nothing",
};

test("a repository: hooks, config, and what would lead git to another config", () => {
  using folder = new GitFolder();
  folder.repository("w");
  expect(listed(folder)).toEqual(OF_GIT);
});

test("nothing without a repository, and nothing of one whose folder lies outside", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/inner"));
  mkdirSync(folder.at("v"));
  expect(listed(folder, { roots: [folder.at("v")] })).toEqual({});
  expect(listed(folder, { roots: [folder.at("w/inner")] })).toEqual({});
});

test("worktrees, their pointers, and a configuration of their own only where git reads one", () => {
  using folder = new GitFolder();
  folder.repository("w");
  folder.git("w", "worktree", "add", "-q", "trees/one");
  const ofTree = (absent: unknown) => ({
    "w/trees/one/.git": "nothing",
    "w/.git/worktrees/one/commondir": "nothing",
    "w/.git/worktrees/one/gitdir": "nothing",
    "w/.git/worktrees/one/config.worktree": absent,
  });
  expect(listed(folder)).toEqual({ ...OF_GIT, ...ofTree("nothing") });
  folder.git("w", "config", "extensions.worktreeConfig", "true");
  expect(listed(folder)).toEqual({
    ...OF_GIT,
    "w/.git/config.worktree": { content: "" },
    ...ofTree({ content: "" }),
  });
});

test("a worktree of a repository outside: its pointer only", () => {
  using folder = new GitFolder();
  folder.repository("main");
  folder.git("main", "worktree", "add", "-q", "../w");
  expect(listed(folder)).toEqual({ "w/.git": "nothing" });
});

test("submodules, also in folders and in each other", () => {
  using folder = new GitFolder();
  folder.repository("w");
  for (const name of ["libs/a", "libs/a/modules/b"]) {
    mkdirSync(folder.at("w/.git/modules", name), { recursive: true });
    writeFileSync(folder.at("w/.git/modules", name, "HEAD"), "ref: refs/heads/main\n");
  }
  const held = listed(folder);
  for (const name of ["libs/a", "libs/a/modules/b"]) {
    expect(held[`w/.git/modules/${name}/hooks`]).toBe("folder");
    expect(held[`w/.git/modules/${name}/config`]).toEqual({ content: "" });
  }
});

test("what the configuration names: hooks, included files and theirs, the fsmonitor program; not husky's own folder", () => {
  using folder = new GitFolder();
  folder.repository("w");
  const config = folder.at("w/.git/config");
  appendFileSync(
    config,
    "[core]\n\thooksPath = tools/hooks\n\tFSMonitor = ./tools/watch --fast\n[include]\n\tpath = ../conf/one\n",
  );
  mkdirSync(folder.at("w/conf"));
  writeFileSync(folder.at("w/conf/one"), '[includeIf "gitdir:x"]\n\tpath = two\n[include]\n\tpath = /etc/passwd\n');
  expect(listed(folder)).toEqual({
    ...OF_GIT,
    "w/tools/hooks": "nothing",
    "w/tools/watch": "nothing",
    "w/tools/watch --fast": "nothing",
    "w/conf/one": "nothing",
    "w/conf/two": "nothing",
  });
  writeFileSync(config, "[core]\n\thooksPath = .husky/_\n\tfsmonitor = true\n");
  expect(listed(folder)).toEqual(OF_GIT);
});

test("what the person's own configuration names inside", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("home"));
  writeFileSync(folder.at("home/.gitconfig"), "[core]\n\thooksPath = .githooks\n");
  expect(listed(folder)).toEqual({ ...OF_GIT, "w/.githooks": "nothing" });
});

test("where a protected name is a link, what it leads to as well", () => {
  using folder = new GitFolder();
  folder.repository("w");
  renameSync(folder.at("w/.git/hooks"), folder.at("w/hooks"));
  symlinkSync("../hooks", folder.at("w/.git/hooks"));
  expect(listed(folder)).toEqual({ ...OF_GIT, "w/hooks": "nothing" });
});

test("start-up files of a home folder inside, those that are there", () => {
  using folder = new GitFolder();
  for (const name of [".ssh", ".config/git", "dots", "project"])
    mkdirSync(folder.at("home", name), { recursive: true });
  writeFileSync(folder.at("home/.profile"), "");
  writeFileSync(folder.at("home/dots/bashrc"), "");
  symlinkSync("dots/bashrc", folder.at("home/.bashrc"));
  const expected = {
    "home/.bashrc": "nothing",
    "home/dots/bashrc": "nothing",
    "home/.profile": "nothing",
    "home/.config/git": "nothing",
    "home/.ssh": "nothing",
  };
  expect(listed(folder, { roots: [folder.at("home")] })).toEqual(expected);
  expect(listed(folder, { roots: [folder.base] })).toEqual(expected);
  expect(listed(folder, { roots: [folder.at("home/project")] })).toEqual({});
  expect(listed(folder, { roots: [folder.at("home/project")], everywhere: true })).toEqual(expected);
});

test.each<[string, string[], string[]]>([
  ["one file", [".git/config"], ["w/.git/config", "w/sub/.git/config"]],
  ["a folder and what is in it", [".git/hooks/**"], ["w/.git/hooks", "w/sub/.git/hooks"]],
  ["from the allowed folder", ["sub/.git/config"], ["w/sub/.git/config"]],
  [
    "by wildcards",
    ["**/.git/conf*"],
    ["config", "config.worktree"].flatMap((name) => [`w/.git/${name}`, `w/sub/.git/${name}`]),
  ],
  ["a folder above", ["sub"], ["hooks", "config", "commondir", "config.worktree"].map((name) => `w/sub/.git/${name}`)],
  ["something else", ["config", "git/hooks"], []],
])("opened: %s", (_, open, gone) => {
  using folder = new GitFolder();
  folder.repository("w");
  folder.repository("w/sub");
  const all = Object.keys(listed(folder));
  expect(all).toHaveLength(8);
  expect(Object.keys(listed(folder, { open }))).toEqual(all.filter((place) => !gone.includes(place)));
});

test("what the settings add is held in each allowed folder and repository, also with the list switched off", () => {
  using folder = new GitFolder();
  folder.repository("w");
  expect(listed(folder, { extra: ["deploy/run.sh", "/etc/passwd"], enabled: false })).toEqual({
    "w/deploy/run.sh": "nothing",
  });
});

test("the list is the same until something changes, and another as soon as it does", () => {
  using folder = new GitFolder();
  folder.repository("w");
  const protection = new Protection({ roots: [folder.at("w")], home: "/nowhere", open: [], extra: [], enabled: true });
  const first = protection.places();
  expect(protection.places()).toBe(first);
  folder.git("w", "config", "core.hooksPath", "tools");
  const second = protection.places();
  expect(second.map(({ path }) => path)).toContain(folder.at("w/tools"));
  folder.git("w", "worktree", "add", "-q", "../tree");
  expect(protection.places().map(({ path }) => path)).toContain(folder.at("w/.git/worktrees/tree/gitdir"));
  folder.repository("w/new");
  expect(protection.places().map(({ path }) => path)).toContain(folder.at("w/new/.git/hooks"));
});

test("what is held stays held while an agent makes its repository look like none", () => {
  using folder = new GitFolder();
  folder.repository("w/sub");
  const protection = new Protection({ roots: [folder.at("w")], home: "/nowhere", open: [], extra: [], enabled: true });
  const hooks = folder.at("w/sub/.git/hooks");
  const holdsHooks = (): boolean => protection.places().some(({ path }) => path === hooks);
  expect(holdsHooks()).toBe(true);
  rmSync(folder.at("w/sub/.git/HEAD"));
  rmSync(hooks, { recursive: true, force: true });
  rmSync(folder.at("w/sub/.git/config"));
  expect(holdsHooks()).toBe(true);
  rmSync(folder.at("w/sub"), { recursive: true });
  expect(holdsHooks()).toBe(false);
});

test("in a folder whose name is not UTF-8 the same places are held, and what its configuration names", () => {
  using folder = new GitFolder();
  folder.repository("w/plain");
  const script = 'mv plain "$(printf "caf\\351")"; cd caf*; printf "[core]\\n\\thooksPath = h\\351\\n" >> .git/config';
  Bun.spawnSync(["sh", "-c", script], { cwd: folder.at("w") });
  const held = Object.keys(listed(folder));
  for (const name of [".git/hooks", ".git/config", ".git/commondir", "h\uDCE9"])
    expect(held).toContain(`w/caf\uDCE9/${name}`);
  expect(listed(folder, { open: ["w/caf?/.git/hooks/**", "caf?/.git/hooks"] })).not.toHaveProperty([
    "w/caf\uDCE9/.git/hooks",
  ]);
});

test("a repository with more submodules than can be mounted one by one: their folder as one", () => {
  using folder = new GitFolder();
  folder.repository("w");
  const add = (n: number): void => {
    mkdirSync(folder.at(`w/.git/modules/lib/m${n}/hooks`), { recursive: true });
    for (const name of ["HEAD", "config"]) writeFileSync(folder.at(`w/.git/modules/lib/m${n}/${name}`), "");
  };
  const modules = (names: readonly string[]): string[] => names.filter((name) => name.includes("modules"));
  for (let n = 0; n < 100; n += 1) add(n);
  expect(modules(Object.keys(listed(folder)))).toHaveLength(400);
  const usual = { roots: [folder.at("w")], home: folder.at("home"), open: [], extra: [], enabled: true };
  const protection = new Protection(usual);
  const held = (): string[] => modules(protection.places().map(({ path: file }) => file));
  expect(held()).toHaveLength(400);
  add(100);
  expect(held()).toEqual([folder.at("w/.git/modules")]);
});

test("scripts that a configuration names are settled where commands go on writing them, by whatever key", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/tools"));
  writeFileSync(folder.at("w/clean.py"), "");
  const settings = {
    "filter.a.clean": "tools/clean.sh %f",
    "filter.b.smudge": "python3 clean.py --all",
    "diff.c.textconv": "'tools/text' -x",
    "core.pager": "less -R",
    "core.sshCommand": folder.at("w/tools/ssh"),
    "alias.x": "!./tools/x",
    "alias.y": "log origin/main",
    "mergetool.d.path": "tools",
    "credential.helper": "/usr/bin/helper",
  };
  for (const [key, value] of Object.entries(settings)) folder.git("w", "config", key, value);
  const usual = { roots: [folder.at("w")], home: folder.at("home"), open: [], extra: [], enabled: true };
  const settled = (isHeld: boolean, open: string[] = []): string[] =>
    new Protection({ ...usual, open })
      .settled(isHeld)
      .map((file) => file.slice(folder.at("w").length + 1))
      .toSorted();
  const scripts = ["clean.py", "tools/clean.sh", "tools/ssh", "tools/text", "tools/x"];
  expect(settled(true)).toEqual([".git/config.worktree", ...scripts]);
  expect(settled(true, ["tools/**"])).toEqual([".git/config.worktree", "clean.py"]);
});

test("what a hook leads to as a link is settled, and every link on the way, there or not", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/tools"));
  writeFileSync(folder.at("w/tools/check.sh"), "");
  symlinkSync("check.sh", folder.at("w/tools/check"));
  symlinkSync("../../tools/check", folder.at("w/.git/hooks/pre-commit"));
  symlinkSync("../../tools/absent", folder.at("w/.git/hooks/pre-push"));
  const usual = { roots: [folder.at("w")], home: folder.at("home"), open: [], extra: [], enabled: true };
  const protection = new Protection(usual);
  const settled = (): string[] => {
    protection.places();
    return protection.settled(true).map((file) => file.slice(folder.at("w").length + 1));
  };
  const targets = ["tools/absent", "tools/check", "tools/check.sh"];
  expect(settled().toSorted()).toEqual([".git/config.worktree", ...targets]);
  symlinkSync("../../later", folder.at("w/.git/hooks/post-merge"));
  expect(settled().toSorted()).toEqual([".git/config.worktree", "later", ...targets]);
});

test("where nothing is mounted, what a configuration names is settled although it is there", () => {
  using folder = new GitFolder();
  folder.repository("w");
  mkdirSync(folder.at("w/my-hooks"));
  writeFileSync(folder.at("w/shared.config"), "");
  folder.git("w", "config", "core.hooksPath", "my-hooks");
  folder.git("w", "config", "include.path", "../shared.config");
  const usual = { roots: [folder.at("w")], home: folder.at("home"), open: [], extra: [], enabled: true };
  const settled = (isHeld: boolean): string[] =>
    new Protection(usual).settled(isHeld).map((file) => file.slice(folder.at("w").length + 1));
  expect(settled(true)).toEqual([".git/config.worktree"]);
  expect(settled(false).toSorted()).toEqual([".git/config.worktree", "my-hooks", "shared.config"]);
});
