// What was judged and shown to a person is what is used: while the question is open, links are set to something else and
// folders are moved, for every tool that takes a path and in both eras of the protocol.
import { expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import {
  CHANGED,
  into,
  preparedFolder,
  REPOINTED,
  REPOINTED_BY_EDITOR,
  repoint,
  replaceByLink,
  replacedByFolder,
  treeOf,
} from "./attacks/judged-paths.ts";
import type { ChangedCall, Folder, RepointedCall } from "./attacks/judged-paths.ts";
import { announceRows, row, rows, together } from "./harness/contract.ts";
import { connectAsked, writeSettings } from "./harness/asked-client.ts";
import type { AskedClient, Era } from "./harness/asked-client.ts";
import { eventually, scratch, TestServer } from "./harness/server.ts";
import type { Message } from "./harness/server.ts";

announceRows();

const ERAS: readonly Era[] = ["legacy", "auto"];
const SAID = /moved, (made|left) or replaced/;

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

async function underRepointing(era: Era, [, tool, args, link, to]: RepointedCall, ...flags: string[]): Promise<void> {
  const made = preparedFolder();
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

async function underChange(era: Era, [, tool, args, meanwhile]: ChangedCall): Promise<void> {
  const made = preparedFolder();
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
  if (era === "legacy") expect(text).toMatch(SAID);
}

together(() => {
  for (const era of ERAS) {
    rows(
      "server",
      REPOINTED.map((one): [string, RepointedCall] => [
        `${era}: a link set to b while the question is open: ${one[0]}`,
        one,
      ]),
      (_, one) => underRepointing(era, one),
    );
    rows(
      "server",
      REPOINTED_BY_EDITOR.map((one): [string, RepointedCall] => [
        `${era}: a link set to b while the question is open: ${one[0]}`,
        one,
      ]),
      (_, one) => underRepointing(era, one, "--anthropic-compat"),
    );
    rows(
      "server",
      CHANGED.map((one): [string, ChangedCall] => [
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
      const made = preparedFolder();
      mkdirSync(`${made.root}/a/arrow → /etc`, { recursive: true });
      symlinkSync("../../x.txt", `${made.root}/a/arrow → /etc/x`);
      await using person = await connect(made, "legacy", () => {});
      await person.call("create_file", args);
      expect(person.asked[0]?.split("\n")).toContain(shown.replace("ROOT", made.root));
    },
  );

  row("server", "a path that says where it leads is not repeated in the question", async () => {
    const made = preparedFolder();
    await using person = await connect(made, "legacy", () => {});
    expect((await person.call("create_file", { path: "a/d/../x.txt", content: "w" })).isError).toBe(false);
    expect(person.asked[0]).not.toContain("→");
  });

  row("server", "what happens to other files while the question is open is no change", async () => {
    const made = preparedFolder();
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
      const made = preparedFolder();
      await using person = await connect(made, era, () => change(made.root));
      await person.call("bash", { command: "cd a/d" });
      const { text } = await person.call("bash", { command: "touch made" });
      expect(text).not.toContain("exit_code: 0");
      for (const folder of ["a/d", "a/aside", "b", "b/d"])
        expect(existsSync(`${made.root}/${folder}/made`)).toBe(false);
    });
  }

  row("server", "bash does not run in a folder that its session went to while the question was open", async () => {
    const made = preparedFolder();
    const opened: { person?: AskedClient } = {};
    await using person = await connect(made, "legacy", async () => {
      await opened.person?.call("bash", { command: "cd b" });
    });
    opened.person = person;
    const { text, isError } = await person.call("bash", { command: "touch made" });
    expect([text, isError]).toEqual([text, true]);
    expect(text).toMatch(SAID);
    expect(existsSync(`${made.root}/b/made`) || existsSync(`${made.root}/made`)).toBe(false);
  });

  row("server", "a session whose folder is gone leaves it, also when its next command is asked about", async () => {
    const made = preparedFolder();
    await using person = await connect(made, "legacy", () => {});
    await person.call("bash", { command: "cd a/d" });
    renameSync(`${made.root}/a/d`, `${made.root}/a/aside`);
    expect((await person.call("bash", { command: "touch made" })).text).toContain("no longer exists; reset to");
    expect((await person.call("bash", { command: "pwd" })).text).toContain(made.root);
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

  row("server", "so many questions are open at a time, and no more", async () => {
    const { root } = preparedFolder();
    const args = ["--sandbox", "off"];
    await using server = await TestServer.start({ root, args, capabilities: { elicitation: { form: {} } } });
    const waiting: Message[] = [];
    server.onRequest = (question) => void waiting.push(question);
    const call = (index: number) => server.call("create_file", { path: `a/${index}.txt`, content: "w" });
    const asked = Array.from({ length: 200 }, (_, index) => call(index));
    await eventually("all are asked", () => waiting.length === 200);
    expect((await call(200)).content[0]?.text).toContain("200 questions are open already");
    for (const { id } of waiting) server.send({ jsonrpc: "2.0", id, result: { action: "decline" } });
    await Promise.all(asked);
    server.onRequest = () => ({ action: "accept", content: { decision: "allow once" } });
    expect((await call(201)).isError).toBeUndefined();
  });

  row("server", "no tool makes a place of its own from a text", async () => {
    const surfaces = new URL("../src/surfaces/", import.meta.url).pathname;
    for (const file of readdirSync(surfaces, { recursive: true, encoding: "utf8" })) {
      if (!file.endsWith(".ts")) continue;
      const source = readFileSync(`${surfaces}${file}`, "utf8");
      expect([file, /resolveInScope|openScope/.exec(source)]).toEqual([file, null]);
    }
  });

  row("server", "the record names the real paths that were judged, and what the boundary refused", async () => {
    const made = preparedFolder();
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
