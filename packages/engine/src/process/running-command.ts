// One started command to its end: time limit, cancellation, output, exit, and the death of whatever it leaves behind.
import { constants as osConstants } from "node:os";
import { OutputReader } from "./output-reader.ts";
import { limitHit } from "./resource-limits.ts";
import { after, pause } from "./timers.ts";
import { killTree, membersOf, terminateTree } from "./command-tree.ts";
import type { Capture } from "./output-capture.ts";
import type { Command, Run, Usage } from "./command-checks.ts";
import type { LimitName } from "./resource-limits.ts";
import type { Tree } from "./command-tree.ts";

/** TERM to KILL: long enough to clean up, and not configurable. */
export const GRACE_MS = 5000;
// After the shell's exit: what it wrote itself is at most a pipe's worth; a process left behind may write for ever.
const READING_QUIET_MS = 500;
const READING_TOTAL_MS = 2000;
// After a kill the call has two seconds in all: one for processes that hang in the kernel, one for their pipes.
const AFTER_KILL_MS = 1000;
const COUNT_EVERY_MS = 100;
const STDERR_LOOKED_AT = 2000;

/** `exposed`: it could see or change what it must not. */
export type StopReason = "timeout" | "cancel" | "close" | "processes" | "exposed";

export type Started = {
  readonly process: Bun.Subprocess;
  readonly startedAt: number;
  readonly tree: Tree;
  readonly stdout: OutputReader;
  /** Undefined when both streams go into one. */
  readonly stderr: OutputReader | undefined;
  /** What the shell reported, read once it has exited. */
  readonly readRecord: () => string | undefined;
  readonly hidesSignals: boolean;
};

export class Running {
  readonly stdout: Capture;
  readonly stderr: Capture;
  /** The answer. Never rejects. */
  readonly done: Promise<Run>;
  readonly #command: Command;
  readonly #started: Started;
  readonly #givenUp = Promise.withResolvers<void>();
  #stopped: StopReason | undefined;
  #death: Promise<void> | undefined;
  #killAt = Infinity;
  #answered = false;

  constructor(command: Command, started: Started, emptyCapture: Capture) {
    this.#command = command;
    this.#started = started;
    this.stdout = started.stdout.capture;
    this.stderr = started.stderr?.capture ?? emptyCapture;
    this.done = this.#supervise();
  }

  get tree(): Tree {
    return this.#started.tree;
  }

  get answered(): boolean {
    return this.#answered;
  }

  /** TERM now, KILL to whatever is left after the grace, also when the call has been answered by then. Again: KILL sooner. */
  stop(reason: StopReason, graceMs = GRACE_MS): void {
    this.#killAt = Math.min(this.#killAt, performance.now() + graceMs);
    if (this.#death !== undefined) return;
    // After the answer there is nothing to report: only leftovers to end.
    if (!this.#answered) this.#stopped = reason;
    this.#death = this.#end(reason !== "processes" && reason !== "exposed");
  }

  /** Resolves when a tree that was stopped is gone. */
  get death(): Promise<void> {
    return this.#death ?? Promise.resolve();
  }

  /** Stop reading what processes beyond our reach still hold open. */
  abandon(): void {
    this.#started.stdout.abandon();
    this.#started.stderr?.abandon();
  }

  async #end(isAskedFirst: boolean): Promise<void> {
    const { tree } = this.#started;
    if (isAskedFirst) {
      await terminateTree(tree);
      await this.#goneInTime();
    }
    void pause(AFTER_KILL_MS).then(this.#givenUp.resolve);
    await killTree(tree);
  }

  // Leaves early once nothing of the tree is left, so that stopping many commands takes no longer than it must.
  async #goneInTime(): Promise<void> {
    for (let wait = 20; performance.now() < this.#killAt; wait = Math.min(wait * 2, 500)) {
      await pause(Math.min(wait, this.#killAt - performance.now()));
      if ((await membersOf(this.#started.tree)).length === 0) return;
    }
  }

  async #supervise(): Promise<Run> {
    const { process: child, stdout, stderr } = this.#started;
    const { signal, timeoutMs = 0 } = this.#command;
    const deadline = timeoutMs > 0 ? after(timeoutMs, () => this.stop("timeout")) : undefined;
    const cancel = (): void => this.stop("cancel");
    const counting = this.#countProcesses();
    signal?.addEventListener("abort", cancel, { once: true });
    if (signal?.aborted === true) cancel();

    await Promise.race([child.exited, this.#givenUp.promise]);
    const durationMs = performance.now() - this.#started.startedAt;
    deadline?.cancel();
    counting?.cancel();
    signal?.removeEventListener("abort", cancel);

    const drains = stderr === undefined ? [stdout] : [stdout, stderr];
    await drained(drains, this.#stopped === undefined ? READING_TOTAL_MS : AFTER_KILL_MS);
    const run = this.#report(
      durationMs,
      drains.some((drain) => !drain.atEnd),
    );
    this.#answered = true;
    for (const drain of drains) if (!drain.atEnd) drain.stopKeeping();
    return run;
  }

  #report(durationMs: number, pipesHeldOpen: boolean): Run {
    const { process: child, readRecord, hidesSignals } = this.#started;
    const cwdAfter = readRecord() ?? null;
    const ending = endingOf(child, this.#stopped !== undefined);
    const { exitCode, signal } =
      hidesSignals && cwdAfter === null ? uncoverSignal(ending, this.#command, this.#stopped) : ending;
    const lastErrorText = (this.#started.stderr?.capture ?? this.stdout).lastChars(STDERR_LOOKED_AT);
    return {
      exitCode,
      signal,
      timedOut: this.#stopped === "timeout",
      cancelled: this.#stopped === "cancel" || this.#stopped === "close",
      stdout: this.stdout.captured(),
      stderr: this.stderr.captured(),
      durationMs,
      cwdAfter,
      pipesHeldOpen,
      limitHit: this.#limitHit({ exitCode, signal, lastErrorText }),
      usage: usageOf(child),
    };
  }

  #limitHit(ended: Parameters<typeof limitHit>[1]): LimitName | null {
    if (this.#stopped === "processes") return "processes";
    return limitHit(this.#command.limits ?? {}, ended);
  }

  // RLIMIT_NPROC counts all of a user's processes and does not bind root, so the tree itself is counted.
  #countProcesses(): { cancel(): void } | undefined {
    const most = this.#command.limits?.processes;
    if (most === undefined) return undefined;
    let busy = false;
    const timer = setInterval(() => {
      if (busy) return;
      busy = true;
      void membersOf(this.#started.tree).then((members) => {
        busy = false;
        const holders = this.#started.tree.namespaced ? 2 : 0; // the two that only hold the namespace
        if (members.length - holders > most) this.stop("processes");
      });
    }, COUNT_EVERY_MS);
    timer.unref();
    return { cancel: () => clearInterval(timer) };
  }
}

// Completion follows the shell's exit, not the pipes: neither waiting for their end (hangs) nor returning at the exit
// (loses bytes) is right, so drain until the end, a quiet moment, or long enough.
async function drained(drains: readonly OutputReader[], totalMs: number): Promise<void> {
  const ended = Promise.all(drains.map((drain) => drain.ended));
  const startedAt = performance.now();
  while (drains.some((drain) => !drain.atEnd)) {
    const open = drains.filter((drain) => !drain.atEnd);
    const spent = performance.now() - startedAt;
    const quiet = Math.min(spent, ...open.map((drain) => drain.quietMs()));
    const wait = Math.min(READING_QUIET_MS - quiet, totalMs - spent);
    if (wait <= 0) return;
    await Promise.race([ended, pause(wait)]);
  }
}

type Ending = { readonly exitCode: number | null; readonly signal: string | null };

function endingOf(child: Bun.Subprocess, stopped: boolean): Ending {
  // Never `child.killed`: it is true after any exit.
  if (child.exitCode !== null) return { exitCode: child.exitCode, signal: null };
  const signal: unknown = child.signalCode;
  if (typeof signal === "string") return { exitCode: null, signal };
  if (typeof signal === "number") return { exitCode: null, signal: signalName(signal) }; // a real-time signal
  return { exitCode: null, signal: stopped ? "SIGKILL" : null };
}

// Inside, death by signal n became status 128 + n. A shell that exits by itself leaves a record, so without one a status
// in that range was a signal; a program without a shell is believed to have died for signals nobody imitates.
function uncoverSignal(ending: Ending, command: Command, stopped: StopReason | undefined): Ending {
  const name = ending.exitCode === null ? undefined : SIGNALS.get(ending.exitCode - 128);
  if (name === undefined) return ending;
  const telling = command.what.kind === "shell" || stopped !== undefined || !IMITATED.has(name);
  return telling ? { exitCode: null, signal: name } : ending;
}

const SIGNALS = new Map<number, string>(Object.entries(osConstants.signals).map(([name, number]) => [number, name]));
const IMITATED = new Set(["SIGHUP", "SIGINT", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM"]);
const FIRST_REAL_TIME = 34;

function signalName(number: number): string {
  return SIGNALS.get(number) ?? (number >= FIRST_REAL_TIME ? `SIGRTMIN+${number - FIRST_REAL_TIME}` : `SIG${number}`);
}

function usageOf(child: Bun.Subprocess): Usage | null {
  const usage = child.resourceUsage();
  if (usage === undefined) return null;
  // A process begins as a copy of the one that starts it, and Linux counts that copy, too.
  const own = process.resourceUsage().maxRSS * 1024;
  return {
    userMs: Number(usage.cpuTime.user) / 1000,
    systemMs: Number(usage.cpuTime.system) / 1000,
    maxRssBytes: usage.maxRSS > own ? usage.maxRSS : undefined,
  };
}
