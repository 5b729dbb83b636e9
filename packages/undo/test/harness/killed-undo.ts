// A process that undoes the newest step of a tree and kills itself at a point: `bun killed-undo.ts STATE TREE POINT KIND`.
import { LocalKeeper, takeBack, UndoStore } from "../../src/index.ts";

const [stateFolder = "", tree = "", point = "", kind = "undo"] = process.argv.slice(2);
const store = new UndoStore({ stateFolder, tree });
const keeper = new LocalKeeper(store);
await takeBack(
  {
    store,
    console: { out: () => {}, error: () => {}, ask: undefined },
    freshen: async () => {
      keeper.freshen();
    },
    hooks: {
      at: (here) => {
        if (here === point) process.kill(process.pid, "SIGKILL");
      },
    },
  },
  { kind: kind === "redo" ? "redo" : "undo", isAgreed: true },
);
