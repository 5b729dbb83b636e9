// What /proc says: memory, descriptors and descendants of a process, and which processes carry a mark.
import { readdirSync, readFileSync } from "node:fs";
import { descendantsOf, isRunning as isSameRunning, readProcess, readProcessesNow } from "@bosun/platform/process-tree";
import type { ProcessRow } from "@bosun/platform/process-tree";

export type Seen = { readonly pid: number; readonly startedAt: string; readonly command: string };

export function rssMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(read(`/proc/${pid}/status`))?.[1] ?? 0) / 1024;
}

export function descriptors(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length;
  } catch {
    return 0;
  }
}

/** Everything below the process, at any depth. */
export function descendants(pid: number): Seen[] {
  return descendantsOf(pid).map(seen);
}

/** Processes with the mark in their environment or on their command line. */
export function marked(mark: string): Seen[] {
  return readProcessesNow()
    .filter(({ pid, zombie }) => pid !== process.pid && !zombie && hasMark(pid, mark))
    .map(seen);
}

/** The server for which a watchdog waits: it is nobody's child, and ends soon after the server. */
export function guardedBy(pid: number): number | undefined {
  const words = read(`/proc/${pid}/cmdline`).split("\0");
  const [, server] = words[3] === "bosun-watchdog" ? (/\/bosun-(\d+)-\w+$/.exec(words[5] ?? "") ?? []) : [];
  return server === undefined ? undefined : Number(server);
}

/** Numbers are used again: only the start time tells whether it is still the same process. */
export function isAlive({ pid, startedAt }: Seen): boolean {
  return isSameRunning({ pid, started: startedAt });
}

export function isRunning(pid: number): boolean {
  return readProcess(pid)?.zombie === false;
}

function hasMark(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`).includes(mark) || read(`/proc/${pid}/cmdline`).includes(mark);
}

function seen({ pid, started = "" }: ProcessRow): Seen {
  return { pid, startedAt: started, command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 120) };
}

/** Empty when it has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
