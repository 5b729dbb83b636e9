// S4: what a person was asked about, changed while they decide: links set to something else, folders moved, names taken. The
// rules ask about a and deny b; whatever happens meanwhile, nothing of b is shown or changed. Also without a question, in a
// race. The tables serve the test of both eras of the protocol as well.
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { writeSettings } from "../harness/asked-client.ts";
import { scratch } from "../harness/server.ts";
import { must } from "./arena.ts";
import type { Arena, Attack, Variant } from "./arena.ts";

const NEVER_B = `
[[rules]]
name = "never b"
decide = "deny"
path = ["b/**"]
`;

const RULES = `
[[rules]]
name = "ask about a"
decide = "ask"
path = ["a/**"]

${NEVER_B}
[[rules]]
name = "ask about commands"
decide = "ask"
tool = ["bosun.shell", "bosun.run_command"]

[[rules]]
name = "ask about touch"
decide = "ask"
command = ["touch"]
`;

export type Folder = { readonly base: string; readonly root: string };

/** a/link → x.txt, a/new → n.txt (not there), a/dir → d; the same names in b. */
export function preparedFolder(): Folder {
  const made = scratch({
    "a/x.txt": "a text\n",
    "a/d/in.txt": "a text\n",
    "b/x.txt": "b text\n",
    "b/in.txt": "b text\n",
    "b/secret-name.txt": "b text\n",
    "b/sub/in.txt": "b text\n",
  });
  symlinkSync("x.txt", `${made.root}/a/link`);
  symlinkSync("n.txt", `${made.root}/a/new`);
  symlinkSync("d", `${made.root}/a/dir`);
  writeSettings(made.base, RULES);
  return made;
}

export function repoint(link: string, to: string): void {
  rmSync(link);
  symlinkSync(to, link);
}

/** Everything below: files with their content, links with their text. */
export function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const shown = (file: string): string => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return `→ ${readlinkSync(file)}`;
    return stat.isFile() ? readFileSync(file, "utf8") : "a folder";
  };
  return Object.fromEntries(names.map((name) => [name, shown(path.join(folder, name))]));
}

export type RepointedCall = readonly [
  name: string,
  tool: string,
  args: Record<string, unknown>,
  link: string,
  to: string,
];

const editor = (command: string, more: Record<string, unknown>): Record<string, unknown> => ({
  command,
  path: "a/link",
  ...more,
});
const touchByNode = { command: "node", args: ["-e", "require('fs').writeFileSync('made', '')"], timeoutMs: 60_000 };

export const REPOINTED: readonly RepointedCall[] = [
  ["create_file over a link", "create_file", { path: "a/link", content: "w" }, "a/link", "../b/x.txt"],
  ["create_file at a dangling link", "create_file", { path: "a/new", content: "w" }, "a/new", "../b/n.txt"],
  ["create_file below a link", "create_file", { path: "a/dir/new.txt", content: "w" }, "a/dir", "../b"],
  ["create_file through .. after a link", "create_file", { path: "a/dir/../n.txt", content: "w" }, "a/dir", "../b/sub"],
  ["str_replace", "str_replace", { path: "a/link", old_str: "text", new_str: "w" }, "a/link", "../b/x.txt"],
  ["view of a file", "view", { path: "a/link" }, "a/link", "../b/x.txt"],
  ["view of a folder", "view", { path: "a/dir" }, "a/dir", "../b"],
  ["grep in a file", "grep", { pattern: "text", path: "a/link", output_mode: "content" }, "a/link", "../b/x.txt"],
  ["grep in a folder", "grep", { pattern: "text", path: "a/dir", output_mode: "content" }, "a/dir", "../b"],
  ["glob", "glob", { pattern: "**/*", path: "a/dir" }, "a/dir", "../b"],
  ["read_file", "read_file", { file: "a/link" }, "a/link", "../b/x.txt"],
  ["list_dir", "list_dir", { dir: "a/dir" }, "a/dir", "../b"],
  ["write_file", "write_file", { file: "a/link", content: "w" }, "a/link", "../b/x.txt"],
  ["write_file below a link", "write_file", { file: "a/dir/m/n.txt", content: "w" }, "a/dir", "../b"],
  ["edit_file", "edit_file", { file: "a/link", find: "text", replace: "w" }, "a/link", "../b/x.txt"],
  ["delete_file", "delete_file", { path: "a/dir/in.txt" }, "a/dir", "../b"],
  ["mkdir", "mkdir", { dir: "a/dir/made" }, "a/dir", "../b"],
  ["move_file, where from", "move_file", { from: "a/dir/in.txt", to: "a/moved.txt" }, "a/dir", "../b"],
  ["move_file, where to", "move_file", { from: "a/x.txt", to: "a/dir/moved.txt" }, "a/dir", "../b"],
  ["shell", "shell", { command: ": > made", working_directory: "a/dir" }, "a/dir", "../b"],
  ["run_command", "run_command", { ...touchByNode, cwd: "a/dir" }, "a/dir", "../b"],
];

export const REPOINTED_BY_EDITOR: readonly RepointedCall[] = [
  ["the editor's view", "str_replace_editor", editor("view", {}), "a/link", "../b/x.txt"],
  ["the editor's create", "str_replace_editor", editor("create", { file_text: "w" }), "a/link", "../b/x.txt"],
  [
    "the editor's str_replace",
    "str_replace_editor",
    editor("str_replace", { old_str: "text", new_str: "w" }),
    "a/link",
    "../b/x.txt",
  ],
];

export type ChangedCall = readonly [
  name: string,
  tool: string,
  args: Record<string, unknown>,
  meanwhile: (root: string) => void,
];

export const replaceByLink = (name: string, to: string) => (root: string) => {
  renameSync(`${root}/${name}`, `${root}/a/aside`);
  symlinkSync(to, `${root}/${name}`);
};
export const into = (name: string, to: string) => (root: string) => renameSync(`${root}/${name}`, `${root}/${to}`);

export const CHANGED: readonly ChangedCall[] = [
  ["its folder moved into b", "create_file", { path: "a/d/n.txt", content: "w" }, into("a/d", "b/d")],
  ["its folder moved, another made", "create_file", { path: "a/d/n.txt", content: "w" }, movedAndMade],
  ["its folder replaced by a link", "create_file", { path: "a/d/n.txt", content: "w" }, replaceByLink("a/d", "../b")],
  ["a folder above a link now", "write_file", { file: "a/d/e/f.txt", content: "w" }, replaceByLink("a/d", "../b")],
  ["a missing folder made as a link", "write_file", { file: "a/e/f.txt", content: "w" }, linked("a/e", "../b")],
  ["the file a link now", "create_file", { path: "a/x.txt", content: "w" }, replaceByLink("a/x.txt", "../b/x.txt")],
  ["the file another name of b's", "create_file", { path: "a/x.txt", content: "w" }, hardLinked("a/x.txt")],
  ["a new file another name of b's", "create_file", { path: "a/n.txt", content: "w" }, hardLinked("a/n.txt")],
  ["a new file made as a link", "create_file", { path: "a/n.txt", content: "w" }, linked("a/n.txt", "../b/x.txt")],
  [
    "an edited file a link now",
    "str_replace",
    { path: "a/x.txt", old_str: "text", new_str: "w" },
    replaceByLink("a/x.txt", "../b/x.txt"),
  ],
  ["a viewed file a link now", "view", { path: "a/x.txt" }, replaceByLink("a/x.txt", "../b/x.txt")],
  ["a viewed file another name of b's", "view", { path: "a/x.txt" }, hardLinked("a/x.txt")],
  ["a read file a link now", "read_file", { file: "a/x.txt" }, replaceByLink("a/x.txt", "../b/x.txt")],
  ["a listed folder a link now", "list_dir", { dir: "a/d" }, replaceByLink("a/d", "../b")],
  ["a searched folder a link now", "grep", { pattern: "text", path: "a/d" }, replaceByLink("a/d", "../b")],
  ["a searched folder moved", "glob", { pattern: "*", path: "a/d" }, into("a/d", "b/d")],
  ["what is deleted replaced", "delete_file", { path: "a/d", recursive: true }, replacedByFolder("a/d")],
  ["a folder's parent moved", "mkdir", { dir: "a/d/made" }, into("a/d", "b/d")],
  ["moved from elsewhere", "move_file", { from: "a/d/in.txt", to: "a/z.txt" }, into("a/d", "b/d")],
  ["moved to elsewhere", "move_file", { from: "a/x.txt", to: "a/d/z.txt" }, into("a/d", "b/d")],
  ["moved onto what was not there", "move_file", { from: "a/x.txt", to: "a/z.txt" }, hardLinked("a/z.txt")],
  ["a shell's folder a link", "shell", { command: ": > w", working_directory: "a/d" }, replaceByLink("a/d", "../b")],
  ["a shell's folder another", "shell", { command: ": > w", working_directory: "a/d" }, replacedByFolder("a/d")],
  ["a shell's folder moved", "shell", { command: ": > w", working_directory: "a/d" }, into("a/d", "b/d")],
  ["a program's folder a link", "run_command", { ...touchByNode, cwd: "a/d" }, replaceByLink("a/d", "../b")],
  ["a program's folder another", "run_command", { ...touchByNode, cwd: "a/d" }, replacedByFolder("a/d")],
];

function linked(name: string, to: string): (root: string) => void {
  return (root) => symlinkSync(to, `${root}/${name}`);
}

function hardLinked(name: string): (root: string) => void {
  return (root) => {
    rmSync(`${root}/${name}`, { force: true });
    linkSync(`${root}/b/x.txt`, `${root}/${name}`);
  };
}

function movedAndMade(root: string): void {
  renameSync(`${root}/a/d`, `${root}/b/d`);
  mkdirSync(`${root}/a/d`);
}

/** b's own folder, moved into the place. */
export function replacedByFolder(name: string): (root: string) => void {
  return (root) => {
    renameSync(`${root}/${name}`, `${root}/a/aside`);
    mkdirSync(`${root}/${name}`);
    writeFileSync(`${root}/${name}/in.txt`, "b text\n");
  };
}

/** Rounds of a race; more find more. */
const ROUNDS = process.env["BOSUN_FUZZ"] === "full" ? 60 : 10;
const SWAPPER = path.resolve(import.meta.dir, "../../../engine/test/fixtures/swapper.ts");
const ARGS = ["--tools", "coding,workspace,shell", "--require-view-before-edit", "false"];

const RACED: readonly (readonly [tool: string, args: Record<string, unknown>])[] = [
  ["create_file", { path: "a/d/new.txt", content: "w" }],
  ["str_replace", { path: "a/d/in.txt", old_str: "text", new_str: "w" }],
  ["view", { path: "a/d/in.txt" }],
  ["view", { path: "a/d" }],
  ["grep", { pattern: "text", path: "a/d", output_mode: "content" }],
  ["glob", { pattern: "*", path: "a/d" }],
  ["write_file", { file: "a/d/new.txt", content: "w" }],
  ["read_file", { file: "a/d/in.txt" }],
  ["list_dir", { dir: "a/d" }],
  ["mkdir", { dir: "a/d/made/deep" }],
  ["delete_file", { path: "a/d/in.txt" }],
  ["move_file", { from: "a/d/in.txt", to: "a/d/moved.txt" }],
  ["shell", { command: ": > made", working_directory: "a/d" }],
];

export const JUDGED_PATHS: readonly Attack[] = [
  {
    row: "S4",
    title: "a link re-pointed while a person is asked",
    variants: [
      ...REPOINTED.map((call) => repointed(call, [])),
      ...REPOINTED_BY_EDITOR.map((call) => repointed(call, ["--anthropic-compat"])),
    ],
    independent: true,
  },
  {
    row: "S4",
    title: "what a person is asked about moved or replaced",
    variants: CHANGED.map(changed),
    independent: true,
  },
  {
    row: "S4",
    title: "a judged folder swapped with a link to a denied one",
    variants: RACED.map(([tool, args]) => ({
      name: `${tool} ${Object.values(args).join(" ")}`,
      attempt: (arena) => raced(arena, tool, args),
    })),
    independent: true,
  },
];

function repointed([name, tool, args, link, to]: RepointedCall, flags: readonly string[]): Variant {
  return {
    name,
    async attempt(arena) {
      await whileAsked(arena, { tool, args, flags }, (root) => repoint(`${root}/${link}`, to));
    },
  };
}

function changed([name, tool, args, meanwhile]: ChangedCall): Variant {
  return {
    name,
    async attempt(arena) {
      const said = await whileAsked(arena, { tool, args, flags: [] }, meanwhile);
      must(said.includes("replaced"), `it was done all the same: ${said}`);
    },
  };
}

type Attempt = {
  readonly tool: string;
  readonly args: Record<string, unknown>;
  readonly flags: readonly string[];
};

/** Answers yes, but first does its worst. */
async function whileAsked(
  arena: Arena,
  { tool, args, flags }: Attempt,
  meanwhile: (root: string) => void,
): Promise<string> {
  const { root } = preparedFolder();
  await using server = await arena.own({
    root,
    args: [...ARGS, ...flags],
    capabilities: { elicitation: { form: {} } },
  });
  let before: Record<string, string> | undefined;
  server.onRequest = () => {
    meanwhile(root);
    before = treeOf(`${root}/b`);
    return { action: "accept", content: { decision: "allow once" } };
  };
  const said = JSON.stringify(await server.call(tool, args));
  must(before !== undefined, `nobody was asked: ${said}`);
  untouched(root, before, said);
  return said;
}

async function raced(arena: Arena, tool: string, args: Record<string, unknown>): Promise<void> {
  const { base, root } = preparedFolder();
  writeSettings(base, NEVER_B);
  await using server = await arena.own({ root, args: ARGS });
  const before = treeOf(`${root}/b`);
  const swapper = Bun.spawn([process.execPath, SWAPPER, `${root}/a`, "d", "../b"], { stdout: "pipe" });
  try {
    await swapper.stdout.getReader().read();
    for (let round = 0; round < ROUNDS; round += 1) {
      const answers = await Promise.all(Array.from({ length: 4 }, () => server.call(tool, args)));
      untouched(root, before, JSON.stringify(answers));
    }
  } finally {
    swapper.kill("SIGKILL");
    await swapper.exited;
  }
}

function untouched(root: string, before: Record<string, string> | undefined, said: string): void {
  must(!said.includes("b text") && !said.includes("secret-name"), `a denied place was shown: ${said.slice(0, 300)}`);
  const now = treeOf(`${root}/b`);
  must(JSON.stringify(now) === JSON.stringify(before), `a denied place was changed: ${JSON.stringify(now)}`);
}
