// What a handler gets besides its arguments: who calls, a signal, and ways to speak while the call runs.
import { exactNumber, spanAt } from "@bosun/platform/json";
import { askerFor, canAsk } from "./ask.ts";
import type { Ask, Question } from "./ask.ts";
import type { Call, ClientFacts, Principal } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { isModern, META } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import type { StateCipher } from "./state-cipher.ts";

export const LOG_LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** At most about fifty progress notifications a second: the newest of each window is what counts. */
const PROGRESS_INTERVAL_MS = 20;

const LOG_BURST = 100;
const LOGS_PER_SECOND = 20;

export type Context = {
  readonly revision: Revision;
  readonly client: ClientFacts;
  readonly principal: Principal | undefined;
  /** An opaque name for the caller: state kept under it is seen by nobody else. */
  readonly owner: string;
  readonly signal: AbortSignal;
  /** Did the client ask for progress? Work that only serves progress can be spared otherwise. */
  readonly wantsProgress: boolean;
  progress(progress: number, total?: number, message?: string): void;
  log(level: LogLevel, data: Json, logger?: string): void;
  ask: Ask;
  canAsk(question: Question): boolean;
  /** Tells the client that what the person was sent to a URL for is done. Only 2025-11-25 has a notification for it. */
  urlDone(question: Question): void;
  /** Answers the request with a task and goes on working in it. False where the client cannot follow: then just go on. */
  becomeTask(): Promise<boolean>;
  releaseConnection(retryMs: number): void;
};

type ContextOptions = {
  cipher: StateCipher;
  /** Minimum level of the log messages this call sends; undefined for none. */
  level: LogLevel | undefined;
  /** How questions travel; by default on the call itself. */
  ask?: Ask;
};

/** Runs a handler with its context. Progress that is held back goes out before the answer, whatever that is. */
export async function withContext<T>(
  call: Call,
  options: ContextOptions,
  run: (context: Context) => Promise<T> | T,
): Promise<T> {
  const progress = new ProgressReporter(call);
  try {
    return await run(createContext(call, progress, options));
  } finally {
    progress.flush();
  }
}

function createContext(
  call: Call,
  progress: ProgressReporter,
  { cipher, level: minimumLevel, ask }: ContextOptions,
): Context {
  const logs = new LogLimit(call);
  return {
    becomeTask: async () => false,
    revision: call.revision,
    client: call.client,
    principal: call.principal,
    owner: call.owner,
    signal: call.signal,
    wantsProgress: progress.wanted,
    progress: (value, total, message) => progress.report(value, total, message),
    log(level, data, logger) {
      if (minimumLevel === undefined || LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(minimumLevel)) return;
      logs.say({ level, ...(logger === undefined ? {} : { logger }), data });
    },
    ask: async (questions, options) => {
      progress.flush();
      return (ask ?? (await askerFor(call, cipher)))(questions, options);
    },
    canAsk: (question) => canAsk(call, question),
    urlDone({ params: { elicitationId } }) {
      if (call.revision !== "2025-11-25" || typeof elicitationId !== "string") return;
      call.notify("notifications/elicitation/complete", { elicitationId });
    },
    releaseConnection: (retryMs) => call.releaseConnection(retryMs),
  };
}

export function isLogLevel(value: unknown): value is LogLevel {
  return LOG_LEVELS.some((level) => level === value);
}

/** In 2026-07-28 a request gets log messages only if it asks for them; before, the session's level decides. */
export function logLevelOf(call: Call, sessionLevel: LogLevel | undefined): LogLevel | undefined {
  if (!isModern(call.revision)) return sessionLevel;
  const level = isObject(call.params["_meta"]) ? call.params["_meta"][META.logLevel] : undefined;
  return isLogLevel(level) ? level : undefined;
}

/** A handler that logs in a loop must not drown its client: so many at once, then so many a second. */
class LogLimit {
  private readonly call: Call;
  private tokens = LOG_BURST;
  private filledAt = performance.now();
  private leftOut = 0;

  constructor(call: Call) {
    this.call = call;
  }

  say(message: JsonObject): void {
    const now = performance.now();
    this.tokens = Math.min(LOG_BURST, this.tokens + ((now - this.filledAt) / 1000) * LOGS_PER_SECOND);
    this.filledAt = now;
    if (this.tokens < 1) return void this.leftOut++;
    this.tokens--;
    if (this.leftOut > 0) {
      this.call.notify("notifications/message", { ...message, data: `${this.leftOut} log messages were left out` });
      this.leftOut = 0;
    }
    this.call.notify("notifications/message", message);
  }
}

function exactToken(raw: string): Json | undefined {
  const span = spanAt(raw, ["params", "_meta", "progressToken"]);
  return span && exactNumber(raw.slice(span.start, span.end));
}

class ProgressReporter {
  private readonly call: Call;
  private readonly token: Json | undefined;
  private last = Number.NEGATIVE_INFINITY;
  private sentAt = Number.NEGATIVE_INFINITY;
  private held: JsonObject | undefined;
  private timer: Timer | undefined;

  constructor(call: Call) {
    this.call = call;
    const meta = call.params["_meta"];
    const token = isObject(meta) ? meta["progressToken"] : undefined;
    if (typeof token === "string" || Number.isSafeInteger(token)) this.token = token;
    else if (Number.isInteger(token)) this.token = exactToken(call.raw);
  }

  get wanted(): boolean {
    return this.token !== undefined;
  }

  report(progress: number, total: number | undefined, message: string | undefined): void {
    // The protocol wants it to increase; a report that does not is a bug of the handler that the client need not see.
    if (this.token === undefined || !(progress > this.last) || !Number.isFinite(progress)) return;
    this.last = progress;
    this.held = {
      progressToken: this.token,
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    const wait = this.sentAt + PROGRESS_INTERVAL_MS - performance.now();
    if (wait <= 0) this.flush();
    else this.timer ??= setTimeout(() => this.flush(), wait);
  }

  flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.held === undefined) return;
    const params = this.held;
    this.held = undefined;
    this.sentAt = performance.now();
    this.call.notify("notifications/progress", params);
  }
}
