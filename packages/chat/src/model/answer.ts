// What a model answered, gathered from its chunks, and what that means: run the calls, show the text, or neither.
import { EventParser } from "@bosun/platform/sse";
import type { ServerEvent } from "@bosun/platform/sse";
import { isObject } from "@bosun/mcp";
import type { Json, JsonObject } from "@bosun/mcp";
import { readChunk } from "./completion-chunk.ts";
import type { Usage } from "./completion-chunk.ts";
import { CallCollector } from "./collect-calls.ts";
import type { CollectedCall } from "./collect-calls.ts";
import { ThinkTags } from "./think-tags.ts";

/** So many payloads in a row that are not JSON, and it is no stream of completions. */
const MAX_NONSENSE = 3;
/** Words, thoughts and arguments together: memory stays bounded whatever a server sends. */
const MAX_CHARS = 64 * 1024 * 1024;

export type Ended =
  /** `[DONE]`, a finish reason, or a whole JSON body. */
  | "done"
  /** The connection closed before the answer was whole. */
  | "closed"
  | "aborted"
  /** The server reported an error, or sent nonsense. */
  | "failed";

export type Answer = {
  text: string;
  reasoning: string;
  reasoningDetails: Json[];
  calls: CollectedCall[];
  finish: string | undefined;
  usage: Usage | undefined;
  ended: Ended;
  error: string | undefined;
  warnings: string[];
};

export type AnswerEvents = {
  onText?: (text: string) => void;
  onReasoning?: (text: string) => void;
};

/** Takes the bytes of one response, hands out text as it comes, keeps calls until the end. */
export class AnswerReader {
  readonly #events: AnswerEvents;
  // Some servers stream JSON lines; comments are signs of life, and any byte is one for the clock.
  readonly #parser = new EventParser(MAX_CHARS, { bareJson: true });
  readonly #decoder = new TextDecoder();
  readonly #collector = new CallCollector();
  readonly #tags: ThinkTags | undefined;
  readonly #reasoningDetails: Json[] = [];
  readonly #warnings: string[] = [];
  #text: string[] = [];
  #chars = 0;
  #reasoning: string[] = [];
  #finish: string | undefined;
  #usage: Usage | undefined;
  #error: string | undefined;
  #isDone = false;
  #nonsense = 0;

  constructor(events: AnswerEvents = {}, options: { thinkTags?: boolean } = {}) {
    this.#events = events;
    this.#tags = (options.thinkTags ?? true) ? new ThinkTags() : undefined;
  }

  /** Nothing more is of interest: `[DONE]` came, or an error. */
  get isOver(): boolean {
    return this.#isDone || this.#error !== undefined;
  }

  push(bytes: Uint8Array): void {
    this.#take(this.#parser.push(this.#decoder.decode(bytes, { stream: true })));
  }

  /** A body that is one JSON value: the server ignored `stream`. */
  whole(text: string): void {
    const body = text.trim();
    try {
      this.#chunk(JSON.parse(body));
      this.#isDone = true;
    } catch {
      // JSON lines under the wrong content type.
      this.#take(this.#parser.push(`${body}\n`));
      this.#take(this.#parser.end());
      if (this.#nonsense > 0 && this.#text.length === 0)
        this.#error ??= "the server answered something that is not JSON";
    }
  }

  finish(cause: "end" | "aborted" | "broken", why?: string): Answer {
    if (cause === "end" && !this.isOver) {
      this.#take(this.#parser.push(this.#decoder.decode()));
      this.#take(this.#parser.end());
    }
    if (cause === "broken") this.#error ??= why ?? "the stream broke";
    const rest = this.#tags?.end();
    if (rest) this.#say(rest.text, rest.reasoning);
    const ended = this.#ended(cause);
    const calls = ended === "done" ? this.#collector.finish() : [];
    return {
      text: this.#text.join(""),
      reasoning: this.#reasoning.join(""),
      reasoningDetails: this.#reasoningDetails,
      calls,
      finish: this.#finish,
      usage: this.#usage,
      ended,
      error: this.#error,
      warnings: [...this.#warnings, ...this.#collector.warnings],
    };
  }

  #ended(cause: "end" | "aborted" | "broken"): Ended {
    if (cause === "aborted") return "aborted";
    if (this.#error !== undefined) return "failed";
    return this.#isDone || this.#finish !== undefined ? "done" : "closed";
  }

  #take(events: Iterable<ServerEvent>): void {
    for (const event of events) {
      if (this.isOver) return;
      if (event.data === "") continue; // only an id
      if (event.data.trim() === "[DONE]") {
        this.#isDone = true;
        return;
      }
      let value: unknown;
      try {
        value = JSON.parse(event.data);
      } catch {
        // Some servers send an error as plain text.
        if (event.event === "error") this.#error = event.data.slice(0, 2000);
        this.#nonsense += 1;
        if (this.#nonsense >= MAX_NONSENSE) this.#error ??= "the server sent data that is not JSON";
        continue;
      }
      this.#nonsense = 0;
      this.#chunk(event.event === "error" ? { error: value } : value);
    }
  }

  #chunk(value: unknown): void {
    const chunk = readChunk(value);
    this.#usage = chunk.usage ?? this.#usage;
    this.#finish ??= chunk.finish;
    if (chunk.reasoning !== "") this.#say("", chunk.reasoning);
    if (chunk.reasoningDetails.length > 0 && this.#hasRoom(JSON.stringify(chunk.reasoningDetails).length)) {
      this.#reasoningDetails.push(...chunk.reasoningDetails);
    }
    if (chunk.text !== "") {
      const split = this.#tags?.push(chunk.text) ?? { text: chunk.text, reasoning: "" };
      this.#say(split.text, split.reasoning);
    }
    if (chunk.refusal !== "") this.#refuse(chunk.refusal);
    for (const call of chunk.calls) if (this.#hasRoom(sizeOf(call))) this.#collector.add(call);
    if (chunk.error !== undefined) this.#error = chunk.error;
  }

  #refuse(text: string): void {
    if (this.#text.length === 0) this.#say("(refused) ", "");
    this.#say(text, "");
  }

  #say(text: string, reasoning: string): void {
    if (reasoning !== "" && this.#hasRoom(reasoning.length)) {
      this.#reasoning.push(reasoning);
      this.#events.onReasoning?.(reasoning);
    }
    if (text === "" || !this.#hasRoom(text.length)) return;
    this.#text.push(text);
    this.#events.onText?.(text);
  }

  #hasRoom(chars: number): boolean {
    this.#chars += chars;
    if (this.#chars <= MAX_CHARS) return true;
    this.#error ??= "the answer is longer than any answer";
    return false;
  }
}

// Arguments come in small pieces, thousands of them: their length is known without writing them out.
function sizeOf(call: JsonObject): number {
  const made = isObject(call["function"]) ? call["function"] : {};
  const { arguments: args } = made;
  return 64 + (typeof args === "string" ? args.length : JSON.stringify(call).length);
}

export type Meaning =
  | { kind: "calls" }
  | { kind: "text"; mark?: "cut" | "filtered"; warning?: string }
  /** Calls came, but they must not run. */
  | { kind: "calls-cut" }
  | { kind: "empty" }
  | { kind: "broken" }
  | { kind: "failed"; error: string }
  | { kind: "aborted" };

/** Decided by what was collected and how the stream ended; the finish reason alone decides nothing. */
export function meaningOf(answer: Answer): Meaning {
  const { calls, finish, ended } = answer;
  if (ended === "aborted") return { kind: "aborted" };
  if (ended === "failed") return { kind: "failed", error: answer.error ?? "the answer failed" };
  if (ended === "closed") return { kind: "broken" };
  if (finish === "content_filter") return { kind: "text", mark: "filtered" };
  if (calls.length > 0) {
    const isCut = finish === "length" && calls.some((call) => call.broken !== undefined);
    return isCut ? { kind: "calls-cut" } : { kind: "calls" };
  }
  if (answer.text.trim() === "") return { kind: "empty" };
  if (finish === "length") return { kind: "text", mark: "cut" };
  if (finish === "tool_calls" || finish === "function_call") {
    return { kind: "text", warning: "the server announced tool calls and sent none" };
  }
  return { kind: "text" };
}
