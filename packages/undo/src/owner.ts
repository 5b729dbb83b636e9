// Which process wrote a record: its number and when it began, since numbers are given again.
import { readProcess } from "@bosun/platform/process-tree";
import { codeOf } from "@bosun/platform/errors";

export function ownOwner(): string {
  return `${process.pid}:${readProcess(process.pid)?.started ?? ""}`;
}

export function pidOf(owner: string): number {
  return Number(owner.split(":")[0]);
}

export function isAlive(owner: string): boolean {
  const [pid = "0", started = ""] = owner.split(":");
  const now = readProcess(Number(pid));
  if (now !== undefined) return !now.zombie && (now.started ?? "") === started;
  return started === "" && exists(Number(pid));
}

/** Where there is no /proc. */
function exists(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM"; // it is there, and another user's
  }
}
