// S11: what a person's own git runs or obeys, planted by file tools and by commands; then the person uses git, outside.
import fs from "node:fs";
import path from "node:path";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { scratch, TestServer } from "../harness/server.ts";

const IDENTITY = { GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@x", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@x" };

/** As the person uses it, outside. */
export function git(where: string, ...words: string[]): string {
  const { stdout, stderr } = Bun.spawnSync(["git", ...words], {
    cwd: where,
    env: { PATH: process.env["PATH"] ?? "", HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", ...IDENTITY },
  });
  return `${stdout.toString()}${stderr.toString()}`;
}

export type Made = ReturnType<typeof scratch>;

/** A repository with one commit, and a program that would leave a mark if somebody's git ran it. */
export function repository(): Made {
  const made = scratch({ "a.txt": "a\n", "plan/keep": "" });
  git(made.root, "init", "-q", "-b", "main");
  git(made.root, "add", ".");
  git(made.root, "commit", "-q", "-m", "first");
  const evil = path.join(made.root, "evil.sh");
  fs.writeFileSync(evil, `#!/bin/sh\ntouch ${made.base}/RAN\n`, { mode: 0o755 });
  fs.writeFileSync(path.join(made.root, "evil.config"), `[core]\n\tfsmonitor = ${evil}\n\tbare = false\n`);
  return made;
}

/** Everything a person does that would run what was planted. */
export function ranWhenUsed({ base, root }: Made): boolean {
  git(root, "status");
  fs.writeFileSync(path.join(root, "person.txt"), "p\n");
  git(root, "add", "person.txt");
  git(root, "commit", "-q", "-m", "by the person");
  git(root, "checkout", "-q", "-b", "other");
  return fs.existsSync(path.join(base, "RAN"));
}

/** What it is called, and the file that is to be made or written. */
export const BY_TOOL: readonly (readonly [name: string, file: string])[] = [
  ["a hook", ".git/hooks/pre-commit"],
  ["the configuration", ".git/config"],
  ["commondir", ".git/commondir"],
  ["config.worktree", ".git/config.worktree"],
  ["a submodule's configuration", ".git/modules/x/config"],
  ["a pointer file", "plan/.git"],
  ["a new repository's hook", "plan/.git/hooks/post-checkout"],
];

export const BY_COMMAND: readonly (readonly [name: string, command: string])[] = [
  ["a new hook", "cp evil.sh .git/hooks/pre-commit; cp evil.sh .git/hooks/post-checkout"],
  ["the configuration", "cat evil.config >> .git/config"],
  ["git config", "git config core.fsmonitor $PWD/evil.sh || true; true"],
  ["the hooks' folder renamed", "mv .git/hooks .git/old; mkdir .git/hooks; cp evil.sh .git/hooks/pre-commit"],
  ["the hooks' folder removed", "rm -rf .git/hooks; mkdir -p .git/hooks; cp evil.sh .git/hooks/pre-commit"],
  ["the configuration replaced", "cp evil.config .git/new; mv -f .git/new .git/config"],
  ["a hard link", "ln .git/config x; cat evil.config >> x"],
  ["a link in its place", "ln -sfn ../evil.config .git/config; rm -f .git/config; ln -s ../evil.config .git/config"],
  [".git itself replaced", "cp -r .git g && cat evil.config >> g/config && mv .git old && mv g .git"],
  ["the folder above renamed", "cd .. && mv work w2 && cp -r w2 work && cat work/evil.config >> work/.git/config"],
  ["commondir", "mkdir g; cp -r .git/. g/; cat evil.config >> g/config; printf '../g\\n' > .git/commondir"],
  ["config.worktree", "cp evil.config .git/config.worktree"],
  ["a bind mount", "mount --bind evil.config .git/config; umount .git/config; umount -l .git/hooks"],
  ["chmod and truncate", "chmod 777 .git/config; : > .git/config; cat evil.config >> .git/config"],
  ["a program", `python3 -c "import os; os.replace('evil.config', '.git/config')"`],
];

export const PROTECTED_PLACES: readonly Attack[] = [
  {
    row: "S11",
    title: "git's hooks and configuration by file tools",
    variants: BY_TOOL.map(byTool),
    independent: true,
  },
  {
    row: "S11",
    title: "git's hooks and configuration by commands",
    offReason:
      "a running command has the rights of the server's user; the file tools are refused without a sandbox, too",
    variants: BY_COMMAND.map(byCommand),
    independent: true,
  },
];

function byTool([name, file]: readonly [string, string]): Variant {
  return {
    name,
    attempt: (arena) =>
      used(arena, async (server) => {
        const result = await server.call("create_file", { path: file, content: "evil\n" });
        must(result.isError === true, `${file} was written`);
      }),
  };
}

function byCommand([name, command]: readonly [string, string]): Variant {
  return {
    name,
    attempt: (arena) =>
      used(arena, async (server) => {
        await server.bash(command);
        await server.bash(command); // on a waiting shell, and when an earlier one has prepared something
      }),
  };
}

async function used({ mode }: Arena, attempt: (server: TestServer) => Promise<void>): Promise<void> {
  const made = repository();
  const config = path.join(made.root, ".git/config");
  const before = fs.readFileSync(config, "utf8");
  await using server = await TestServer.start({
    root: made.root,
    args: ["--sandbox", mode === "on" ? "require" : "off"],
  });
  await attempt(server);
  must(fs.readFileSync(config, "utf8") === before, "the configuration was changed");
  must(!ranWhenUsed(made), "the person's git ran what was planted");
}
