// File functions and protected places: by their names, through links, under other names, with the folder around them.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import {
  closeScope,
  deletePath,
  encodeContent,
  EngineError,
  makeDirectory,
  movePath,
  openScope,
  Protection,
  replaceText,
  resolveInScope,
  writeFile,
} from "../../src/index.ts";
import type { HoldOptions, Scope } from "../../src/index.ts";
import { GitFolder } from "./git.ts";

class Held extends GitFolder {
  readonly root: string;
  readonly scope: Scope;

  constructor(options: Partial<HoldOptions> = {}) {
    super();
    this.root = this.repository("w");
    fs.writeFileSync(this.at("w/a.txt"), "a\n");
    fs.mkdirSync(this.at("w/made"));
    fs.writeFileSync(this.at("w/.git/hooks/old"), "old\n");
    fs.symlinkSync(".git", this.at("w/link"));
    fs.symlinkSync("../.git/config", this.at("w/made/link"));
    fs.linkSync(this.at("w/.git/config"), this.at("w/made/same-config"));
    fs.linkSync(this.at("w/.git/hooks/old"), this.at("w/made/same-hook"));
    const protection = new Protection({
      roots: [this.root],
      home: this.at("home"),
      open: [],
      extra: [],
      enabled: true,
      ...options,
    });
    this.scope = openScope({ workdir: this.root, roots: [this.root], protection });
  }

  async attempt(name: string, act: Act): Promise<string> {
    try {
      await act(this, name);
      return "done";
    } catch (error) {
      if (error instanceof EngineError) return `${error.code} ${error.message}`;
      throw error;
    }
  }

  override [Symbol.dispose](): void {
    closeScope(this.scope);
    super[Symbol.dispose]();
  }
}

type Act = (held: Held, name: string) => Promise<unknown>;

const write: Act = async ({ scope }, name) => {
  using place = resolveInScope(scope, name, { writing: true });
  return await writeFile(place, encodeContent("evil\n", 100));
};
const replace: Act = async ({ scope }, name) => {
  using place = resolveInScope(scope, name, { writing: true });
  return await replaceText(place, { find: "o", replace: "0", all: true, maxBytes: 10_000 });
};
const remove: Act = async ({ scope }, name) => {
  using place = resolveInScope(scope, name, { writing: true, follow: false });
  return await deletePath(place, { recursive: true });
};
const mkdir: Act = async ({ scope }, name) => {
  using place = resolveInScope(scope, name, { writing: true });
  return makeDirectory(place, { recursive: true });
};
const moveAway: Act = async ({ scope }, name) => {
  using from = resolveInScope(scope, name, { writing: true, follow: false });
  using to = resolveInScope(scope, "elsewhere", { writing: true, follow: false });
  return await movePath(from, to, { overwrite: true });
};
const moveThere: Act = async ({ scope }, name) => {
  using from = resolveInScope(scope, "a.txt", { writing: true, follow: false });
  using to = resolveInScope(scope, name, { writing: true, follow: false });
  return await movePath(from, to, { overwrite: true });
};
const moveFolderThere: Act = async ({ scope }, name) => {
  using from = resolveInScope(scope, "made", { writing: true, follow: false });
  using to = resolveInScope(scope, name, { writing: true, follow: false });
  return await movePath(from, to, { overwrite: true });
};

const ROWS: [string, string, Act][] = [
  ["a new hook", ".git/hooks/pre-commit", write],
  ["a hook in a folder", ".git/hooks/x/y", write],
  ["an old hook", ".git/hooks/old", replace],
  ["the configuration", ".git/config", write],
  ["a part of it", ".git/config", replace],
  ["a file that is not there: commondir", ".git/commondir", write],
  ["config.worktree", ".git/config.worktree", write],
  ["a submodule's configuration", ".git/modules/x/config", write],
  ["a submodule's hook", ".git/modules/a/b/hooks/post-checkout", write],
  ["a worktree's pointer", ".git/worktrees/x/gitdir", write],
  ["a new repository's configuration", "made/.git/config", write],
  ["a new repository's hook", "new/.git/hooks/post-checkout", write],
  ["a pointer file", "made/.git", write],
  ["through a link to .git", "link/config", write],
  ["through a link to the file", "made/link", write],
  ["by .. and .", "made/../.git/./config", write],
  ["by its absolute path", "/ABSOLUTE/.git/config", write],
  ["another name of the configuration", "made/same-config", write],
  ["a part of it under another name", "made/same-config", replace],
  ["another name of a hook", "made/same-hook", write],
  ["deleting the configuration", ".git/config", remove],
  ["deleting the hooks", ".git/hooks", remove],
  ["deleting .git", ".git", remove],
  ["moving the configuration", ".git/config", moveAway],
  ["moving .git", ".git", moveAway],
  ["moving something onto the configuration", ".git/config", moveThere],
  ["moving something into the hooks", ".git/hooks/pre-push", moveThere],
  ["moving a folder to be .git", "sub/.git", moveFolderThere],
  ["a folder in the hooks", ".git/hooks/sub", mkdir],
];

test.each(ROWS)("refused: %s", async (_, name, act) => {
  using held = new Held();
  const before = [held.at("w/.git/config"), held.at("w/.git/hooks/old")].map((file) => fs.readFileSync(file, "utf8"));
  const said = await held.attempt(name.replace("/ABSOLUTE", held.root), act);
  expect(said).toMatch(
    /^PROTECTED PROTECTED: \S+ is (?:run|obeyed) by git outside the sandbox\. The person can allow it: --open-place \S+$/,
  );
  expect([held.at("w/.git/config"), held.at("w/.git/hooks/old")].map((file) => fs.readFileSync(file, "utf8"))).toEqual(
    before,
  );
});

test.each<[string, string, Act]>([
  ["other files of .git", ".git/description", write],
  ["info/exclude", ".git/info/exclude", write],
  ["a file called config elsewhere", "config", write],
  ["a folder called hooks elsewhere", "src/hooks/x.ts", write],
  [".github and .gitignore", ".github/workflows/x.yml", write],
  ["deleting a link to .git", "link", remove],
])("allowed: %s", async (_, name, act) => {
  using held = new Held();
  expect(await held.attempt(name, act)).toBe("done");
});

test("the words are exact, for a hook and for a file", async () => {
  using held = new Held();
  expect(await held.attempt(".git/hooks/pre-commit", write)).toBe(
    "PROTECTED PROTECTED: .git/hooks/pre-commit is run by git outside the sandbox. The person can allow it: --open-place '.git/hooks/**'",
  );
  expect(await held.attempt(".git/config", write)).toBe(
    "PROTECTED PROTECTED: .git/config is obeyed by git outside the sandbox. The person can allow it: --open-place .git/config",
  );
});

test.each<[string, string[], string, Act, string]>([
  ["the file itself", [".git/config"], ".git/config", write, "done"],
  ["a folder", [".git/hooks/**"], ".git/hooks/pre-commit", write, "done"],
  ["one hook of it", [".git/hooks/pre-commit"], ".git/hooks/pre-commit", write, "done"],
  ["not another", [".git/hooks/pre-commit"], ".git/hooks/pre-push", write, "PROTECTED"],
  ["all of .git", [".git"], ".git/commondir", write, "done"],
  ["a new repository's", ["made/.git/**"], "made/.git/config", write, "done"],
])("opened: %s", async (_, open, name, act, expected) => {
  using held = new Held({ open });
  expect((await held.attempt(name, act)).split(" ")[0]).toBe(expected);
});

test("a folder that holds a repository is neither moved nor deleted, and one that replaces it is not moved there", async () => {
  using held = new Held();
  held.repository("w/sub/inner");
  for (const act of [remove, moveAway, moveFolderThere]) {
    expect(await held.attempt("sub", act)).toStartWith("PROTECTED PROTECTED: sub/inner/.git/");
  }
  expect(fs.existsSync(held.at("w/sub/inner/.git/config"))).toBe(true);
});

test("where the hooks are a link, neither the link nor what it leads to can be changed", async () => {
  using held = new Held();
  fs.renameSync(held.at("w/.git/hooks"), held.at("w/hooks"));
  fs.symlinkSync("../hooks", held.at("w/.git/hooks"));
  for (const name of [".git/hooks/new", "hooks/new"]) expect(await held.attempt(name, write)).toStartWith("PROTECTED");
  for (const name of [".git/hooks", "hooks"]) expect(await held.attempt(name, remove)).toStartWith("PROTECTED");
});

test("a name that becomes a protected file's while a writer waits is not written through", async () => {
  using held = new Held();
  using place = resolveInScope(held.scope, "a.txt", { writing: true });
  fs.unlinkSync(held.at("w/a.txt"));
  fs.linkSync(held.at("w/.git/config"), held.at("w/a.txt"));
  const before = fs.readFileSync(held.at("w/.git/config"), "utf8");
  const writing = writeFile(place, encodeContent("evil\n", 100));
  expect(writing).rejects.toThrow("PROTECTED");
  await writing.catch(() => {});
  expect(fs.readFileSync(held.at("w/.git/config"), "utf8")).toBe(before);
});

test("switched off, nothing is refused but what the settings add", async () => {
  using held = new Held({ enabled: false, extra: ["deploy"] });
  expect(await held.attempt(".git/hooks/pre-commit", write)).toBe("done");
  expect(await held.attempt("deploy/run.sh", write)).toBe(
    "PROTECTED PROTECTED: deploy/run.sh is held by the settings. The person can allow it: --open-place deploy",
  );
});

test("start-up files of a home folder inside the boundary", async () => {
  using folder = new GitFolder();
  fs.mkdirSync(folder.at("home/.ssh"), { recursive: true });
  fs.writeFileSync(folder.at("home/.bashrc"), "");
  const home = folder.at("home");
  const protection = new Protection({ roots: [home], home, open: [], extra: [], enabled: true });
  const scope = openScope({ workdir: home, roots: [home], protection });
  for (const name of [".bashrc", ".ssh/authorized_keys"])
    expect(() => resolveInScope(scope, name, { writing: true })).toThrow("read by the person's programs");
  using other = resolveInScope(scope, path.join(home, "notes.txt"), { writing: true });
  expect(other.name).toBe("notes.txt");
  closeScope(scope);
});
