// The processes that a process has started, and theirs, also those that have left its group. Linux only: elsewhere none.
import { readdirSync, readFileSync } from "node:fs";

/** A number may be given to another process; the time of its start may not. */
export type Descendant = { pid: number; started: string };

/** A fork bomb is not counted to its end. */
const MAX_FOUND = 10_000;

export function descendantsOf(pid: number): Descendant[] {
  const found: Descendant[] = [];
  const parents = [pid];
  for (let parent = parents.pop(); parent !== undefined && found.length < MAX_FOUND; parent = parents.pop()) {
    for (const child of childrenOf(parent)) {
      const started = startOf(child);
      if (started === undefined) continue;
      found.push({ pid: child, started });
      parents.push(child);
    }
  }
  return found;
}

export function killDescendants(processes: readonly Descendant[]): void {
  for (const { pid, started } of processes) {
    if (startOf(pid) !== started) continue;
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // gone already, or not ours to end
    }
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) => {
      const listed = readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8").trim();
      return listed === "" ? [] : listed.split(" ").map(Number);
    });
  } catch {
    return []; // it has ended, or there is no /proc
  }
}

function startOf(pid: number): string | undefined {
  try {
    // The name stands in brackets and may hold anything; 20 fields after it comes the time.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
  } catch {
    return undefined;
  }
}
