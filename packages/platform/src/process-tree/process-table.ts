// Who runs on this machine, whose child, in which group: read from /proc, or from ps where there is none.
import { readdirSync, readFileSync } from "node:fs";

export type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** Ended, waiting to be reaped. */
  readonly zombie: boolean;
  /** When it began, in a form only good for comparing: a number may be given to another process. Not known from ps. */
  readonly started: string | undefined;
};

/** A snapshot. Processes come and go while it is taken: callers repeat until nothing new turns up. */
export async function readProcesses(): Promise<ProcessRow[]> {
  if (process.platform === "linux") return readProcessesNow();
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
    return [
      {
        pid: Number(pid),
        parent: Number(parent),
        group: Number(group),
        zombie: state.startsWith("Z"),
        started: undefined,
      },
    ];
  });
}

/** The same at once, where /proc is; elsewhere none. */
export function readProcessesNow(): ProcessRow[] {
  return namesIn("/proc").flatMap((name) => (/^\d+$/.test(name) ? (readProcess(Number(name)) ?? []) : []));
}

/** One process; undefined when it is gone, or where there is no /proc. */
export function readProcess(pid: number): ProcessRow | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return undefined; // gone, or there is no /proc: no process that we know of
  }
}

/** One line of /proc/PID/stat. The name may hold blanks and brackets, so fields are counted from its last bracket. */
export function parseStat(pid: number, stat: string): ProcessRow | undefined {
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 20);
  const [state, parent, group] = fields;
  if (group === undefined) return undefined;
  const zombie = state === "Z" || state === "X";
  return { pid, parent: Number(parent), group: Number(group), zombie, started: fields[19] };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // no /proc here
  }
}
