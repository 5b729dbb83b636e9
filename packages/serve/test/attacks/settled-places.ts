// S11: what a person's own programs obey and commands may write, reached by a way around: it is put back all the same.
import fs from "node:fs";
import path from "node:path";
import { eventually } from "../harness/server.ts";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";
import { git, ranWhenUsed, repository } from "./protected-places.ts";
import type { Made } from "./protected-places.ts";

/** `prepare`: what the person has there; the command plants; `file` must be as it was. */
type Planting = {
  readonly name: string;
  readonly prepare: (made: Made) => void;
  readonly command: string;
  readonly file: string;
};

const PLANTINGS: readonly Planting[] = [
  {
    name: "the script of a clean filter",
    prepare: ({ root }) => {
      write(root, "tools/clean.sh", "#!/bin/sh\ncat\n");
      write(root, ".git/info/attributes", "*.txt filter=x\n");
      git(root, "config", "filter.x.clean", "tools/clean.sh %f");
    },
    command: "cp evil.sh tools/clean.sh",
    file: "tools/clean.sh",
  },
  {
    name: "a script that an interpreter runs for git",
    prepare: ({ root }) => {
      write(root, "monitor.sh", "#!/bin/sh\nexit 1\n");
      git(root, "config", "diff.x.textconv", "sh monitor.sh");
    },
    command: "cp evil.sh monitor.sh",
    file: "monitor.sh",
  },
  {
    name: "a hooks folder elsewhere",
    prepare: ({ root }) => {
      write(root, "my-hooks/post-checkout", "#!/bin/sh\n");
      git(root, "config", "core.hooksPath", "my-hooks");
    },
    command: "cp evil.sh my-hooks/pre-commit; cp evil.sh my-hooks/post-checkout",
    file: "my-hooks/post-checkout",
  },
  {
    name: "an included configuration",
    prepare: ({ root }) => {
      write(root, "shared.config", "[user]\n\tname = a\n");
      git(root, "config", "include.path", "../shared.config");
    },
    command: "cat evil.config >> shared.config",
    file: "shared.config",
  },
  {
    name: "what the person's own link leads to",
    prepare: ({ root }) => {
      write(root, "conf/envrc", "export A=1\n");
      fs.symlinkSync("conf/envrc", path.join(root, ".envrc"));
    },
    command: "echo evil > conf/envrc",
    file: ".envrc",
  },
  {
    name: "the script that a hook is a link to",
    prepare: ({ root }) => {
      write(root, "tools/check.sh", "#!/bin/sh\n");
      fs.chmodSync(path.join(root, "tools/check.sh"), 0o755);
      fs.symlinkSync("../../tools/check.sh", path.join(root, ".git/hooks/pre-commit"));
    },
    command: "cat evil.sh > tools/check.sh",
    file: "tools/check.sh",
  },
  {
    name: "git's configuration by a second name from before",
    prepare: ({ root }) => fs.linkSync(path.join(root, ".git/config"), path.join(root, "other")),
    command: "cat evil.config >> other; rm other",
    file: ".git/config",
  },
  {
    name: "another file in a folder with a thousand",
    prepare: ({ root }) => {
      for (let n = 0; n < 1000; n += 1) write(root, `.claude/a${n}.md`, "x");
    },
    command: "echo evil > .claude/zz.md",
    file: ".claude/zz.md",
  },
];

export const SETTLED_PLACES: readonly Attack[] = [
  {
    row: "S11",
    title: "what git and other programs obey, by ways around",
    variants: [
      ...PLANTINGS.map(planted),
      { name: "a hard link by a command, written through by a file tool", attempt: throughHardLink },
      ...["a/b/c/d/e/sub", "node_modules/m/sub"].map(namedByCommit),
      { name: "a second server that begins in the middle of the first one's command", attempt: secondServer },
    ],
    independent: true,
  },
];

function planted({ name, prepare, command, file }: Planting): Variant {
  return {
    name,
    attempt: async (arena) => {
      const made = repository();
      prepare(made);
      const before = read(made.root, file);
      await using server = await arena.own({ root: made.root });
      await server.bash(command);
      must(read(made.root, file) === before, `${file} was changed`);
      must(!ranWhenUsed(made), "the person's git ran what was planted");
    },
  };
}

async function throughHardLink(arena: Arena): Promise<void> {
  const made = repository();
  write(made.root, ".envrc", "export A=1\n");
  await using server = await arena.own({ root: made.root });
  await server.bash("ln .envrc x");
  await server.call("create_file", { path: "x", content: "evil\n" });
  await server.call("str_replace", { path: "x", old_str: "A=1", new_str: "A=evil" });
  must(read(made.root, ".envrc") === "export A=1\n", ".envrc was changed");
}

/** `git checkout` of a commit that names it makes `git status` go into it. */
function namedByCommit(place: string): Variant {
  return {
    name: `a repository in ${place} that only a commit names`,
    attempt: async (arena) => {
      const made = repository();
      const ran = path.join(made.root, "ran-deep");
      await using server = await arena.own({ root: made.root });
      const as = "git -c user.name=a -c user.email=a@x";
      const said = await server.bash(
        `D=${place}; mkdir -p $D; git init -q $D; ${as} -C $D commit -q --allow-empty -m x
git -C $D config core.fsmonitor 'touch ${ran};false'; H=$(git -C $D rev-parse HEAD)
${as} commit -q --allow-empty -m first; git branch feature; git symbolic-ref HEAD refs/heads/feature
git update-index --add --cacheinfo 160000,$H,$D; ${as} commit -qm f; git symbolic-ref HEAD refs/heads/main; git reset -q
git ls-tree -r feature`,
      );
      must(said.includes("160000"), `the attack was not set up: ${said}`);
      await eventually(
        "it is found",
        () => git(made.root, "-C", place, "config", "--list").includes("monitor") === false,
      );
      git(made.root, "symbolic-ref", "HEAD", "refs/heads/feature");
      git(made.root, "reset", "-q");
      git(made.root, "status");
      must(!fs.existsSync(ran), "the person's git ran what was planted");
    },
  };
}

async function secondServer(arena: Arena): Promise<void> {
  const made = repository();
  write(made.root, ".envrc", "export A=1\n");
  await using first = await arena.own({ root: made.root });
  await using second = await arena.own({ root: made.root });
  const wait = (name: string): string => `until [ -e ${name} ]; do sleep 0.01; done`;
  const one = first.bash(`echo evil > .envrc; touch one; ${wait("two")}`);
  await eventually("the first has changed it", () => fs.existsSync(path.join(made.root, "one")));
  const other = second.bash(`touch two; ${wait("three")}`);
  await one;
  write(made.root, "three", "");
  await other;
  must(read(made.root, ".envrc") === "export A=1\n", ".envrc was changed");
}

function write(root: string, name: string, content: string): void {
  fs.mkdirSync(path.dirname(path.join(root, name)), { recursive: true });
  fs.writeFileSync(path.join(root, name), content, { mode: 0o755 });
}

function read(root: string, name: string): string | undefined {
  const file = path.join(root, name);
  return fs.existsSync(file) ? fs.readFileSync(file, "utf8") : undefined;
}
