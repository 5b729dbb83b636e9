// Repositories that commands make, and git folders inside of others, through the real server: what git would run there is
// put back, and what a command made it can remove.
import { afterAll, describe, expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { git, repository } from "./attacks/protected-places.ts";
import { removeScratch, scratch, TestServer } from "./harness/server.ts";

afterAll(removeScratch);

const AS = "git -c user.name=a -c user.email=a@x -c init.defaultBranch=main";
const hasSandbox = Bun.which("bwrap") !== null;

describe.if(hasSandbox)("in the sandbox", () => {
  test("what a command made, the next one removes, makes again, and cannot make git run", async () => {
    const made = scratch();
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    await server.bash(`${AS} init -q tpl && ${AS} -C tpl commit -q --allow-empty -m x`);
    await server.bash("git clone -q tpl app2");
    expect(await server.bash("rm -rf app2 && ls -A")).toBe("exit_code: 0\n\nstdout:\ntpl\n");
    const again = await server.bash(`(cd tpl && rm -rf .git && ${AS} init -q && git status --short && echo well)`);
    expect(again).toContain("stdout:\nwell\n");
    const said = await server.bash(
      "(cd tpl; echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil; echo ../x > .git/commondir)",
    );
    for (const name of ["hooks/pre-commit", "config", "commondir"])
      expect(said).toContain(`[protected] put back: tpl/.git/${name}`);
    expect(fs.existsSync(server.at("tpl/.git/hooks/pre-commit"))).toBe(false);
    expect(git(server.at("tpl"), "config", "--list", "--local")).not.toContain("evil");
    await server.bash("rm -rf tpl/.git");
    expect(fs.readdirSync(server.at("tpl"))).toEqual([]);
  });

  test("a person's repository stays held, also in a folder that is made to look like a bare one", async () => {
    const made = scratch();
    git(made.root, "init", "-q", "proj/app");
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    await server.bash("(cd proj && mkdir objects refs && echo ref: refs/heads/x > HEAD)");
    const said = await server.bash("cd proj/app && rm -rf .git; echo evil > .git/hooks/pre-commit; mv .git x; ls -A");
    expect(said).toContain("Read-only file system");
    expect(fs.existsSync(server.at("proj/app/.git/hooks/pre-commit"))).toBe(false);
  });

  test("a repository in a folder whose name is not UTF-8 is held", async () => {
    const made = scratch();
    git(made.root, "init", "-q", "plain");
    Bun.spawnSync(["sh", "-c", 'mv plain "$(printf "caf\\351")"'], { cwd: made.root });
    await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
    const said = await server.bash("cd caf*; echo evil > .git/hooks/pre-commit; git config core.fsmonitor ./evil");
    expect(said).toContain("Read-only file system");
    expect(
      Bun.spawnSync(["sh", "-c", "cat caf*/.git/config; ls caf*/.git/hooks"], { cwd: made.root }).stdout.toString(),
    )
      // The samples of git itself have other names.
      .not.toMatch(/evil|^pre-commit$/m);
  });
});

test("without a sandbox git folders inside of others are settled, too, and new ones may come", async () => {
  const made = repository();
  const { root } = made;
  const inMade = (...words: string[]): string => git(root, "-c", "protocol.file.allow=always", ...words);
  git(made.base, "init", "-q", "lib");
  git(
    path.join(made.base, "lib"),
    "-c",
    "user.name=a",
    "-c",
    "user.email=a@x",
    "commit",
    "-q",
    "--allow-empty",
    "-m",
    "x",
  );
  inMade("submodule", "--quiet", "add", path.join(made.base, "lib"), "libs/lib");
  inMade("worktree", "add", "-q", "tree");
  inMade("init", "-q", "--bare", "bare.git");
  await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
  const before = fs.readFileSync(server.at(".git/worktrees/tree/commondir"), "utf8");
  const pointer = fs.readFileSync(server.at("tree/.git"), "utf8");
  const said = await server.bash(
    [
      "mkdir -p .git/modules/libs/lib/hooks bare.git/hooks",
      "echo evil > .git/modules/libs/lib/hooks/post-checkout",
      "git config -f .git/modules/libs/lib/config core.fsmonitor ./evil",
      "echo evil > bare.git/hooks/update",
      "git config -f bare.git/config core.fsmonitor ./evil",
      "echo ../../../evil > .git/worktrees/tree/commondir",
      "echo gitdir: ../evil > tree/.git",
    ].join("; "),
  );
  expect(said).toContain("[protected] put back: .git/modules/libs/lib/hooks/post-checkout");
  expect(fs.existsSync(server.at(".git/modules/libs/lib/hooks/post-checkout"))).toBe(false);
  expect(fs.existsSync(server.at("bare.git/hooks/update"))).toBe(false);
  for (const config of [".git/modules/libs/lib/config", "bare.git/config"])
    expect(fs.readFileSync(server.at(config), "utf8")).not.toContain("evil");
  expect(fs.readFileSync(server.at(".git/worktrees/tree/commondir"), "utf8")).toBe(before);
  expect(fs.readFileSync(server.at("tree/.git"), "utf8")).toBe(pointer);
  const added = await server.bash(
    `git worktree add -q other && git -C other status --short && git worktree remove other`,
  );
  expect(added).toStartWith("exit_code: 0");
  expect(await server.bash("git worktree add -q third")).toStartWith("exit_code: 0");
  expect(git(server.at("third"), "status", "--short")).toBe("");
});

test("without a sandbox a git folder that a command puts inside of another is looked at as a new one", async () => {
  const made = repository();
  await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "off"] });
  await server.bash("git init -q --bare .git/modules/x && echo evil > .git/modules/x/hooks/post-checkout");
  expect(fs.existsSync(server.at(".git/modules/x/hooks/post-checkout"))).toBe(false);
  await server.bash("echo evil > .git/modules/x/hooks/post-checkout");
  expect(fs.existsSync(server.at(".git/modules/x/hooks/post-checkout"))).toBe(false);
  expect(fs.existsSync(server.at(".git/modules/x/HEAD"))).toBe(true);
});

test.if(hasSandbox)("commands run in a repository without a configuration", async () => {
  const made = scratch();
  git(made.root, "init", "-q", ".");
  fs.rmSync(path.join(made.root, ".git/config"));
  await using server = await TestServer.start({ root: made.root, args: ["--sandbox", "require"] });
  expect(await server.bash("echo well")).toBe("exit_code: 0\n\nstdout:\nwell\n");
});
