// S7 and S11: somebody outside replaces a file that is covered for a running command, as editors and git do by renaming. The
// kernel takes the mount on it away; the command must not see or change it then.
import fs from "node:fs";
import path from "node:path";
import { eventually, scratch } from "../harness/server.ts";
import type { TestServer } from "../harness/server.ts";
import { CANARY, must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { git, ranWhenUsed, repository } from "./protected-places.ts";
import type { Made } from "./protected-places.ts";

export const LOST_MOUNTS: readonly Attack[] = [
  {
    row: "S7",
    title: "files that are denied, replaced while a command runs",
    variants: [
      { name: "a task, and a file saved by renaming", attempt: (arena) => deniedFile(arena, true, saved) },
      { name: "a command that takes long", attempt: (arena) => deniedFile(arena, false, saved) },
      { name: "a file that was deleted and made anew", attempt: (arena) => deniedFile(arena, true, madeAnew) },
      { name: "a folder that was moved away and made anew", attempt: (arena) => deniedFile(arena, true, folderAnew) },
    ],
    offReason: "a running command has the rights of the server's user",
    independent: true,
  },
  {
    row: "S11",
    title: "git's hooks and configuration, replaced by the person while a task runs",
    variants: [
      planted("the configuration, after git remote add", "cat evil.config >> .git/config", (made) =>
        git(made.root, "remote", "add", "origin", "https://example.com/x.git"),
      ),
      planted("hooks that were moved away", "mkdir .git/hooks; cp evil.sh .git/hooks/pre-commit", (made) =>
        fs.renameSync(path.join(made.root, ".git/hooks"), path.join(made.root, ".git/old-hooks")),
      ),
      planted("hooks that were made anew", "cp evil.sh .git/hooks/pre-commit", (made) => {
        fs.rmSync(path.join(made.root, ".git/hooks"), { recursive: true });
        fs.mkdirSync(path.join(made.root, ".git/hooks"));
      }),
    ],
    offReason: "a running command has the rights of the server's user",
    independent: true,
  },
];

function saved(file: string): void {
  fs.writeFileSync(`${file}.new`, CANARY);
  fs.renameSync(`${file}.new`, file);
}

function madeAnew(file: string): void {
  fs.rmSync(file);
  fs.writeFileSync(file, CANARY);
}

function folderAnew(file: string): void {
  const folder = path.dirname(file);
  fs.renameSync(folder, `${folder}.old`);
  fs.mkdirSync(folder);
  fs.writeFileSync(file, CANARY);
}

/** What is read a second later is read by a command that should not run any more. */
async function deniedFile(arena: Arena, isTask: boolean, replace: (file: string) => void): Promise<void> {
  const { base, root } = scratch({ "inner/.env": "old\n" });
  // Moved away it would be another file, which no rule is about.
  const server = await arena.own({ root, args: ["--deny-dir", "**/.env*"] });
  const command =
    "touch begun; until [ -e replaced ]; do sleep 0.02; done; sleep 1; cat inner/.env > seen; touch looked";
  const running = server.bash(command, isTask ? { run_in_background: true } : {});
  await eventually("the command has begun", () => fs.existsSync(path.join(root, "begun")));
  await Bun.sleep(100); // a command this short would be over
  replace(path.join(root, "inner/.env"));
  fs.writeFileSync(path.join(root, "replaced"), "");
  const said: string[] = [await running];
  await eventually("the session was told", async () => {
    if (isTask) said.push(await server.bash("echo next"));
    return said.some((text) => text.includes("[protected] a running command was stopped"));
  });
  await server.close();
  const file = path.join(root, "seen");
  must(!fs.existsSync(file) || !fs.readFileSync(file, "utf8").includes(CANARY), "the new file was read");
  must(!said.join().includes(CANARY), "it was shown");
  fs.rmSync(base, { recursive: true, force: true });
}

function planted(name: string, command: string, replace: (made: Made) => void): Variant {
  return {
    name,
    attempt: async (arena) => {
      const made = repository();
      const server = await arena.own({ root: made.root });
      const task = `touch begun; until [ -e replaced ]; do sleep 0.02; done; ${command}; touch done; sleep 60`;
      await server.bash(task, { run_in_background: true });
      await eventually("the task has begun", () => fs.existsSync(path.join(made.root, "begun")));
      await Bun.sleep(100); // a command this short would be over
      replace(made);
      fs.writeFileSync(path.join(made.root, "replaced"), "");
      await eventually("the task tried", () => fs.existsSync(path.join(made.root, "done")));
      await putBack(server);
      must(!ranWhenUsed(made), "the person's git ran what was planted");
      await server.close();
    },
  };
}

/** At once; and in any case when the next command has ended. */
async function putBack(server: TestServer): Promise<void> {
  await server.bash("true");
}
