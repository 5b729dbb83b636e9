// The store: private, within its quota at every moment, whole after damage and a full disk.
import { expect, test } from "bun:test";
import fs from "node:fs";
import path from "node:path";
import { recordedTree, storeFolder, undoFolder } from "../src/index.ts";
import { RecordedTree } from "./harness/recorded-tree.ts";
import { Random } from "./harness/random.ts";

function bytesBelow(folder: string): number {
  let sum = 0;
  for (const entry of fs.readdirSync(folder, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) sum += fs.statSync(path.join(entry.parentPath, entry.name)).size;
  return sum;
}

test("folders are 0700 and files 0600, those of SQLite too", async () => {
  using tree = new RecordedTree();
  await tree.bash("head -c 400000 /dev/urandom > large");
  const all = fs.readdirSync(undoFolder(tree.state), { withFileTypes: true, recursive: true });
  const modes = all.map((entry) => [
    entry.isFile(),
    (fs.statSync(path.join(entry.parentPath, entry.name)).mode & 0o777).toString(8),
  ]);
  expect(modes.filter(([isFile, mode]) => mode !== (isFile ? "600" : "700"))).toEqual([]);
  expect(all.some(({ name }) => name.endsWith("-wal"))).toBe(true);
});

test("no file of the store is one of the tree's", async () => {
  using tree = new RecordedTree((root) => fs.writeFileSync(`${root}/a`, Buffer.alloc(400_000, 7)));
  await tree.bash("git init -q; git add -A; rm -rf .git/objects");
  for (const entry of fs.readdirSync(tree.state, { withFileTypes: true, recursive: true }))
    if (entry.isFile()) expect(fs.statSync(path.join(entry.parentPath, entry.name)).nlink).toBe(1);
});

test("a store of another user, or behind a link, is refused", () => {
  using tree = new RecordedTree();
  const file = path.join(storeFolder(tree.state, tree.root), "undo.sqlite");
  tree.store.close();
  fs.renameSync(file, `${file}.real`);
  fs.symlinkSync(`${file}.real`, file);
  expect(() => tree.open()).toThrow("is a symbolic link: it must be a plain file; refused");
  fs.unlinkSync(file);
  fs.renameSync(`${file}.real`, file);
  tree.store = tree.open();
});

test("the quota of all trees together holds at every moment; the oldest steps go", async () => {
  const quota = 5_000_000;
  using first = new RecordedTree(() => {}, { quota });
  using second = new RecordedTree(() => {}, { quota }, first.state);
  const random = new Random(5);
  // Another process looks all the time, also in the middle of a transaction.
  const watcher = Bun.spawn(
    [process.execPath, "--no-env-file", path.join(import.meta.dir, "harness/watch-size.ts"), first.state],
    {
      stdin: "pipe",
      stdout: "pipe",
      env: {},
    },
  );
  const reader = watcher.stdout.getReader();
  await reader.read();
  for (let at = 0; at < 60; at += 1) {
    const tree = at % 2 === 0 ? first : second;
    const bytes = random.bytes(at % 3 === 0 ? 400_000 : 150_000);
    if (at % 5 === 0) {
      tree.write(`f${at % 10}`, bytes);
      tree.keeper.scan();
    } else tree.tool([`f${at % 10}`], () => tree.write(`f${at % 10}`, bytes));
  }
  watcher.stdin.end();
  const { value } = await reader.read();
  const { most, looks } = JSON.parse(Buffer.from(value ?? []).toString()) as { most: number; looks: number };
  expect(looks).toBeGreaterThan(50);
  expect(most).toBeGreaterThan(2_000_000);
  expect(most).toBeLessThanOrEqual(quota);
  expect(first.store.records.meta("evicted")).toBeDefined();
  expect(first.store.records.steps()[0]?.n).toBeGreaterThan(1);
  expect((await second.undo()).err).toBe("");
}, 120_000);

test("objects are counted again and leftovers removed at a start", async () => {
  using tree = new RecordedTree();
  await tree.bash("head -c 400000 /dev/urandom > large");
  const objects = path.join(storeFolder(tree.state, tree.root), "objects");
  fs.mkdirSync(path.join(objects, "zz"), { recursive: true });
  fs.writeFileSync(path.join(objects, "zz", "left"), "x");
  const before = tree.store.quota.used();
  tree.reopen();
  expect(fs.existsSync(path.join(objects, "zz", "left"))).toBe(false);
  expect(Math.abs(tree.store.quota.used() - before)).toBeLessThan(200_000);
});

test("old steps go", async () => {
  using tree = new RecordedTree(() => {}, { keepDays: 0 });
  await tree.bash("echo 1 > a");
  tree.store.database.run("UPDATE step SET t = t - 1000");
  tree.reopen();
  expect(tree.steps()).toEqual([]);
});

test("what does not fit is said, and a change runs all the same", () => {
  using tree = new RecordedTree(() => {}, { quota: 700_000 });
  tree.write("big", new Random(1).bytes(600_000));
  const change = tree.recorder.openChange({ session: "s", call: "c", tool: "bosun.create_file", label: "big" });
  change.before("big");
  tree.write("big", new Random(2).bytes(600_000));
  expect(change.done()).toMatchObject({ problem: "the store is full" });
  expect(bytesBelow(undoFolder(tree.state))).toBeLessThanOrEqual(700_000);
});

test("random bytes over the database: it is set aside, and a new one begun", async () => {
  using tree = new RecordedTree();
  await tree.bash("echo 1 > a");
  const folder = storeFolder(tree.state, tree.root);
  tree.store.close();
  fs.writeFileSync(path.join(folder, "undo.sqlite"), new Random(9).bytes(50_000));
  tree.store = tree.open();
  expect(tree.notices.join()).toContain("the undo store was damaged; it is kept as");
  expect(fs.readdirSync(folder).some((name) => name.startsWith("undo.sqlite.damaged-"))).toBe(true);
  tree.reopen();
  tree.keeper.freshen();
  await tree.bash("echo 2 > a");
  expect((await tree.undo()).code).toBe(0);
  expect(tree.read("a")).toBe("1\n");
});

test("a store of a newer version is refused, not converted", () => {
  using tree = new RecordedTree();
  tree.store.database.run("PRAGMA user_version = 99");
  expect(() => tree.open()).toThrow(/was written by a newer Bosun \(version 99\)/);
});

test("the recorded tree is found from a folder inside of it", () => {
  using tree = new RecordedTree((root) => fs.mkdirSync(`${root}/in/side`, { recursive: true }));
  expect(recordedTree(tree.state, tree.at("in/side"))).toBe(tree.root);
  expect(recordedTree(tree.state, "/")).toBeUndefined();
});

test("a tree that was replaced needs --force", async () => {
  using tree = new RecordedTree();
  await tree.bash("echo 1 > a");
  tree.store.records.setMeta("root", "0:0");
  expect(await tree.undo()).toMatchObject({ code: 3 });
  expect(await tree.undo({ isForced: true })).toMatchObject({ code: 0 });
});
