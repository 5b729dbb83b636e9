// The names with which servers hold places (placeholders.ts). They say who it is, so that the next one can tell when a
// server was killed and will never take its name out again.
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import path from "node:path";
import { isProcess } from "../process/private-files.ts";

const CLAIM = "held-by-";
const GUEST = "used-by-";
const NAME = /^(?:held|used)-by-(\d+)-([0-9a-z]+)$/;
// The process numbers of another container or another machine say nothing here: only its age does.
const STALE_MS = 24 * 60 * 60 * 1000;

/** No system gives higher numbers; and zero is no process, but our own group. */
const MOST_PIDS = 2 ** 22;

let realm: string | undefined;

/** Of who knows that the folder is a place, and removes it as the last. */
export function ownClaim(): string {
  return `${CLAIM}${process.pid}-${ownRealm()}`;
}

/** Of who found the folder empty. */
export function ownGuest(): string {
  return `${GUEST}${process.pid}-${ownRealm()}`;
}

export function isClaim(name: string): boolean {
  return name.startsWith(CLAIM) && isHolder(name);
}

export function asClaim(name: string): string {
  return name.replace(GUEST, CLAIM);
}

export function isHolder(name: string): boolean {
  return NAME.test(name);
}

/** Whether the server with that name is gone. */
export function isOver(file: string): boolean {
  const [, pid, where] = NAME.exec(path.basename(file)) ?? [];
  if (pid === undefined) return false;
  if (where === ownRealm()) return Number(pid) === 0 || Number(pid) > MOST_PIDS || !isProcess(Number(pid));
  try {
    return Date.now() - lstatSync(file).mtimeMs > STALE_MS;
  } catch {
    return false; // gone by itself
  }
}

/** Within which a process number means the same process: one start of one machine, one PID namespace. */
function ownRealm(): string {
  realm ??= Bun.hash(
    read(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1")) + read(namespaceOf),
  ).toString(36);
  return realm;
}

function namespaceOf(): string {
  return readlinkSync("/proc/self/ns/pid");
}

function read(source: () => string): string {
  try {
    return source();
  } catch {
    return ""; // not Linux
  }
}
