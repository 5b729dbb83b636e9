// Killed at any point of an undo or of recording: the tree ends as the old one or the new one, without anybody being asked.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { RecordedTree } from "./harness/recorded-tree.ts";

const HARNESS = path.join(import.meta.dir, "harness");

async function run(script: string, words: readonly string[]): Promise<string | null> {
  const child = Bun.spawn([process.execPath, "--no-env-file", path.join(HARNESS, script), ...words], {
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  await child.exited;
  return child.signalCode === null ? null : String(child.signalCode);
}

function fill(root: string): void {
  fs.mkdirSync(`${root}/old/in`, { recursive: true });
  for (const name of ["a", "b", "old/in/f"]) fs.writeFileSync(`${root}/${name}`, `${name} before\n`);
  fs.linkSync(`${root}/b`, `${root}/b2`);
  fs.symlinkSync("a", `${root}/link`);
}

const CHANGE =
  "echo after > a; echo longer after > b; rm -rf old; mkdir -p new/er; echo 1 > new/er/f; ln -sfn b link; chmod 600 a";
// Two points for each operation, and the end.
const POINTS = [...Array.from({ length: 12 }, (_, at) => [`before ${at}`, `after ${at}`]).flat(), "end"];

test.each(POINTS.map((point) => [point]))("an undo killed at '%s' is finished by the next start", async (point) => {
  using tree = new RecordedTree(fill);
  const before = tree.tree();
  await tree.bash(CHANGE);
  const after = tree.tree();
  const signal = await run("killed-undo.ts", [tree.state, tree.root, point]);
  if (signal === null) expect(tree.tree()).toEqual(before);
  else expect(signal).toBe("SIGKILL");
  // As the start of a server does.
  tree.reopen();
  tree.keeper.scan();
  expect(tree.tree()).toEqual(before);
  expect(tree.store.records.steps().map(({ kind, state }) => `${kind} ${state}`)).toEqual(["call undone", "undo done"]);
  expect((await tree.redo()).err).toBe("");
  expect(tree.tree()).toEqual(after);
  if (point === "end") expect(signal).toBe("SIGKILL");
});

test("a redo killed in the middle is finished, and the command says so", async () => {
  using tree = new RecordedTree(fill);
  await tree.bash(CHANGE);
  const after = tree.tree();
  await tree.undo();
  expect(await run("killed-undo.ts", [tree.state, tree.root, "after 3", "redo"])).toBe("SIGKILL");
  tree.reopen();
  const { err } = await tree.redo();
  expect(err).toMatch(
    /^bosun redo: an undo was interrupted \(\d+ of \d+ done\); it has been finished\nbosun redo: nothing to redo/,
  );
  expect(tree.tree()).toEqual(after);
});

test("a file with two names, killed while it is written in place, is written again", async () => {
  using tree = new RecordedTree(fill);
  await tree.bash("echo after > b");
  expect(await run("killed-undo.ts", [tree.state, tree.root, "before 0"])).toBe("SIGKILL");
  // As the kill in the middle would leave it: begun, and neither the one nor the other.
  tree.store.database.run("UPDATE plan SET done = 2 WHERE op = 'make'");
  tree.write("b", "b be");
  tree.reopen();
  tree.keeper.scan();
  expect([tree.read("b"), tree.read("b2")]).toEqual(["b before\n", "b before\n"]);
});

test.each([
  ["in-command", "window"],
  ["before-done", "window"],
  ["in-scan", "window"],
])("a server killed %s: the next scan finds its changes", async (point, certainty) => {
  using tree = new RecordedTree(fill);
  const before = tree.tree();
  expect(await run("killed-recorder.ts", [tree.state, tree.root, point])).toBe("SIGKILL");
  expect(tree.read("a")).toBe("after\n");
  tree.reopen();
  tree.keeper.scan();
  const [step] = tree.steps();
  expect(step).toMatchObject({
    certainty,
    calls: ["c1"],
    partial: true,
    partialWhy: "the server ended during the call",
  });
  expect(await tree.undo()).toMatchObject({ code: 0, err: "" });
  expect(tree.tree()).toEqual(before);
});

test("two undos at once: the second is refused", async () => {
  using tree = new RecordedTree(fill);
  await tree.bash(CHANGE);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const { takeBack } = await import("../src/index.ts");
  const first = takeBack(
    {
      store: tree.store,
      console: { out: () => {}, error: () => {}, ask: () => promise },
      freshen: async () => {
        tree.keeper.freshen();
      },
    },
    { kind: "undo" },
  );
  await Promise.resolve();
  const second = tree.open();
  const said: string[] = [];
  const console = { out: () => {}, error: (line: string) => said.push(line), ask: undefined };
  expect(await takeBack({ store: second, console, freshen: async () => {} }, { kind: "undo", isAgreed: true })).toBe(3);
  expect(said).toEqual([`bosun undo: another undo is running (pid ${process.pid})`]);
  second.close();
  resolve(false);
  expect(await first).toBe(3);
});
