// What a process has started, and what that has started, also where it has left the group.
import { readProcess, readProcessesNow } from "./process-table.ts";
import type { ProcessRow } from "./process-table.ts";

/** A fork bomb is not counted to its end. */
const MAX_FOUND = 10_000;

/** At any depth, without the process itself. Linux only: elsewhere none. */
export function descendantsOf(pid: number): ProcessRow[] {
  const rows = readProcessesNow();
  const found = withDescendants(
    [pid],
    Map.groupBy(rows, ({ parent }) => parent),
  );
  found.delete(pid);
  return rows.filter((row) => found.has(row.pid)).slice(0, MAX_FOUND);
}

/** The given processes and all below them. */
export function withDescendants(
  roots: Iterable<number>,
  byParent: ReadonlyMap<number, readonly ProcessRow[]>,
): Set<number> {
  const found = new Set(roots);
  const queue = [...found];
  for (let pid = queue.pop(); pid !== undefined; pid = queue.pop()) {
    for (const child of byParent.get(pid) ?? []) {
      if (found.has(child.pid)) continue;
      found.add(child.pid);
      queue.push(child.pid);
    }
  }
  return found;
}

/** Whether the same process still runs: its number may be another's by now. */
export function isRunning({ pid, started }: Pick<ProcessRow, "pid" | "started">): boolean {
  const now = readProcess(pid);
  return now !== undefined && !now.zombie && now.started === started;
}

/** Those of them that are still the same. */
export function killProcesses(processes: readonly ProcessRow[]): void {
  for (const row of processes) {
    if (readProcess(row.pid)?.started !== row.started) continue;
    try {
      process.kill(row.pid, "SIGKILL");
    } catch {
      // gone already, or not ours to end
    }
  }
}
