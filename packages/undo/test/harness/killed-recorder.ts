// A server that is killed: `bun killed-recorder.ts STATE TREE POINT`. POINT is in-command, before-done or in-scan.
import fs from "node:fs";
import path from "node:path";
import { LocalKeeper, UndoStore } from "../../src/index.ts";
import { Recorder } from "../../src/recorder-entry.ts";

const [stateFolder = "", tree = "", point = ""] = process.argv.slice(2);
const store = new UndoStore({ stateFolder, tree });
const keeper = new LocalKeeper(store);
const die = (): void => {
  process.kill(process.pid, "SIGKILL");
};
const recorder = new Recorder(store, {
  ready: async () => true,
  scan: async () => {
    if (point === "in-scan") {
      // Content is kept, but no step refers to it yet.
      const put = store.contents.put.bind(store.contents);
      store.contents.put = (bytes) => {
        put(bytes);
        die();
        return "";
      };
    }
    keeper.scan();
  },
});
if (point === "before-done") {
  const change = recorder.openChange({ session: "s", call: "c1", tool: "bosun.create_file", label: "a" });
  change.before("a");
  fs.writeFileSync(path.join(tree, "a"), "after\n");
  die();
}
const window = await recorder.openWindow({ session: "s", call: "c1", tool: "bosun.bash", label: "echo" }, "command");
fs.writeFileSync(path.join(tree, "a"), "after\n");
if (point === "in-command") die();
await window.close();
