// What was judged and shown to a person is what is used: while the question is open, links are set to something else and
// folders are moved, for every tool that takes a path and in both eras of the protocol.
import { expect } from "bun:test";
import {
  existsSync,
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
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { connectAsked, writeSettings } from "./harness/asked-client.ts";
import type { AskedClient, Era } from "./harness/asked-client.ts";
import { scratch, TestServer } from "./harness/server.ts";

announceRows();

const RULES = `
[[rules]]
name = "ask about a"
decide = "ask"
path = ["a/**"]

[[rules]]
name = "never b"
decide = "deny"
path = ["b/**"]

[[rules]]
name = "ask about commands"
decide = "ask"
tool = ["bosun.shell", "bosun.run_command"]

[[rules]]
name = "ask about touch"
decide = "ask"
command = ["touch"]
`;
const ERAS: readonly Era[] = ["legacy", "auto"];
const CHANGED = /moved, (made|left) or replaced/;

type Folder = { readonly base: string; readonly root: string };

/** a/link → x.txt, a/new → n.txt (not there), a/dir → d; the same names in b. */
function prepared(): Folder {
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

function repoint(link: string, to: string): void {
  rmSync(link);
  symlinkSync(to, link);
}

/** Everything below: files with their content, links with their text. */
function treeOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted();
  const shown = (file: string): string => {
    const stat = lstatSync(file);
    if (stat.isSymbolicLink()) return `→ ${readlinkSync(file)}`;
    return stat.isFile() ? readFileSync(file, "utf8") : "a folder";
  };
  return Object.fromEntries(names.map((name) => [name, shown(path.join(folder, name))]));
}

/** A person who says yes once, after `meanwhile` has happened, and no to everything after. */
async function connect(made: Folder, era: Era, meanwhile: () => Promise<void> | void, ...args: string[]) {
  let questions = 0;
  return connectAsked(made, {
    era,
    args: ["--sandbox", "off", "--tools", "coding,workspace,shell", "--require-view-before-edit", "false", ...args],
    async reply() {
      questions += 1;
      if (questions > 1) return "refuse";
      await meanwhile();
      return "allow once";
    },
  });
}

function auditOf(base: string): string {
  const folder = `${base}/state/bosun/audit`;
  return readdirSync(folder)
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => readFileSync(`${folder}/${name}`, "utf8"))
    .join("");
}

type Call = readonly [name: string, tool: string, args: Record<string, unknown>, link: string, to: string];

const editor = (command: string, more: Record<string, unknown>): Record<string, unknown> => ({
  command,
  path: "a/link",
  ...more,
});
const touchByNode = { command: "node", args: ["-e", "require('fs').writeFileSync('made', '')"], timeoutMs: 60_000 };

const CALLS: readonly Call[] = [
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

const EDITOR_CALLS: readonly Call[] = [
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

async function underRepointing(era: Era, [, tool, args, link, to]: Call, ...flags: string[]): Promise<void> {
  const made = prepared();
  const before = treeOf(`${made.root}/b`);
  await using person = await connect(made, era, () => repoint(`${made.root}/${link}`, to), ...flags);
  const { text, isError } = await person.call(tool, args);
  expect(treeOf(`${made.root}/b`)).toEqual(before);
  expect(text).not.toContain("b text");
  expect(text).not.toContain("secret-name");
  // Held open, the judged place is used; a call that comes again is another one by then.
  expect([text, isError]).toEqual([text, era === "auto"]);
  expect(person.asked).not.toEqual([]);
}

type Change = readonly [name: string, tool: string, args: Record<string, unknown>, meanwhile: (root: string) => void];

const replaceByLink = (name: string, to: string) => (root: string) => {
  renameSync(`${root}/${name}`, `${root}/a/aside`);
  symlinkSync(to, `${root}/${name}`);
};
const into = (name: string, to: string) => (root: string) => renameSync(`${root}/${name}`, `${root}/${to}`);

const CHANGES: readonly Change[] = [
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
function replacedByFolder(name: string): (root: string) => void {
  return (root) => {
    renameSync(`${root}/${name}`, `${root}/a/aside`);
    mkdirSync(`${root}/${name}`);
    writeFileSync(`${root}/${name}/in.txt`, "b text\n");
  };
}

async function underChange(era: Era, [, tool, args, meanwhile]: Change): Promise<void> {
  const made = prepared();
  let before: ReturnType<typeof treeOf>[] = [];
  const everything = () => [treeOf(`${made.root}/a`), treeOf(`${made.root}/b`)];
  await using person = await connect(made, era, () => {
    meanwhile(made.root);
    before = everything();
  });
  const { text, isError } = await person.call(tool, args);
  expect(before).toHaveLength(2);
  expect([text, isError]).toEqual([text, true]);
  expect(everything()).toEqual(before);
  expect(text).not.toContain("b text");
  if (era === "legacy") expect(text).toMatch(CHANGED);
}

together(() => {
  for (const era of ERAS) {
    rows(
      "server",
      CALLS.map((one): [string, Call] => [`${era}: a link set to b while the question is open: ${one[0]}`, one]),
      (_, one) => underRepointing(era, one),
    );
    rows(
      "server",
      EDITOR_CALLS.map((one): [string, Call] => [`${era}: a link set to b while the question is open: ${one[0]}`, one]),
      (_, one) => underRepointing(era, one, "--anthropic-compat"),
    );
    rows(
      "server",
      CHANGES.map((one): [string, Change] => [
        `${era}: nothing is done when what was judged has changed: ${one[0]}`,
        one,
      ]),
      (_, one) => underChange(era, one),
    );
  }

  rows(
    "server",
    [
      ["a link to a file", { path: "a/link", content: "w" }, "path: a/link → ROOT/a/x.txt"],
      ["a link to nothing yet", { path: "a/new", content: "w" }, "path: a/new → ROOT/a/n.txt"],
      [
        "a folder that is a link",
        { path: "./a/dir/m/n.txt", content: "w" },
        "path: ./a/dir/m/n.txt → ROOT/a/d/m/n.txt",
      ],
      ["a name with an arrow", { path: "a/arrow → /etc/x", content: "w" }, 'path: "a/arrow → /etc/x" → ROOT/a/x.txt'],
    ] satisfies [string, Record<string, string>, string][],
    async (_, args, shown) => {
      const made = prepared();
      mkdirSync(`${made.root}/a/arrow → /etc`, { recursive: true });
      symlinkSync("../../x.txt", `${made.root}/a/arrow → /etc/x`);
      await using person = await connect(made, "legacy", () => {});
      await person.call("create_file", args);
      expect(person.asked[0]?.split("\n")).toContain(shown.replace("ROOT", made.root));
    },
  );

  row("server", "a path that says where it leads is not repeated in the question", async () => {
    const made = prepared();
    await using person = await connect(made, "legacy", () => {});
    expect((await person.call("create_file", { path: "a/d/../x.txt", content: "w" })).isError).toBe(false);
    expect(person.asked[0]).not.toContain("→");
  });

  row("server", "what happens to other files while the question is open is no change", async () => {
    const made = prepared();
    await using person = await connect(made, "legacy", () => {
      mkdirSync(`${made.root}/a/m`);
      writeFileSync(`${made.root}/a/m/other.txt`, "");
      writeFileSync(`${made.root}/a/x.txt`, "changed in place\n");
    });
    expect((await person.call("create_file", { path: "a/m/n.txt", content: "w" })).isError).toBe(false);
    expect(readFileSync(`${made.root}/a/m/n.txt`, "utf8")).toBe("w");
  });

  row("server", "legacy: nothing is done when a folder above what was judged was moved into b", () =>
    underChange("legacy", ["", "write_file", { file: "a/d/e/f.txt", content: "w" }, into("a/d", "b/d")]),
  );

  for (const era of ERAS) {
    const changes: [string, (root: string) => void][] = [
      [`${era}: bash does not run in a folder that was replaced by a link`, replaceByLink("a/d", "../b")],
      [`${era}: bash does not run in a folder that was moved into b`, into("a/d", "b/d")],
      [`${era}: bash does not run in a folder that was replaced by another`, replacedByFolder("a/d")],
    ];
    rows("server", changes, async (_, change) => {
      const made = prepared();
      await using person = await connect(made, era, () => change(made.root));
      await person.call("bash", { command: "cd a/d" });
      const { text } = await person.call("bash", { command: "touch made" });
      expect(text).not.toContain("exit_code: 0");
      for (const folder of ["a/d", "a/aside", "b", "b/d"])
        expect(existsSync(`${made.root}/${folder}/made`)).toBe(false);
    });
  }

  row("server", "bash does not run in a folder that its session went to while the question was open", async () => {
    const made = prepared();
    const opened: { person?: AskedClient } = {};
    await using person = await connect(made, "legacy", async () => {
      await opened.person?.call("bash", { command: "cd b" });
    });
    opened.person = person;
    const { text, isError } = await person.call("bash", { command: "touch made" });
    expect([text, isError]).toEqual([text, true]);
    expect(text).toMatch(CHANGED);
    expect(existsSync(`${made.root}/b/made`) || existsSync(`${made.root}/made`)).toBe(false);
  });

  row("server", "without a question, a session's folder that became a link is not where a command runs", async () => {
    const { root, base } = scratch({ "a/d/in.txt": "", "b/in.txt": "" });
    writeSettings(base, '[[rules]]\nname = "never b"\ndecide = "deny"\npath = ["b/**"]\n');
    await using server = await TestServer.start({ root, args: ["--sandbox", "off"] });
    await server.bash("cd a/d");
    renameSync(`${root}/a/d`, `${root}/a/aside`);
    symlinkSync("../b", `${root}/a/d`);
    expect(await server.bash("echo x > made")).toMatch(/a part of it was replaced by a link; reset to /);
    expect(existsSync(`${root}/b/made`)).toBe(false);
    expect(await server.bash("pwd")).toContain(root);
  });

  row("server", "the record names the real paths that were judged, and what the boundary refused", async () => {
    const made = prepared();
    await using person = await connect(made, "legacy", () => {}, "--deny-dir", "**/*.pem");
    await person.call("create_file", { path: "a/link", content: "w" });
    await person.call("view", { path: "b/x.txt" });
    await person.call("view", { path: "/etc/hostname" });
    await person.call("read_file", { file: "key.pem" });
    await person[Symbol.asyncDispose]();
    const lines = auditOf(made.base)
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const about = (file: string) => lines.filter(({ paths }) => Array.isArray(paths) && paths.includes(file));
    expect(about(`${made.root}/a/x.txt`).map(({ kind }) => kind)).toEqual(["decision", "decision", "outcome"]);
    expect(about(`${made.root}/a/x.txt`)[1]).toMatchObject({ verdict: "ask", answer: "allowed: once" });
    expect(about(`${made.root}/b/x.txt`)[0]).toMatchObject({ kind: "decision", verdict: "deny" });
    expect(about("/etc/hostname")).toMatchObject([
      { kind: "outcome", verdict: "deny", rule: "the boundary (boundary)", outcome: "refused" },
    ]);
    expect(about(`${made.root}/key.pem`)).toMatchObject([
      { verdict: "deny", rule: "pattern **/*.pem (boundary)", outcome: "refused" },
    ]);
  });
});
