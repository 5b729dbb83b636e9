// Calls that outlive their request: what is kept of them, for whom, and for how long.
// Knows the states of a task; not how a revision spells them (task-methods.ts).
import type { Answers, Question } from "./ask.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { RpcError } from "../wire/rpc-error.ts";

type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";
type TaskOutcome = { result: JsonObject } | { error: RpcError };

export type TaskLimits = {
  /** How long a finished task can still be fetched. */
  ttlMs: number;
  pollIntervalMs: number;
  /** Running at once, for one owner. */
  maxRunningPerOwner: number;
  /** Kept in all, running ones included; the oldest finished ones go first. */
  maxKept: number;
};

export const TASK_LIMITS: TaskLimits = { ttlMs: 300_000, pollIntervalMs: 500, maxRunningPerOwner: 32, maxKept: 1000 };

type Open = { question: Question; answer(value: JsonObject): void; refuse(error: Error): void };

export class Task {
  readonly id = crypto.randomUUID();
  readonly owner: string;
  readonly ttlMs: number;
  readonly pollIntervalMs: number;
  readonly createdAt = new Date();
  updatedAt = this.createdAt;
  status: TaskStatus = "working";
  statusMessage: string | undefined;
  outcome: TaskOutcome | undefined;
  private readonly controller = new AbortController();
  private readonly open = new Map<string, Open>();
  private readonly keys = new Set<string>();
  private readonly watchers = new Set<() => void>();

  constructor(owner: string, ttlMs: number, pollIntervalMs: number) {
    this.owner = owner;
    this.ttlMs = ttlMs;
    this.pollIntervalMs = pollIntervalMs;
  }

  /** Aborted by `cancel`: what the work itself watches. */
  get signal(): AbortSignal {
    return this.controller.signal;
  }

  get finished(): boolean {
    return this.outcome !== undefined || this.status === "cancelled";
  }

  get questions(): { [key: string]: Question } {
    return Object.fromEntries([...this.open].map(([key, { question }]) => [key, question]));
  }

  finish(outcome: TaskOutcome, failed: boolean): void {
    if (this.finished) return;
    this.outcome = outcome;
    this.abandonQuestions();
    if ("error" in outcome) this.statusMessage = outcome.error.message;
    this.become(failed ? "failed" : "completed");
  }

  cancel(): void {
    if (this.finished) return;
    this.statusMessage = "cancelled by the client";
    this.become("cancelled");
    this.controller.abort();
    this.abandonQuestions();
  }

  /** Asks through the task: the client sees the questions when it polls. */
  async ask(questions: { [key: string]: Question }): Promise<Answers> {
    if (this.finished) throw new Error("the task is over");
    const asked = Object.entries(questions).map(([name, question]) => {
      const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
      this.open.set(this.newKey(name), { question, answer: resolve, refuse: reject });
      return promise.then((answer) => [name, answer] as const);
    });
    if (asked.length > 0) this.become("input_required");
    return Object.fromEntries(await Promise.all(asked));
  }

  /** Keys are never reused within a task, so a late answer cannot reach another question. */
  private newKey(name: string): string {
    let key = name;
    for (let number = 2; this.keys.has(key); number++) key = `${name}-${number}`;
    this.keys.add(key);
    return key;
  }

  /** Unknown keys are ignored; answered ones are no longer listed. */
  answer(given: Answers): void {
    for (const [key, value] of Object.entries(given)) this.close(key)?.answer(value);
    this.goOn();
  }

  /** The client would not answer: what asked learns why. */
  refuse(key: string, error: Error): void {
    this.close(key)?.refuse(error);
    this.goOn();
  }

  private close(key: string): Open | undefined {
    const open = this.open.get(key);
    this.open.delete(key);
    return open;
  }

  private goOn(): void {
    if (this.open.size === 0 && this.status === "input_required") this.become("working");
  }

  /** Resolves at the next change of any kind. */
  changed(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.watchers.delete(done);
        signal.removeEventListener("abort", done);
        resolve();
      };
      this.watchers.add(done);
      signal.addEventListener("abort", done, { once: true });
    });
  }

  /** Called after every change of status; set by the store. */
  onChange: (task: Task) => void = () => {};

  private abandonQuestions(): void {
    for (const { refuse } of this.open.values()) refuse(new Error("the task is over"));
    this.open.clear();
  }

  private become(status: TaskStatus): void {
    this.status = status;
    this.updatedAt = new Date();
    for (const watcher of Array.from(this.watchers)) watcher(); // a copy: each takes itself out
    this.onChange(this);
  }
}

export class TaskStore {
  private readonly tasks = new Map<string, Task>();
  private readonly limits: TaskLimits;
  private readonly onChange: (task: Task) => void;

  constructor(limits: TaskLimits, onChange: (task: Task) => void) {
    this.limits = limits;
    this.onChange = onChange;
  }

  /** Undefined when this owner, or all together, already have as many running as they may. */
  create(owner: string, ttlMs?: number): Task | undefined {
    this.forgetExpired();
    this.makeRoom();
    if (this.tasks.size >= this.limits.maxKept) return undefined;
    if (this.of(owner).filter((task) => !task.finished).length >= this.limits.maxRunningPerOwner) return undefined;
    const task = new Task(owner, Math.min(ttlMs ?? this.limits.ttlMs, this.limits.ttlMs), this.limits.pollIntervalMs);
    task.onChange = this.onChange;
    this.tasks.set(task.id, task);
    return task;
  }

  /** Another owner's task does not exist. */
  get(id: string, owner: string): Task | undefined {
    this.forgetExpired();
    const task = this.tasks.get(id);
    return task?.owner === owner ? task : undefined;
  }

  of(owner: string): Task[] {
    return [...this.tasks.values()].filter((task) => task.owner === owner);
  }

  hasRunning(owner: string): boolean {
    for (const task of this.tasks.values()) if (task.owner === owner && !task.finished) return true;
    return false;
  }

  endOwner(owner: string): void {
    for (const task of this.of(owner)) {
      task.cancel();
      this.tasks.delete(task.id);
    }
  }

  private makeRoom(): void {
    let surplus = this.tasks.size - this.limits.maxKept + 1;
    if (surplus <= 0) return;
    for (const [id, task] of this.tasks) if (task.finished && surplus-- > 0) this.tasks.delete(id);
  }

  private forgetExpired(): void {
    const now = Date.now();
    for (const [id, task] of this.tasks) {
      if (task.finished && task.updatedAt.getTime() + task.ttlMs < now) this.tasks.delete(id);
    }
  }
}
