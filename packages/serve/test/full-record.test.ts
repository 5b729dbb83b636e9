// The record cannot be written: a full disk. Nothing more runs, what ran is said to have run, and no line is lost.
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { readAuditFolder, verifyAuditFolder } from "@bosun/policy";
import { TestServer } from "./harness/server.ts";

const hasLimits = Bun.which("prlimit") !== null;

test.skipIf(!hasLimits)("a full disk under the record (needs prlimit)", async () => {
  await using server = await TestServer.start({ args: ["--sandbox", "off"] });
  const folder = path.join(server.base, "state/bosun/audit");
  const log = path.join(folder, "audit.jsonl");
  // The limit on a file's size is what a full disk looks like to a writer, and can be lifted.
  const limit = (bytes: number | "unlimited"): void => {
    Bun.spawnSync(["prlimit", `--pid=${server.process.pid}`, `--fsize=${bytes}:`]);
  };
  const say = async (tool: string, args: object): Promise<string> =>
    (await server.call(tool, args)).content.map(({ text }) => text).join("\n");
  const create = (name: string): Promise<string> => say("create_file", { path: name, content: name });
  const isThere = (name: string): boolean => existsSync(path.join(server.root, name));

  await create("before");
  const size = statSync(log).size;
  limit(size + 10);

  // Known only afterwards: then the file is there, and saying that nothing was done would be a lie.
  const first = await create("first");
  expect(first).toContain("This was done, but it is not on record yet: ");
  expect(first).not.toContain("nothing was done");
  expect(isThere("first")).toBe(true);

  expect(await create("second")).toStartWith("[IO_ERROR] nothing was done: ");
  expect(await say("bash", { command: "touch third" })).toStartWith("[IO_ERROR] nothing was done: ");
  expect(await say("view", { path: "before" })).toStartWith("[IO_ERROR] nothing was done: ");
  expect(["second", "third"].filter(isThere)).toEqual([]);
  expect(readFileSync(log, "utf8").length).toBe(size);

  limit("unlimited");
  expect(await say("bash", { command: "touch fourth" })).not.toContain("nothing was done");
  expect(isThere("fourth")).toBe(true);
  await server.close();

  expect(server.stderr).not.toMatch(/^\s+at /m);
  expect(verifyAuditFolder(folder).map(({ report }) => report.ok)).toEqual([true]);
  const outcomes = [...readAuditFolder(folder, {})].filter(({ kind }) => kind === "outcome");
  const named = /first|second|third|fourth|before/;
  expect(outcomes.map((record) => [named.exec(JSON.stringify(record))?.[0], record["outcome"]])).toEqual([
    ["before", "ok"],
    ["first", "ok"],
    ["second", "error"],
    ["third", "error"],
    ["before", "error"],
    ["fourth", "ok"],
  ]);
});

test.skipIf(!hasLimits)(
  "a command whose outcome no longer fits: its output is given all the same (needs prlimit)",
  async () => {
    await using server = await TestServer.start({ args: ["--sandbox", "off"] });
    const log = path.join(server.base, "state/bosun/audit/audit.jsonl");
    await server.bash("true");
    const before = statSync(log).size;
    await server.bash("echo a"); // decision and outcome
    const both = statSync(log).size - before;
    // One more decision fits, and half of its outcome.
    Bun.spawnSync([
      "prlimit",
      `--pid=${server.process.pid}`,
      `--fsize=${statSync(log).size + Math.round(both * 0.8)}:`,
    ]);
    const said = (await server.call("bash", { command: "echo b" })).content.map(({ text }) => text).join("\n");
    expect(said).toContain("stdout:\nb\n");
    expect(said).toContain("This was done, but it is not on record yet: ");
  },
);

test.skipIf(!hasLimits)(
  "the workspace's envelope stays one block, whatever becomes of the record (needs prlimit)",
  async () => {
    await using server = await TestServer.start({ args: ["--sandbox", "off", "--tools", "workspace"] });
    const write = async (file: string): Promise<unknown> => {
      const { content } = await server.call("write_file", { file, content: file });
      expect(content).toHaveLength(1);
      expect(content[0]?.text).not.toContain(server.base);
      return JSON.parse(content[0]?.text ?? "");
    };
    await write("before");
    const { size } = statSync(path.join(server.base, "state/bosun/audit/audit.jsonl"));
    Bun.spawnSync(["prlimit", `--pid=${server.process.pid}`, `--fsize=${size + 10}:`]);
    expect(await write("first")).toEqual({
      ok: true,
      data: { file: "first", bytesWritten: 5 },
      warning: "this was done, but it is not on record yet",
    });
    expect(await write("second")).toMatchObject({ ok: false, error: { code: "INTERNAL_ERROR", details: {} } });
  },
);
