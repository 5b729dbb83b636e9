// Commands in the background: a bounded number running, each readable while it grows, waited for, stopped, and read to
// the end once. What a job prints is bounded like any command's.
import { EngineError } from "../engine-error.ts";
import { after, pause } from "./timers.ts";
import type { Captured, Piece } from "./output-capture.ts";
import type { Run } from "./command-checks.ts";
import type { Running } from "./running-command.ts";
import { randomHex } from "../random-hex.ts";

export type JobState = "running" | "completed";

export type JobView = {
  readonly id: string;
  readonly state: JobState;
  /** What it was started with, for listings. */
  readonly label: string;
  readonly startedAt: number;
  /** The end, once it has come. */
  readonly run: Run | undefined;
  /** Ended by the safety net, not by itself. */
  readonly killedByTimeout: boolean;
  readonly stdout: Captured;
  readonly stderr: Captured;
};

export type JobLimits = {
  /** At once. Finished jobs do not count. */
  readonly running?: number;
  /** How many finished ones are kept for a reader; the oldest go first. */
  readonly finished?: number;
  /** TERM, grace and KILL for a job that runs longer; 0 or none: never. */
  readonly timeoutMs?: number;
};

const DEFAULT_RUNNING = 10;
const DEFAULT_FINISHED = 32;

type Job = {
  readonly id: string;
  readonly label: string;
  readonly startedAt: number;
  readonly running: Running;
  run: Run | undefined;
};

export class Jobs {
  readonly #jobs = new Map<string, Job>();
  readonly #limits: JobLimits;
  #starting = 0;
  #closed = false;

  constructor(limits: JobLimits = {}) {
    this.#limits = limits;
  }

  get runningCount(): number {
    return [...this.#jobs.values()].filter((job) => job.run === undefined).length;
  }

  /** Starts a job, unless there are too many: the limit is checked first, so that a refused command has no effect. */
  async start(label: string, begin: () => Promise<Running>): Promise<string> {
    if (this.#closed) throw new EngineError("SESSION_CLOSED", "could not add background task: session is closed");
    const limit = this.#limits.running ?? DEFAULT_RUNNING;
    if (this.runningCount + this.#starting >= limit) {
      const message = `could not add background task: maximum concurrent background task limit (${limit}) reached`;
      throw new EngineError("TASK_LIMIT", message, { limit });
    }
    this.#starting += 1;
    try {
      return this.#add(label, await begin());
    } finally {
      this.#starting -= 1;
    }
  }

  has(id: string): boolean {
    return this.#jobs.has(id);
  }

  /** The job as it is now. */
  view(id: string): JobView {
    return viewOf(this.#find(id));
  }

  /** The newest output: the last characters of each stream. */
  newest(id: string, maxChars: number): { readonly stdout: string; readonly stderr: string } {
    const { running } = this.#find(id);
    return { stdout: running.stdout.lastChars(maxChars), stderr: running.stderr.lastChars(maxChars) };
  }

  /** A stream from a byte offset on. */
  read(id: string, stream: "stdout" | "stderr", offset: number, maxBytes: number): Piece {
    return this.#find(id).running[stream].read(offset, maxBytes);
  }

  /** Waits for the job's end, or until the time is up, and says how it stands. */
  async wait(id: string, timeoutMs: number, signal?: AbortSignal): Promise<JobView> {
    const job = this.#find(id);
    if (job.run === undefined) {
      const aborted = Promise.withResolvers<void>();
      const abort = (): void => aborted.resolve();
      signal?.addEventListener("abort", abort, { once: true });
      if (signal?.aborted === true) abort();
      await Promise.race([job.running.done, pause(timeoutMs), aborted.promise]);
      signal?.removeEventListener("abort", abort);
      await Promise.resolve(); // lets the job take note of its end first
    }
    return viewOf(job);
  }

  /** TERM → grace → KILL; resolves with the job at its end. */
  async stop(id: string): Promise<JobView> {
    const job = this.#find(id);
    if (job.run === undefined) job.running.stop("cancel");
    job.run = await job.running.done;
    return viewOf(job);
  }

  list(): JobView[] {
    return [...this.#jobs.values()].map(viewOf);
  }

  /** Drops a finished job: its output has been read. A running one stays. */
  forget(id: string): void {
    const job = this.#find(id);
    if (job.run === undefined) return;
    this.#drop(job);
  }

  /** Ends all jobs at once and refuses new ones. Idempotent. */
  async close(graceMs?: number): Promise<void> {
    this.#closed = true;
    const jobs = [...this.#jobs.values()];
    for (const job of jobs) job.running.stop("close", graceMs);
    await Promise.all(jobs.map((job) => job.running.death));
    for (const job of jobs) this.#drop(job);
  }

  #add(label: string, running: Running): string {
    const job: Job = { id: randomHex(8), label, startedAt: Date.now(), running, run: undefined };
    if (this.#closed) running.stop("close"); // the session ended while the command was starting
    this.#jobs.set(job.id, job);
    const timeoutMs = this.#limits.timeoutMs ?? 0;
    const net = timeoutMs > 0 ? after(timeoutMs, () => running.stop("timeout")) : undefined;
    void running.done.then((run) => {
      net?.cancel();
      job.run = run;
      if (this.#closed) this.#drop(job);
      else this.#trimFinished();
    });
    return job.id;
  }

  #trimFinished(): void {
    const finished = [...this.#jobs.values()].filter((job) => job.run !== undefined);
    const surplus = finished.length - (this.#limits.finished ?? DEFAULT_FINISHED);
    for (const job of finished.slice(0, Math.max(0, surplus))) this.#drop(job);
  }

  #drop(job: Job): void {
    this.#jobs.delete(job.id);
    job.running.stdout.discard();
    job.running.stderr.discard();
  }

  #find(id: string): Job {
    const job = this.#jobs.get(id);
    if (job === undefined) throw new EngineError("TASK_NOT_FOUND", `task not found: ${id.slice(0, 100)}`, { id });
    return job;
  }
}

function viewOf(job: Job): JobView {
  const { id, label, startedAt, run, running } = job;
  return {
    id,
    state: run === undefined ? "running" : "completed",
    label,
    startedAt,
    run,
    killedByTimeout: run?.timedOut === true,
    stdout: running.stdout.captured(),
    stderr: running.stderr.captured(),
  };
}
