// The question on first contact: one for each host and port of a session, however many connections wait for it, and what
// its answer is good for.
import type { Limits } from "../limits.ts";

export type HostQuestion = {
  readonly session: string;
  readonly host: string;
  readonly port: number;
  /** That were running at the first contact. */
  readonly calls: readonly string[];
};

/** `unanswered`: dismissed or timed out. `later`: the client cannot be asked while a call runs; the next one asks first. */
export type HostAnswer = "once" | "session" | "always" | "refuse" | "unanswered" | "later";

export type AskHost = (question: HostQuestion, signal: AbortSignal) => Promise<HostAnswer>;

/** Answers that outlive the session. */
export type HostApprovals = {
  has(host: string, port: number): boolean;
  /** May throw: the answer then counts for the session. */
  remember(host: string, port: number): void;
};

export type Standing =
  | { readonly kind: "allowed"; readonly answer: "once" | "session" | "always" }
  | { readonly kind: "refused"; readonly reason: string }
  | { readonly kind: "unknown" };

export type Answered = Exclude<Standing, { kind: "unknown" }> | { readonly kind: "later" };

type Options = {
  readonly session: string;
  readonly ask: AskHost | undefined;
  readonly approvals: HostApprovals;
  readonly limits: Limits;
  readonly isRunning: (call: string) => boolean;
  /** The time of these calls stands still until the returned function is called. */
  readonly holdTime: (calls: readonly string[]) => () => void;
  readonly log: (message: string) => void;
};

export class HostQuestions {
  readonly #options: Options;
  readonly #session = new Set<string>();
  readonly #once = new Map<string, readonly string[]>();
  readonly #refused = new Map<string, string>();
  readonly #open = new Map<string, Promise<Answered>>();
  readonly #later = new Map<string, HostQuestion>();
  readonly #over = new AbortController();

  constructor(options: Options) {
    this.#options = options;
  }

  /** What earlier answers say. */
  standing(host: string, port: number): Standing {
    const key = keyOf(host, port);
    const { approvals, isRunning } = this.#options;
    if (this.#session.has(key)) return { kind: "allowed", answer: "session" };
    if (approvals.has(host, port)) return { kind: "allowed", answer: "always" };
    const calls = this.#once.get(key);
    if (calls?.some(isRunning) === true) return { kind: "allowed", answer: "once" };
    this.#once.delete(key);
    const reason = this.#refused.get(key);
    return reason === undefined ? { kind: "unknown" } : { kind: "refused", reason };
  }

  /** Whether a person has said no to the host, and to none of the ports yes. */
  refusalOf(host: string, ports: readonly number[]): string | undefined {
    const all = ports.map((port) => this.standing(host, port));
    if (all.some(({ kind }) => kind === "allowed")) return undefined;
    return all.flatMap((standing) => (standing.kind === "refused" ? [standing.reason] : []))[0];
  }

  /** Waits for the answer; further connections join the question that is open. */
  async ask(host: string, port: number, calls: readonly string[]): Promise<Answered> {
    const key = keyOf(host, port);
    const known = this.#open.get(key);
    if (known === undefined && this.#open.size >= this.#options.limits.openQuestions) {
      return { kind: "refused", reason: "too many open questions" };
    }
    const answered = known ?? this.#begin({ session: this.#options.session, host, port, calls });
    const goOn = this.#options.holdTime(calls);
    try {
      return await answered;
    } finally {
      goOn();
    }
  }

  isOpen(host: string, port: number): boolean {
    return this.#open.has(keyOf(host, port));
  }

  /** Those that the next call asks before it starts anything. */
  get pending(): readonly HostQuestion[] {
    return [...this.#later.values()];
  }

  /** The answer to one that was pending, or given elsewhere. */
  answer(host: string, port: number, answer: HostAnswer, calls: readonly string[]): Answered {
    this.#later.delete(keyOf(host, port));
    return this.#take({ session: this.#options.session, host, port, calls }, answer);
  }

  close(): void {
    this.#over.abort();
  }

  #begin(question: HostQuestion): Promise<Answered> {
    const key = keyOf(question.host, question.port);
    const answered = this.#put(question).finally(() => this.#open.delete(key));
    this.#open.set(key, answered);
    return answered;
  }

  async #put(question: HostQuestion): Promise<Answered> {
    const { ask, log } = this.#options;
    if (ask === undefined) return { kind: "refused", reason: "nobody can be asked" };
    try {
      return this.#take(question, await ask(question, this.#over.signal));
    } catch (error) {
      // A client that is gone, or a form it could not show: nobody has allowed anything.
      log(`the question about ${question.host}:${question.port} failed: ${messageOf(error)}`);
      return this.#take(question, "unanswered");
    }
  }

  #take(question: HostQuestion, answer: HostAnswer): Answered {
    const { host, port, calls } = question;
    const key = keyOf(host, port);
    this.#refused.delete(key);
    switch (answer) {
      case "once":
        this.#once.set(key, calls);
        return { kind: "allowed", answer };
      case "session":
        this.#session.add(key);
        return { kind: "allowed", answer };
      case "always":
        // First: it counts for the session whatever the disk says.
        this.#session.add(key);
        this.#remember(host, port);
        return { kind: "allowed", answer };
      case "later":
        if (this.#later.size < this.#options.limits.openQuestions) this.#later.set(key, question);
        return { kind: "later" };
      case "refuse":
        return this.#refuse(key, "the person said no");
      case "unanswered":
        return this.#refuse(key, "nobody answered");
    }
  }

  #remember(host: string, port: number): void {
    const { approvals, log } = this.#options;
    try {
      approvals.remember(host, port);
    } catch (error) {
      // A full disk, or a state folder that others can change.
      log(`the approval of ${host}:${port} holds for this session only: ${messageOf(error)}`);
    }
  }

  #refuse(key: string, reason: string): Answered {
    const [oldest] = this.#refused.keys();
    if (this.#refused.size >= this.#options.limits.rememberedRefusals && oldest !== undefined) {
      this.#refused.delete(oldest);
    }
    this.#refused.set(key, reason);
    return { kind: "refused", reason };
  }
}

function keyOf(host: string, port: number): string {
  return `${host}:${port}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
