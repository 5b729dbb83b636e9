// Calls that outlive their request: what is kept of them, for whom, and for how long.
// Knows the states of a task; not how a revision spells them (task-methods.ts).
import type { Answers, Question } from "./ask.ts";
import type { JsonObject } from "./json.ts";
import { RpcError } from "./rpc-error.ts";

export type TaskStatus = "working" | "input_required" | "completed" | "failed" | "cancelled";
export type TaskOutcome = { result: JsonObject } | { error: RpcError };

export type TaskLimits = {
  /** How long a finished task can still be fetched. */
  ttlMs: number;
  pollIntervalMs: number;
  /** Running at once, for one owner. */
  maxRunningPerOwner: number;
  /** Kept in all; the oldest finished ones go first. */
  maxKept: number;
};

export const TASK_LIMITS: TaskLimits = { ttlMs: 300_000, pollIntervalMs: 500, maxRunningPerOwner: 32, maxKept: 1000 };

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
  private readonly open = new Map<string, { question: Question; answer(value: JsonObject): void }>();
  private readonly watchers = new Set<() => void>();
  private asked = 0;

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
    this.open.clear();
    if ("error" in outcome) this.statusMessage = outcome.error.message;
    this.become(failed ? "failed" : "completed");
  }

  cancel(): void {
    if (this.finished) return;
    this.open.clear();
    this.statusMessage = "cancelled by the client";
    this.become("cancelled");
    this.controller.abort();
  }

  /** Asks through the task: the client sees the questions when it polls. */
  async ask(questions: { [key: string]: Question }): Promise<Answers> {
    const answers: Answers = {};
    const asked = Object.entries(questions).map(
      ([name, question]) =>
        new Promise<void>((resolve, reject) => {
          // Keys are never reused within a task, so a late answer cannot reach another question.
          const key = this.open.has(name) || this.asked > 0 ? `${name}-${++this.asked}` : name;
          this.signal.addEventListener("abort", () => reject(new Error("the task was cancelled")), { once: true });
          this.open.set(key, {
            question,
            answer(value) {
              answers[name] = value;
              resolve();
            },
          });
        }),
    );
    this.asked++;
    this.become("input_required");
    await Promise.all(asked);
    return answers;
  }

  /** Unknown keys are ignored; answered ones are no longer listed. */
  answer(given: Answers): void {
    for (const [key, value] of Object.entries(given)) {
      this.open.get(key)?.answer(value);
      this.open.delete(key);
    }
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

  private become(status: TaskStatus): void {
    this.status = status;
    this.updatedAt = new Date();
    for (const watcher of [...this.watchers]) watcher();
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

  /** Undefined when this owner already has as many running as it may. */
  create(owner: string, ttlMs?: number): Task | undefined {
    this.forgetExpired();
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

  endOwner(owner: string): void {
    for (const task of this.of(owner)) {
      task.cancel();
      this.tasks.delete(task.id);
    }
  }

  private forgetExpired(): void {
    const now = Date.now();
    let surplus = this.tasks.size - this.limits.maxKept + 1;
    for (const [id, task] of this.tasks) {
      if (!task.finished) continue;
      if (surplus-- > 0 || task.updatedAt.getTime() + task.ttlMs < now) this.tasks.delete(id);
    }
  }
}
