// A question to the model until there is an answer: waits and retries where that can help, learns what the server
// cannot take and asks again, and never repeats a request once text has been seen.
import type { HttpFetch, JsonObject } from "@bosun/mcp";
import { meaningOf } from "./answer.ts";
import type { Answer, AnswerEvents, Meaning } from "./answer.ts";
import { learn } from "./compat.ts";
import type { Compat } from "./compat.ts";
import { complete } from "./completion-request.ts";
import type { Completion } from "./completion-request.ts";
import { retryAfterMs } from "./retry-after.ts";

const NETWORK_WAITS_MS = [500, 2000];
const STATUS_WAITS_MS = [1000, 3000, 8000];
const LONGEST_WAIT_MS = 60_000;
const LOADING_WAIT_MS = 2000;
const RETRIED = new Set([408, 409, 429, 500, 502, 503, 504, 529]);

export type Endpoint = {
  /** For the person: the name in the settings. */
  name: string;
  url: URL;
  /** Read for each request: a key may change. */
  headers: () => Promise<Record<string, string>> | Record<string, string>;
  /** Where the key came from, to name it when it is refused. */
  keySource: string | undefined;
  firstByteMs: number;
  idleMs: number;
  pinned: Partial<Compat>;
  compat: Compat;
  /** Called when a switch has changed, to keep it. */
  onLearnt: (compat: Compat) => void;
};

export type AskEvents = AnswerEvents & {
  onStatus?: (text: string) => void;
  /** Waiting before the next attempt. */
  onWait?: (text: string, ms: number) => void;
  /** The request is on its way (again). */
  onSend?: () => void;
};

export type Question = {
  endpoint: Endpoint;
  /** Made anew when a switch has changed. */
  body: (compat: Compat) => JsonObject;
  facts: { hasToolTurns: boolean; wrapsUp: boolean };
  signal: AbortSignal;
  fetch: HttpFetch;
  events: AskEvents;
  /** For a 404: what the server offers. */
  offered?: () => Promise<string[]>;
  /** The context is too long: make it shorter. False when it cannot be. */
  makeRoom?: (window: number | undefined) => Promise<boolean>;
  /** Tests make it short. */
  waitScale?: number;
};

export type Asked =
  | { kind: "answer"; answer: Answer; meaning: Meaning }
  | { kind: "failed"; message: string; hint?: string; body?: string; status?: number };

export async function askModel(question: Question): Promise<Asked> {
  const tries = { network: 0, status: 0, empty: 0, hasLearnt: false, madeRoom: false, loadingSince: 0 };
  for (;;) {
    question.events.onSend?.();
    let hasShown = false;
    const completion = await once(question, () => (hasShown = true));
    if (completion.kind === "aborted") return aborted();
    if (completion.kind === "answer") {
      const { answer } = completion;
      const meaning = meaningOf(answer);
      if (meaning.kind === "empty" && tries.empty === 0 && answer.reasoning === "") {
        tries.empty += 1;
        question.events.onStatus?.("the answer was empty; asking once more");
        continue;
      }
      if (meaning.kind === "failed" && !hasShown) {
        // The server complained in the stream before it said anything: as good as a refusal.
        const next = await afterRefusal(question, tries, { status: 0, message: meaning.error, headers: new Headers() });
        if (next === "again") continue;
        if (next !== "no") return next;
      }
      return { kind: "answer", answer, meaning };
    }
    const next =
      completion.kind === "refused"
        ? await afterRefusal(question, tries, completion)
        : await afterSilence(question, tries, completion);
    if (next === "again") continue;
    if (next !== "no") return next;
    return explained(question, completion);
  }
}

type Tries = {
  network: number;
  status: number;
  empty: number;
  hasLearnt: boolean;
  madeRoom: boolean;
  loadingSince: number;
};
type Next = "again" | "no" | Asked;

async function once(question: Question, onShown: () => void): Promise<Completion> {
  const { endpoint, events } = question;
  let headers: Record<string, string>;
  try {
    headers = await endpoint.headers();
  } catch (error) {
    return { kind: "refused", status: 401, headers: new Headers(), message: messageOf(error), body: "" };
  }
  return complete({
    url: endpoint.url,
    headers,
    body: question.body(endpoint.compat),
    firstByteMs: endpoint.firstByteMs,
    idleMs: endpoint.idleMs,
    signal: question.signal,
    fetch: question.fetch,
    onText: (text) => {
      onShown();
      events.onText?.(text);
    },
    onReasoning: (text) => events.onReasoning?.(text),
  });
}

async function afterSilence(
  question: Question,
  tries: Tries,
  { message, timedOut }: Extract<Completion, { kind: "unreachable" }>,
): Promise<Next> {
  if (timedOut) return "no";
  const ms = NETWORK_WAITS_MS[tries.network];
  if (ms === undefined) return "no";
  tries.network += 1;
  return (await wait(question, `${shortly(message)}; trying again`, ms)) ? "again" : aborted();
}

type Refusal = { status: number; message: string; headers: Headers; body?: string };

async function afterRefusal(question: Question, tries: Tries, refusal: Refusal): Promise<Next> {
  const { status, message } = refusal;
  const { endpoint, events } = question;
  const exceeded = contextExceeded(status, refusal.body === undefined ? message : `${message} ${refusal.body}`);
  if (exceeded !== undefined && !tries.madeRoom && question.makeRoom) {
    tries.madeRoom = true;
    return (await question.makeRoom(exceeded.window)) ? "again" : "no";
  }
  const isLoading = status === 503 && /loading model/i.test(message);
  if (isLoading) {
    tries.loadingSince ||= Date.now();
    if (Date.now() - tries.loadingSince > endpoint.firstByteMs) return "no";
    return (await wait(question, "the model is loading", LOADING_WAIT_MS)) ? "again" : aborted();
  }
  const lesson =
    tries.hasLearnt || status === 401 || status === 403 || status === 402 || status === 429
      ? undefined
      : learn(message, endpoint.compat, question.facts, endpoint.pinned);
  if (lesson) {
    tries.hasLearnt = true;
    Object.assign(endpoint.compat, lesson.change);
    endpoint.onLearnt(endpoint.compat);
    events.onStatus?.(`${endpoint.name}: ${lesson.said}`);
    return "again";
  }
  if (!RETRIED.has(status)) return "no";
  const ms = STATUS_WAITS_MS[tries.status];
  if (ms === undefined) return "no";
  tries.status += 1;
  const asked = retryAfterMs(refusal.headers);
  const jittered = ms * (0.8 + Math.random() * 0.4);
  if (asked !== undefined && asked > LONGEST_WAIT_MS) return "no";
  return (await wait(question, `HTTP ${status}: ${shortly(message)}; trying again`, asked ?? jittered))
    ? "again"
    : aborted();
}

async function explained(
  { endpoint, offered }: Question,
  completion: Exclude<Completion, { kind: "answer" | "aborted" }>,
): Promise<Asked> {
  const { message } = completion;
  if (completion.kind === "unreachable") {
    const hint = completion.timedOut ? undefined : `is the server at ${endpoint.url.host} running?`;
    return { kind: "failed", message, ...(hint === undefined ? {} : { hint }) };
  }
  const { status, body } = completion;
  const failed = { kind: "failed" as const, message: `HTTP ${status}: ${message}`, status, body };
  if (status === 401 || status === 403) {
    const from = endpoint.keySource;
    const hint = from === undefined ? "no key is configured for this model (key_env)" : `the key came from ${from}`;
    return { ...failed, hint };
  }
  if (status === 402) return { ...failed, hint: "out of credit" };
  if (status === 404) {
    const names = await offered?.().catch(() => []); // the list is only a hint
    if (names && names.length > 0) return { ...failed, hint: `the server offers: ${names.slice(0, 12).join(", ")}` };
  }
  return failed;
}

// llama.cpp says its numbers; the others only say it in words.
function contextExceeded(status: number, message: string): { window: number | undefined } | undefined {
  if (status !== 400 && status !== 413 && status !== 0 && status !== 500) return undefined;
  const isIt =
    /exceed_context_size|exceeds? the available context|context[ _](?:length|window|size)[\s\S]{0,60}(?:exceed|too)|maximum context length|prompt is too long|too many tokens/i;
  if (!isIt.test(message)) return undefined;
  const said =
    /n_ctx\D{0,6}(\d+)|(?:maximum context length is|context (?:size|length|window)(?: of)?)\D{0,12}(\d+)/i.exec(
      message,
    );
  const window = Number(said?.[1] ?? said?.[2]);
  return { window: Number.isFinite(window) && window > 0 ? window : undefined };
}

async function wait(question: Question, why: string, ms: number): Promise<boolean> {
  const { signal, events, waitScale = 1 } = question;
  events.onWait?.(why, ms);
  if (signal.aborted) return false;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms * waitScale);
  signal.addEventListener("abort", () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  return !signal.aborted;
}

function aborted(): Asked {
  const answer: Answer = {
    text: "",
    reasoning: "",
    reasoningDetails: [],
    calls: [],
    finish: undefined,
    usage: undefined,
    ended: "aborted",
    error: undefined,
    warnings: [],
  };
  return { kind: "answer", answer, meaning: { kind: "aborted" } };
}

function shortly(message: string): string {
  return message.length > 120 ? `${message.slice(0, 120)}…` : message;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
