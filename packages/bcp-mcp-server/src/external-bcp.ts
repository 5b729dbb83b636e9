// One run of a `bcp` binary (BCP_CLI_PATH), bounded in time and output.
import { descendantsOf, killProcesses } from "@bosun/platform/process-tree";
import type { ProcessRow } from "@bosun/platform/process-tree";
import type { BcpOutcome } from "./bcp-command.ts";

/** What does not fit into one message: the model can ask for less, where there is a way to. */
export class OutputTooLong extends Error {
  override readonly name = "OutputTooLong";

  constructor(what: string, maxChars: number, instead?: string) {
    super(`${what} is longer than ${maxChars} characters${instead === undefined ? "" : `: ${instead}`}`);
  }
}

const GRACE_MS = 1000;
const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const;
const running = new Set<Child>();

/** A signal ends this process with everything it has started: groups of their own do not hear it. */
export function endExternalOnSignals(): void {
  for (const [signal, number] of Object.entries(SIGNALS)) {
    process.once(signal, () => {
      // No time to ask them first.
      for (const { pid } of running) killAll(pid, descendantsOf(pid));
      // oxlint-disable-next-line no-restricted-properties -- the signal would have ended us; nothing of ours is being written
      process.exit(128 + number);
    });
  }
}

export type Bounds = {
  timeoutMs: number;
  maxChars: number;
  signal: AbortSignal;
  /** What to ask for instead of more output than that. */
  tooLong?: string | undefined;
};

export async function runExternal(
  program: string,
  args: readonly string[],
  { timeoutMs, maxChars, signal, tooLong }: Bounds,
): Promise<BcpOutcome> {
  const child = start(program, args);
  if (typeof child === "string") {
    return { stdout: "", stderr: `BCP_CLI_PATH: ${program} cannot be started: ${child}`, exitCode: 1 };
  }
  const stopped = Promise.withResolvers<"timed out" | "cancelled">();
  const timer = setTimeout(() => stopped.resolve("timed out"), timeoutMs);
  const onAbort = (): void => stopped.resolve("cancelled");
  signal.addEventListener("abort", onAbort, { once: true });
  if (signal.aborted) onAbort();
  let done = false;
  running.add(child);
  try {
    // Not until the pipes end when it has to be stopped: whoever inherited them may never close them.
    const ended = await Promise.race([finished(child, maxChars, tooLong), stopped.promise]);
    done = typeof ended !== "string";
    if (typeof ended !== "string") return ended;
    const stderr = ended === "timed out" ? `${program} timed out after ${timeoutMs} ms` : `${program} was cancelled`;
    return { stdout: "", stderr, exitCode: 1 };
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    running.delete(child);
    if (!done) endGroup(child);
  }
}

type Child = Bun.Subprocess<"ignore", "pipe", "pipe">;

const UNSTARTABLE: Readonly<Record<string, string>> = {
  ENOENT: "no such program, or its first line names none",
  EACCES: "a folder, or not executable",
  ENOEXEC: "not a program",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "too many links",
  ETXTBSY: "it is being written",
};

/** The process, or why there is none. */
function start(program: string, args: readonly string[]): Child | string {
  try {
    return Bun.spawn([program, ...args], {
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
      lazy: true, // an unread pipe would be buffered without limit
      detached: true, // a group of its own: what a wrapper script started ends with it
      env: { PATH: process.env["PATH"] ?? "", LANG: process.env["LANG"] ?? "C.UTF-8" },
    });
  } catch (error) {
    // The model is told why its file cannot be read.
    const code = error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : "";
    return UNSTARTABLE[code] ?? (error instanceof Error ? error.message : String(error));
  }
}

async function finished(child: Child, maxChars: number, tooLong: string | undefined): Promise<BcpOutcome> {
  const [stdout, stderr] = await Promise.all([
    bounded(child.stdout, () => new OutputTooLong("the output", maxChars, tooLong), maxChars),
    bounded(child.stderr, () => new OutputTooLong("the error output", maxChars), maxChars),
  ]);
  await child.exited;
  const { signalCode, exitCode } = child;
  if (signalCode !== null) return { stdout, stderr: `${stderr}\nbcp was ended by ${signalCode}`.trim(), exitCode: 1 };
  return { stdout, stderr, exitCode: exitCode ?? 1 };
}

async function bounded(
  stream: ReadableStream<Uint8Array>,
  tooLong: () => OutputTooLong,
  maxChars: number,
): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxChars) throw tooLong();
  }
  return text + decoder.decode();
}

/** The binary, and what it started. */
function endGroup({ pid, exited }: Child): void {
  // Now: once it is gone nobody knows what of it had left its group.
  const left = descendantsOf(pid);
  if (!signalled(pid, "SIGTERM")) return killProcesses(left);
  const timer = setTimeout(() => killAll(pid, left), GRACE_MS);
  // A server that is to end does not stay for the sake of nobody.
  void exited.then(() => {
    if (signalled(pid, 0)) return;
    clearTimeout(timer);
    killProcesses(left);
  });
}

function killAll(leader: number, left: readonly ProcessRow[]): void {
  signalled(leader, "SIGKILL");
  killProcesses(left);
}

function signalled(leader: number, signal: "SIGTERM" | "SIGKILL" | 0): boolean {
  try {
    process.kill(-leader, signal);
    return true;
  } catch {
    return false; // nobody is left
  }
}
