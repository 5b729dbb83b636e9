// The record brought up to date by a command: through the keeper where one runs, else by looking at the tree itself.
import { KeeperClient } from "./keeper-client.ts";
import { LocalKeeper } from "./local-keeper.ts";
import { Lock } from "./lock.ts";
import type { UndoStore } from "./store.ts";

/** `stateFolder` as for the store. */
export async function freshen(store: UndoStore, stateFolder: string): Promise<void> {
  const lock = Lock.take(store.folder, "keeper.lock");
  if (lock !== undefined) {
    try {
      new LocalKeeper(store).freshen();
    } finally {
      lock[Symbol.dispose]();
    }
    return;
  }
  const client = new KeeperClient({ stateFolder, tree: store.root, settings: store.settings });
  await client.scan();
  await client.close();
}
