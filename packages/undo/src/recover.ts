// What a killed undo left: whoever starts next finishes it, without being asked.
import { finishPlan } from "./apply.ts";
import { Lock } from "./lock.ts";
import { isAlive } from "./owner.ts";
import type { UndoStore } from "./store.ts";

export type Recovered = { readonly step: number; readonly done: number; readonly total: number };

/** `busy`: an undo is running in a living process. */
export function recover(store: UndoStore, heldLock?: Lock): readonly Recovered[] | "busy" {
  const running = store.records.steps().filter(({ state }) => state === "running");
  if (running.length === 0) return [];
  if (heldLock === undefined && running.some(({ owner }) => isAlive(owner))) return "busy";
  using lock = heldLock === undefined ? Lock.take(store.folder, "undo.lock") : undefined;
  if (heldLock === undefined && lock === undefined) return "busy";
  return running.map(({ n }) => {
    const done = store.database.query("SELECT count(*) AS n FROM plan WHERE step = ? AND done = 1").get(n) as {
      n: bigint;
    };
    const { total } = finishPlan(store, n);
    return { step: n, done: Number(done.n), total };
  });
}
