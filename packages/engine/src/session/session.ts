// What one client has, behind a handle that cannot be guessed: its directory, its jobs, the files it has seen, the
// originals of what was cut. Two clients never meet here. It knows no transport and no tool.
import { EngineError } from "../engine-error.ts";
import { ViewedFiles } from "../files/viewed-files.ts";
import { Jobs } from "../process/jobs.ts";
import { after } from "../process/timers.ts";
import type { LostPlace } from "../process/sandbox-words.ts";
import type { CommandKind, CommandObserver } from "./command-observer.ts";
import { SessionDirectory } from "./session-directory.ts";
import { CutOutputs } from "./cut-outputs.ts";
import type { CapturePlan } from "../process/output-capture.ts";
import type { Command, Run } from "../process/command-checks.ts";
import type { Environment } from "../process/environment.ts";
import type { ProcessHost } from "../process/process-host.ts";
import type { JobLimits } from "../process/jobs.ts";
import type { ResourceLimits } from "../process/resource-limits.ts";
import type { Running } from "../process/running-command.ts";
import type { SessionTags } from "../process/process-tags.ts";
import type { Timer } from "../process/timers.ts";
import { randomHex } from "../random-hex.ts";

export type SessionOptions = {
  readonly host: ProcessHost;
  /** Where a session starts, and where it returns to when its directory is gone. Real path. */
  readonly workdir: string;
  /** All that its commands see of the environment. */
  readonly env: Environment;
  readonly jobs?: JobLimits;
  readonly limits?: ResourceLimits;
  /** Ends a session nobody has used for this long; running jobs count as use. 0 or none: never. */
  readonly idleMs?: number;
  /** Told of every command, before it starts and after it has ended. */
  readonly observer?: CommandObserver;
};

/** A command in the session's directory and environment; what is not given is the session's. `cwd` is a real path. */
export type SessionCommand = Pick<Command, "what"> &
  Partial<Pick<Command, "cwd" | "env" | "timeoutMs" | "signal" | "merge" | "limits" | "open" | "onOutput">> & {
    readonly stdout: CapturePlan;
    readonly stderr: CapturePlan;
  };

export class Session {
  readonly handle: string;
  /** Eight hex digits, once per session. */
  readonly nonce = randomHex(4);
  readonly jobs: Jobs;
  readonly viewed = new ViewedFiles();
  readonly cutOutputs = new CutOutputs();
  readonly #options: SessionOptions;
  readonly #tags: SessionTags;
  readonly #directory: SessionDirectory;
  #inForeground = 0;
  #closing: Promise<void> | undefined;

  constructor(handle: string, options: SessionOptions, start?: string) {
    this.handle = handle;
    this.#options = options;
    this.#tags = options.host.newSession();
    this.#directory = new SessionDirectory(options.workdir, start);
    this.jobs = new Jobs(options.jobs);
  }

  get cwd(): string {
    return this.#directory.current;
  }

  /** Where a directory that its commands see lies outside of their sandbox; undefined when nothing can start in it. */
  outside(directory: string): string | undefined {
    return this.#options.host.outside(this.#tags, directory);
  }

  /** Something of it runs. */
  get busy(): boolean {
    return this.#inForeground > 0 || this.jobs.runningCount > 0;
  }

  get closed(): boolean {
    return this.#closing !== undefined;
  }

  /**
   * Runs a command in the foreground. Only one that started in the session's own directory moves it. When that directory
   * is gone, nothing runs, the session returns to its workdir, and START_FAILED with reason "cwd" says so.
   */
  async run(command: SessionCommand, onStart?: (running: Running) => void): Promise<Run> {
    this.#refuseIfClosed();
    const tracked = command.cwd === undefined && command.what.kind === "shell";
    const turn = tracked ? this.#directory.begin() : undefined;
    this.#inForeground += 1;
    try {
      const running = await this.#start(command, "foreground");
      onStart?.(running);
      const run = await running.done;
      turn?.settle(this.#visible(run.cwdAfter));
      return run;
    } catch (error) {
      throw this.#resetWhenGone(error, command);
    } finally {
      this.#inForeground -= 1;
    }
  }

  /** Starts a command in the background; it never moves the session's directory. */
  async runInBackground(label: string, command: SessionCommand): Promise<string> {
    this.#refuseIfClosed();
    try {
      return await this.jobs.start(label, () => this.#start(command, "background"));
    } catch (error) {
      throw this.#resetWhenGone(error, command);
    }
  }

  /** Ends everything the session has: jobs, foreground commands, and what any of them left running. TERM, the grace, KILL. */
  close(graceMs?: number): Promise<void> {
    this.#closing ??= this.#close(graceMs);
    return this.#closing;
  }

  async #start(command: SessionCommand, kind: CommandKind): Promise<Running> {
    const { host, env, limits, observer } = this.#options;
    const base = {
      cwd: this.cwd,
      cwdIsReal: true,
      env,
      tags: this.#tags,
      nonce: this.nonce,
      ...(limits === undefined ? {} : { limits }),
    };
    const ended = observer?.begin(this, kind, command.open);
    try {
      const onLost = (places: readonly LostPlace[]): void => observer?.lost?.(this, places);
      const running = await host.start({ ...base, ...command, onLost });
      if (ended !== undefined) void running.done.then(ended, ended);
      return running;
    } catch (error) {
      ended?.();
      throw error;
    }
  }

  // What the sandbox shows may not exist outside; a directory nobody could start in again is no directory to be in.
  #visible(directory: string | null): string | null {
    if (directory === null) return null;
    return this.outside(directory) === undefined ? null : directory;
  }

  #resetWhenGone(error: unknown, command: SessionCommand): unknown {
    const own = command.cwd === undefined && error instanceof EngineError && error.details.reason === "cwd";
    if (!own || this.cwd === this.#options.workdir) return error;
    const gone = this.cwd;
    this.#directory.reset();
    const why = error.message.replace(/^could not start command: /, "");
    const message = `${why}; reset to ${this.#options.workdir}`;
    return new EngineError("START_FAILED", message, { reason: "cwd", path: gone }, error);
  }

  #refuseIfClosed(): void {
    if (this.#closing !== undefined) throw new EngineError("SESSION_CLOSED", "session is closed");
  }

  async #close(graceMs: number | undefined): Promise<void> {
    await Promise.all([this.jobs.close(graceMs), this.#options.host.endSession(this.#tags, graceMs)]);
    this.cutOutputs.clear();
  }
}

/** Where sessions are kept. Memory now; a shared store for several servers would implement the same. */
export type SessionStore = {
  /** `start`: the directory of its first command, if that is not the workdir. */
  open(start?: string): Session;
  /** Undefined for a handle that is not, or no longer, ours. Counts as use. */
  find(handle: string): Session | undefined;
  close(handle: string, graceMs?: number): Promise<void>;
  closeAll(): Promise<void>;
};

export class MemorySessions implements SessionStore {
  readonly #options: SessionOptions;
  readonly #sessions = new Map<string, { readonly session: Session; usedAt: number }>();
  #sweep: Timer | undefined;

  constructor(options: SessionOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#sessions.size;
  }

  open(start?: string): Session {
    const session = new Session(randomHex(16), this.#options, start);
    this.#sessions.set(session.handle, { session, usedAt: performance.now() });
    this.#watchIdle();
    return session;
  }

  find(handle: string): Session | undefined {
    const entry = this.#sessions.get(handle);
    if (entry === undefined) return undefined;
    entry.usedAt = performance.now();
    return entry.session;
  }

  /** Without counting as use. */
  peek(handle: string): Session | undefined {
    return this.#sessions.get(handle)?.session;
  }

  async close(handle: string, graceMs?: number): Promise<void> {
    const entry = this.#sessions.get(handle);
    this.#sessions.delete(handle);
    await entry?.session.close(graceMs);
  }

  async closeAll(): Promise<void> {
    this.#sweep?.cancel();
    await Promise.all([...this.#sessions.keys()].map((handle) => this.close(handle)));
  }

  #watchIdle(): void {
    const idleMs = this.#options.idleMs ?? 0;
    if (idleMs <= 0 || this.#sweep !== undefined) return;
    this.#sweep = after(Math.max(10, idleMs / 4), () => {
      this.#sweep = undefined;
      const before = performance.now() - idleMs;
      for (const [handle, entry] of this.#sessions) {
        if (entry.session.busy) entry.usedAt = performance.now();
        else if (entry.usedAt < before) void this.close(handle);
      }
      if (this.#sessions.size > 0) this.#watchIdle();
    });
  }
}
