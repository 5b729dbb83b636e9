// One look at all processes and their labels, shared by everybody who asks at about the same time: two hundred commands
// that end together must not look two hundred times.
import { readFileSync } from "node:fs";
import { readProcesses } from "@bosun/platform/process-tree";
import { TAG_VARIABLE, tagsOf } from "./process-tags.ts";
import type { ProcessRow } from "@bosun/platform/process-tree";

export type Snapshot = {
  /** Live processes, ourselves excepted. */
  readonly rows: readonly ProcessRow[];
  readonly byParent: ReadonlyMap<number, readonly ProcessRow[]>;
  readonly labels: (pid: number) => readonly string[];
};

const SHARED_MS = 20;
const PROCESSES_PER_SLICE = 100;

type Look = { readonly snapshot: Promise<Snapshot>; readonly startedAt: number; finishedAt: number };
let latest: Look | undefined;
let queued: Promise<Snapshot> | undefined;

/** A look that began no earlier than `notBefore`, on the clock of `performance.now`. */
export function takeSnapshot(notBefore: number): Promise<Snapshot> {
  const running = latest !== undefined && latest.finishedAt === Number.POSITIVE_INFINITY;
  if (latest !== undefined && latest.startedAt >= notBefore) {
    if (running || performance.now() - latest.finishedAt < SHARED_MS) return latest.snapshot;
  }
  if (!running || latest === undefined) return queued ?? begin();
  // The one that runs began too early: all who wait get the one after it.
  queued ??= latest.snapshot.then(begin);
  return queued;
}

function begin(): Promise<Snapshot> {
  queued = undefined;
  const look: Look = { snapshot: lookAround(), startedAt: performance.now(), finishedAt: Number.POSITIVE_INFINITY };
  void look.snapshot.finally(() => (look.finishedAt = performance.now()));
  latest = look;
  return look.snapshot;
}

async function lookAround(): Promise<Snapshot> {
  const rows = (await readProcesses()).filter((row) => !row.zombie && row.pid !== process.pid);
  const labels = new Map<number, readonly string[]>();
  for (const [index, row] of rows.entries()) {
    labels.set(row.pid, labelsOf(row.pid));
    if (index % PROCESSES_PER_SLICE === PROCESSES_PER_SLICE - 1)
      await new Promise<void>((resolve) => setImmediate(resolve));
  }
  return { rows, byParent: Map.groupBy(rows, (row) => row.parent), labels: (pid) => labels.get(pid) ?? [] };
}

// The limit, and the variable for shells that could not set it.
function labelsOf(pid: number): readonly string[] {
  const tags = tagsOf(pid);
  if (tags.some((tag) => tag !== "unlimited")) return tags;
  const labels = [...tags];
  try {
    const prefix = `${TAG_VARIABLE}=`;
    const variables = readFileSync(`/proc/${pid}/environ`, "latin1").split("\0");
    labels.push(
      ...variables.filter((variable) => variable.startsWith(prefix)).map((variable) => variable.slice(prefix.length)),
    );
  } catch {
    // gone, not ours to look into, or no /proc here
  }
  return labels;
}
