// Which content is kept first: what git tracks, then what is small, so that a snapshot that is cut short holds the most.
import { gitNames } from "./git-names.ts";
import { PENDING } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { decodePath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

export function pendingPaths(store: UndoStore): TreePath[] {
  const rows = store.database.query("SELECT path, size FROM entry WHERE why = ?").all(PENDING) as {
    path: Uint8Array;
    size: bigint;
  }[];
  if (rows.length === 0) return [];
  const tracked = gitNames(store.root);
  return rows
    .map(({ path, size }) => ({ path: decodePath(path), size: Number(size) }))
    .map(({ path, size }) => ({ path, size, isTracked: tracked.has(path) }))
    .sort((one, other) => Number(other.isTracked) - Number(one.isTracked) || one.size - other.size)
    .map(({ path }) => path);
}
