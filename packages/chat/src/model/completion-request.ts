// One request to a model and its answer: three clocks (connect, first byte, silence), abort at once, nothing retried.
import { Socket } from "node:net";
import type { HttpFetch, JsonObject } from "@bosun/mcp";
import { AnswerReader } from "./answer.ts";
import type { Answer, AnswerEvents } from "./answer.ts";
import { messageInBody } from "./error-text.ts";

const CONNECT_MS = 10_000;
const MAX_ERROR_BODY = 1024 * 1024;
const MAX_WHOLE_BODY = 128 * 1024 * 1024;

export type CompletionRequest = {
  url: URL;
  headers: Readonly<Record<string, string>>;
  body: JsonObject;
  firstByteMs: number;
  idleMs: number;
  signal: AbortSignal;
  fetch: HttpFetch;
  thinkTags?: boolean;
} & AnswerEvents;

export type Completion =
  | { kind: "answer"; answer: Answer }
  /** A status other than 2xx: nothing of an answer came. */
  | { kind: "refused"; status: number; headers: Headers; message: string; body: string }
  /** No answer at all: `certain` says that the server cannot have taken the request. */
  | { kind: "unreachable"; message: string; timedOut: boolean }
  | { kind: "aborted" };

export async function complete(request: CompletionRequest): Promise<Completion> {
  const clock = new Clock(request.signal);
  try {
    clock.start(request.firstByteMs, `no answer for ${seconds(request.firstByteMs)}`);
    const watch = watchConnection(request.url, clock);
    const response = await request.fetch(request.url, {
      method: "POST",
      headers: { ...request.headers },
      body: JSON.stringify(request.body),
      signal: clock.signal,
    });
    clearTimeout(watch);
    if (!response.ok) return await refusal(response, clock, request.idleMs);
    return await read(response, request, clock);
  } catch (error) {
    if (request.signal.aborted) return { kind: "aborted" };
    const message = clock.expired ?? (error instanceof Error ? error.message : String(error));
    return { kind: "unreachable", message, timedOut: clock.expired !== undefined };
  } finally {
    clock.stop();
  }
}

async function read(response: Response, request: CompletionRequest, clock: Clock): Promise<Completion> {
  const reader = new AnswerReader(request, { thinkTags: request.thinkTags ?? true });
  const type = response.headers.get("content-type") ?? "";
  const isWhole = /\bapplication\/json\b/i.test(type);
  const whole: Uint8Array[] = [];
  let wholeBytes = 0;
  let gotAny = false;
  const body = response.body?.getReader();
  try {
    for (;;) {
      const piece = await body?.read();
      if (piece === undefined || piece.done) break;
      gotAny = true;
      clock.start(request.idleMs, `the stream was silent for ${seconds(request.idleMs)}`);
      if (isWhole) {
        wholeBytes += piece.value.length;
        if (wholeBytes > MAX_WHOLE_BODY) throw new Error("the answer is larger than any answer");
        whole.push(piece.value);
      } else reader.push(piece.value);
      if (!isWhole && reader.isOver) {
        void body?.cancel().catch(() => {}); // the answer is whole: how the rest ends is not asked
        break;
      }
    }
    if (isWhole) reader.whole(Buffer.concat(whole).toString("utf8"));
    return { kind: "answer", answer: reader.finish("end") };
  } catch (error) {
    void body?.cancel().catch(() => {}); // the error in hand is the one that counts
    if (request.signal.aborted) return { kind: "answer", answer: reader.finish("aborted") };
    const message = clock.expired ?? (error instanceof Error ? error.message : String(error));
    if (!gotAny) return { kind: "unreachable", message, timedOut: clock.expired !== undefined };
    return { kind: "answer", answer: reader.finish("broken", message) };
  }
}

async function refusal(response: Response, clock: Clock, idleMs: number): Promise<Completion> {
  clock.start(idleMs, "the error message never ended");
  let body = "";
  const decoder = new TextDecoder();
  const reader = response.body?.getReader();
  for (;;) {
    const piece = await reader?.read();
    if (piece === undefined || piece.done) break;
    body += decoder.decode(piece.value, { stream: true });
    if (body.length > MAX_ERROR_BODY) {
      void reader?.cancel().catch(() => {}); // enough of the message was read
      break;
    }
  }
  const { status, headers } = response;
  return { kind: "refused", status, headers, message: messageInBody(body) ?? `HTTP ${status}`, body };
}

// fetch does not say when it is connected: a host that swallows packets would hold us for the first-byte time, which
// is minutes for a slow model. So after a while, ask the address whether anybody is there.
function watchConnection(url: URL, clock: Clock): Timer {
  const timer = setTimeout(() => {
    const socket = new Socket();
    const port = Number(url.port) || (url.protocol === "https:" ? 443 : 80);
    const give = (isThere: boolean): void => {
      socket.destroy();
      if (!isThere) clock.expire(`cannot connect to ${url.host}`);
    };
    const limit = setTimeout(() => give(false), CONNECT_MS);
    limit.unref();
    socket.once("connect", () => {
      clearTimeout(limit);
      give(true);
    });
    socket.once("error", () => {
      clearTimeout(limit);
      give(false);
    });
    socket.connect(port, url.hostname.replace(/^\[|\]$/g, ""));
  }, CONNECT_MS);
  timer.unref();
  return timer;
}

class Clock {
  expired: string | undefined;
  readonly #controller = new AbortController();
  readonly signal: AbortSignal;
  #timer: Timer | undefined;

  constructor(outer: AbortSignal) {
    this.signal = AbortSignal.any([outer, this.#controller.signal]);
  }

  start(ms: number, why: string): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.expire(why), ms);
  }

  expire(why: string): void {
    this.expired ??= why;
    this.#controller.abort();
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`;
}
