// Repositories that commands make, with real git: what git writes by itself stays, hooks and programs do not.
import { expect, test } from "bun:test";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { SettledPlaces } from "../../src/index.ts";
import type { SettledChange } from "../../src/index.ts";
import { withoutPrograms } from "../../src/protect/git-config-programs.ts";

class Folder implements Disposable {
  readonly base = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), "bosun-repositories-")));
  readonly root = path.join(this.base, "w");
  readonly places: SettledPlaces;
  readonly settled: SettledChange[] = [];

  constructor() {
    fs.mkdirSync(this.root);
    fs.mkdirSync(path.join(this.base, "state"));
    this.places = new SettledPlaces({
      roots: [this.root],
      workdir: this.root,
      home: path.join(this.base, "home"),
      stateFolder: path.join(this.base, "state"),
      hasLeftovers: async () => true,
      onSettled: (changes) => void this.settled.push(...changes),
    });
  }

  git(...words: string[]): string {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: this.base,
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_AUTHOR_NAME: "a",
      GIT_AUTHOR_EMAIL: "a@b",
      GIT_COMMITTER_NAME: "a",
      GIT_COMMITTER_EMAIL: "a@b",
    };
    const { stdout, stderr, exitCode } = Bun.spawnSync(["git", ...words], { cwd: this.root, env });
    if (exitCode !== 0) throw new Error(stderr.toString());
    return stdout.toString();
  }

  run(command: () => void): string[] {
    const end = this.places.begin({}, "foreground");
    command();
    end();
    return this.settled
      .splice(0)
      .map(({ level, shown, done }) => `${level} ${shown}: ${done}`)
      .sort();
  }

  at(name: string): string {
    return path.join(this.root, name);
  }

  write(name: string, content: string): void {
    fs.mkdirSync(path.dirname(this.at(name)), { recursive: true });
    fs.writeFileSync(this.at(name), content, { mode: 0o755 });
  }

  [Symbol.dispose](): void {
    this.places.close();
    fs.rmSync(this.base, { recursive: true, force: true });
  }
}

const marker = (folder: Folder): string => `#!/bin/sh\ntouch ${folder.base}/ran\n`;

test("git init, clone, worktree and submodule are noted, and nothing else", () => {
  using folder = new Folder();
  expect(folder.run(() => folder.git("init", "-q", "one"))).toEqual(["note one/.git: noted"]);
  folder.run(() => {
    folder.write("one/.vscode/tasks.json", "{}\n");
    fs.renameSync(folder.at("one/.vscode"), folder.at("one/vscode"));
    folder.git("-C", "one", "add", ".");
    folder.git("-C", "one", "commit", "-qm", "first");
  });
  const before = (name: string): string => fs.readFileSync(folder.at(name), "utf8");
  expect(folder.run(() => folder.git("clone", "-q", "one", "two"))).toEqual(["note two/.git: noted"]);
  expect(before("two/.git/config")).toContain('[remote "origin"]');
  expect(folder.run(() => folder.git("-C", "one", "worktree", "add", "-q", "../three"))).toEqual([
    "note three/.git: noted",
  ]);
  expect(folder.git("-C", "three", "status", "--short")).toBe("");
  const added = folder.run(() =>
    folder.git("-C", "two", "-c", "protocol.file.allow=always", "submodule", "add", "-q", folder.at("one"), "sub"),
  );
  expect(added).toContain("note two/sub/.git: noted");
  expect(added.filter((line) => line.startsWith("settle"))).toEqual(["settle two/.gitmodules: put back"]);
});

test("a hook in a repository that a command made is taken out, and the person's git runs nothing", () => {
  using folder = new Folder();
  const settled = folder.run(() => {
    folder.git("init", "-q", ".");
    folder.write(".git/hooks/pre-commit", marker(folder));
  });
  expect(settled).toEqual(["note .git: noted", "settle .git/hooks/pre-commit: put back"]);
  folder.git("commit", "-q", "--allow-empty", "-m", "x");
  expect(fs.existsSync(path.join(folder.base, "ran"))).toBe(false);
  expect(fs.existsSync(folder.at(".git/hooks/pre-commit.sample"))).toBe(true);
});

test("programs in the configuration of a repository that a command made are taken out, the rest stays", () => {
  using folder = new Folder();
  const settled = folder.run(() => {
    folder.git("init", "-q", ".");
    folder.write("monitor", marker(folder));
    folder.git("config", "core.fsmonitor", folder.at("monitor"));
    folder.git("remote", "add", "origin", "https://example.com/x.git");
  });
  expect(settled).toEqual(["note .git: noted", "settle .git/config: put back"]);
  folder.git("status");
  expect(fs.existsSync(path.join(folder.base, "ran"))).toBe(false);
  expect(folder.git("remote")).toBe("origin\n");
});

test.each<[string, (folder: Folder) => void]>([
  [
    "a `.git` that is a link",
    (folder) => {
      folder.git("init", "-q", "hidden");
      fs.renameSync(folder.at("hidden/.git"), folder.at("elsewhere"));
      folder.git("config", "-f", "elsewhere/config", "core.fsmonitor", folder.at("monitor"));
      fs.symlinkSync("elsewhere", folder.at(".git"));
    },
  ],
  [
    "a `.git` that is a pointer",
    (folder) => {
      fs.mkdirSync(folder.at("a/b/c/d"), { recursive: true });
      folder.git("init", "-q", "--separate-git-dir", "a/b/c/d/e", ".");
      folder.git("config", "core.fsmonitor", folder.at("monitor"));
    },
  ],
  [
    "a `commondir` that leads elsewhere",
    (folder) => {
      folder.git("init", "-q", ".");
      folder.git("init", "-q", "a/b/c/d/e");
      folder.git("config", "-f", "a/b/c/d/e/.git/config", "core.fsmonitor", folder.at("monitor"));
      folder.write(".git/commondir", "../a/b/c/d/e/.git\n");
    },
  ],
  [
    "a folder that looks like a bare repository",
    (folder) => {
      folder.git("init", "-q", "--bare", ".");
      folder.git("config", "-f", "config", "core.fsmonitor", folder.at("monitor"));
      folder.git("config", "-f", "config", "core.bare", "false");
      folder.git("config", "-f", "config", "core.worktree", folder.root);
    },
  ],
  [
    "one in place of another",
    (folder) => {
      fs.rmSync(folder.at(".git"), { recursive: true, force: true });
      folder.git("init", "-q", ".");
      folder.git("config", "core.fsmonitor", folder.at("monitor"));
    },
  ],
])("%s: the person's git status runs nothing", (name, make) => {
  using folder = new Folder();
  folder.write("monitor", marker(folder));
  if (name.startsWith("one in place")) folder.git("init", "-q", ".");
  const settled = folder.run(() => make(folder));
  expect(settled.some((line) => line.startsWith("settle "))).toBe(true);
  Bun.spawnSync(["git", "status"], { cwd: folder.root, env: { PATH: process.env["PATH"] ?? "", HOME: folder.base } });
  expect(fs.existsSync(path.join(folder.base, "ran"))).toBe(false);
});

test.each<[string, string | undefined]>([
  ['[core]\n\tbare = false\n[remote "o"]\n\turl = x\n', undefined],
  ["[core]\n\tfsmonitor = true\n", undefined],
  ["[core]\n\tfsmonitor = ./run\n\tbare = false\n", "[core]\n\tbare = false\n"],
  ["[CORE] FsMonitor = ./run\n", ""],
  ["[core]\n\tfs\\\nmonitor = x\n", ""],
  ["[core]\n\tpager = \\\n evil\n\tbare = true\n", "[core]\n\tbare = true\n"],
  ["# x \\\n[core]\n\tfsmonitor = ./run\n", ""],
  ["; x \\\n[core]\n\tbare = true # y \\\n\tfsmonitor = ./run\n", "[core]\n\tbare = true\n"],
  ["\u00ef\u00bb\u00bf[core] fsmonitor = ./run\n", ""],
  ["[] [core] fsmonitor = ./run\n", ""],
  ['[filter "x"]\n\tsmudge = run\n\trequired = true\n', ""],
  ["[alias]\n\tst = !run\n", ""],
  ['[includeIf "gitdir:~/"]\n\tpath = x\n', ""],
  ['[submodule "x"]\n\tupdate = !run\n', ""],
  ['[submodule "x"]\n\tupdate = rebase\n\turl = ../x\n', undefined],
  ["[diff.x]\n\ttextconv = run\n", ""],
  ['[credential "https://x"]\n\thelper = run\n', ""],
  ['[url "ext::run "]\n\tinsteadOf = https://\n', ""],
  ['[remote "o"]\n\turl = ext::run\n\tfetch = +refs/*:refs/*\n', '[remote "o"]\n\tfetch = +refs/*:refs/*\n'],
  ['[remote "o.uploadpack\0"]\n\tfetch = ./run\n', ""],
  ["[core]\n\tworktree = ../../..\n", ""],
  ["[extensions]\n\tworktreeConfig = true\n", ""],
  ["[some]\n\tnewthing = run\n", ""],
  ['[user]\n\tname = " a # \\"b\\" "\n[x]\n\ty = z\n', '[user]\n\tname = " a # \\"b\\" "\n'],
])("configuration %j without programs", (text, expected) => {
  expect(withoutPrograms(text)).toBe(expected);
});

test("a comment that ends in a backslash hides nothing from us that git reads", () => {
  using folder = new Folder();
  folder.write("monitor", marker(folder));
  const settled = folder.run(() => {
    folder.git("init", "-q", ".");
    fs.appendFileSync(
      folder.at(".git/config"),
      `[user]\n\tname = a\n# x \\\n[core]\n\tfsmonitor = ${folder.at("monitor")}\n`,
    );
  });
  expect(settled).toEqual(["note .git: noted", "settle .git/config: put back"]);
  folder.git("status");
  expect(fs.existsSync(path.join(folder.base, "ran"))).toBe(false);
});

test("a submodule is checked out in the folder around its repository, and nowhere else", () => {
  using folder = new Folder();
  folder.git("init", "-q", "lib");
  folder.git("-C", "lib", "commit", "-q", "--allow-empty", "-m", "x");
  folder.git("init", "-q", "app");
  const add = ["-C", "app", "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", folder.at("lib")];
  const settled = folder.run(() => {
    folder.git(...add, "libs/good");
    folder.git(...add, "libs/bad");
    folder.git("config", "-f", "app/.git/modules/libs/bad/config", "core.worktree", "../../../../../..");
  });
  expect(settled).toContain("settle app/.git/modules/libs/bad/config: put back");
  expect(settled.filter((line) => line.includes("libs/good"))).toEqual(["note app/libs/good/.git: noted"]);
});
