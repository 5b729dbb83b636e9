// Runs in a mount namespace of its own: `bun full-disk.ts FOLDER`, with FOLDER/small a file system of 24 MB. Prints what held.
import fs from "node:fs";
import path from "node:path";
import { LocalKeeper, takeBack, UndoStore } from "../../src/index.ts";
import { Recorder } from "../../src/recorder-entry.ts";

const [folder = ""] = process.argv.slice(2);
const small = path.join(folder, "small");
const result: Record<string, unknown> = {};

function fillUp(place: string): void {
  const fd = fs.openSync(place, "w");
  try {
    for (;;) fs.writeSync(fd, Buffer.alloc(4096, 1));
  } catch {
    // full, as it should be
  } finally {
    fs.closeSync(fd);
  }
}

function open(state: string, tree: string): { store: UndoStore; keeper: LocalKeeper; recorder: Recorder } {
  const store = new UndoStore({ stateFolder: state, tree });
  const keeper = new LocalKeeper(store);
  keeper.freshen();
  const scan = async (): Promise<void> => {
    keeper.scan();
  };
  return { store, keeper, recorder: new Recorder(store, { ready: async () => true, scan }) };
}

// The store's disk is full.
{
  const tree = path.join(folder, "tree");
  fs.mkdirSync(tree);
  fs.writeFileSync(`${tree}/a`, "before");
  const { store, recorder } = open(path.join(small, "state"), tree);
  fillUp(path.join(small, "filler"));
  const change = recorder.openChange({ session: "s", call: "c1", tool: "bosun.create_file", label: "a" });
  change.before("a");
  fs.writeFileSync(`${tree}/a`, Buffer.alloc(300_000, 2));
  result["storeFull"] = change.done().problem;
  result["required"] = recorder.problem();
  const window = await recorder.openWindow({ session: "s", call: "c2", tool: "bosun.bash", label: "x" }, "command");
  fs.writeFileSync(`${tree}/b`, "b");
  result["window"] = window.problem;
  fs.rmSync(path.join(small, "filler"));
  await window.close();
  const later = recorder.openChange({ session: "s", call: "c3", tool: "bosun.create_file", label: "c" });
  later.before("c");
  fs.writeFileSync(`${tree}/c`, "c");
  result["roomAgain"] = later.done().problem ?? "kept";
  store.close();
  fs.rmSync(path.join(small, "state"), { recursive: true });
}

// The tree's disk is full while an undo runs.
{
  const tree = path.join(small, "tree");
  fs.mkdirSync(tree);
  for (let at = 0; at < 20; at += 1) fs.writeFileSync(`${tree}/f${at}`, Buffer.alloc(100_000, at));
  const { store, keeper, recorder } = open(path.join(folder, "state"), tree);
  const window = await recorder.openWindow({ session: "s", call: "c", tool: "bosun.bash", label: "rm" }, "command");
  for (let at = 0; at < 20; at += 1) fs.rmSync(`${tree}/f${at}`);
  await window.close();
  fillUp(path.join(small, "filler"));
  fs.truncateSync(path.join(small, "filler"), fs.statSync(path.join(small, "filler")).size - 600_000);
  const said: string[] = [];
  const undo = (): Promise<number> =>
    takeBack(
      {
        store,
        console: { out: () => {}, error: (line) => said.push(line), ask: undefined },
        freshen: async () => {
          keeper.freshen();
        },
      },
      { kind: "undo", isAgreed: true },
    );
  result["undoOnFull"] = await undo();
  result["said"] = said.splice(0).join();
  result["halfWritten"] = fs.readdirSync(tree).filter((name) => fs.statSync(`${tree}/${name}`).size !== 100_000);
  fs.rmSync(path.join(small, "filler"));
  await undo();
  result["finished"] = said.join();
  result["files"] = fs
    .readdirSync(tree)
    .filter((name) => fs.readFileSync(`${tree}/${name}`).every((byte) => byte === Number(name.slice(1)))).length;
  store.close();
}
console.log(JSON.stringify(result));
