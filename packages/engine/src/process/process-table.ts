// Who runs on this machine, whose child, in which group: read from /proc, or from ps where there is none.
import { readdirSync, readFileSync } from "node:fs";

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ended, waiting to be reaped. */
  readonly zombie: boolean;
};

/** A snapshot. Processes come and go while it is taken: callers repeat until nothing new turns up. */
export async function readProcesses(): Promise<ProcessRow[]> {
  if (process.platform === "linux") return readProc();
  const ps = Bun.spawn(["/bin/ps", "-axo", "pid=,ppid=,pgid=,stat="], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
    lazy: true,
    env: {},
  });
  return parsePs(await new Response(ps.stdout).text());
}

/** Rows of `ps -axo pid=,ppid=,pgid=,stat=`. */
export function parsePs(text: string): ProcessRow[] {
  return text.split("\n").flatMap((line) => {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)/.exec(line);
    if (match === null) return [];
    const [, pid, parent, group, state = ""] = match;
    return [{ pid: Number(pid), parent: Number(parent), group: Number(group), zombie: state.startsWith("Z") }];
  });
}

/** One line of /proc/PID/stat. The name may hold blanks and brackets, so fields are counted from its last bracket. */
export function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const [state, parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 3);
  if (group === undefined) return undefined;
  return { pid, parent: Number(parent), group: Number(group), zombie: state === "Z" || state === "X" };
}

function readProc(): ProcessRow[] {
  return readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1")) ?? [];
    } catch {
      return []; // gone since the listing
    }
  });
}
