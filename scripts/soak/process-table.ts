// What /proc says: memory, descriptors and descendants of a process, and which processes carry a mark.
import { readdirSync, readFileSync } from "node:fs";

export type Seen = { readonly pid: number; readonly startedAt: string; readonly command: string };

type Stat = { readonly pid: number; readonly parent: number; readonly startedAt: string; readonly isZombie: boolean };

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
  const byParent = Map.groupBy(everyProcess(), ({ parent }) => parent);
  const found: Seen[] = [];
  const look = (parent: number): void => {
    for (const each of byParent.get(parent) ?? []) {
      found.push(seen(each));
      look(each.pid);
    }
  };
  look(pid);
  return found;
}

/** Processes with the mark in their environment or on their command line. */
export function marked(mark: string): Seen[] {
  return everyProcess()
    .filter(({ pid, isZombie }) => pid !== process.pid && !isZombie && hasMark(pid, mark))
    .map(seen);
}

/** The server for which a warden waits: it is nobody's child, and ends soon after the server. */
export function guardedBy(pid: number): number | undefined {
  const words = read(`/proc/${pid}/cmdline`).split("\0");
  const [, server] = words[3] === "bosun-warden" ? (/\/bosun-(\d+)-\w+$/.exec(words[5] ?? "") ?? []) : [];
  return server === undefined ? undefined : Number(server);
}

/** Numbers are used again: only the start time tells whether it is still the same process. */
export function isAlive({ pid, startedAt }: Seen): boolean {
  const stat = statOf(pid);
  return stat !== undefined && stat.startedAt === startedAt && !stat.isZombie;
}

export function isRunning(pid: number): boolean {
  return statOf(pid)?.isZombie === false;
}

function hasMark(pid: number, mark: string): boolean {
  return read(`/proc/${pid}/environ`).includes(mark) || read(`/proc/${pid}/cmdline`).includes(mark);
}

function everyProcess(): Stat[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => statOf(Number(name)) ?? []);
}

function statOf(pid: number): Stat | undefined {
  const text = read(`/proc/${pid}/stat`);
  // The name, in parentheses, may hold spaces and parentheses of its own.
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 20) return undefined;
  return { pid, parent: Number(fields[1]), startedAt: fields[19] ?? "", isZombie: fields[0] === "Z" };
}

function seen({ pid, startedAt }: Stat): Seen {
  return { pid, startedAt, command: read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 120) };
}

/** Empty when it has just ended. */
function read(file: string): string {
  try {
    return readFileSync(file, "latin1");
  } catch {
    return "";
  }
}
