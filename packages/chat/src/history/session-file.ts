// A session on disk: one JSON object per line, written before anything that depends on it happens. Reading survives a
// file that was cut anywhere, lines of other versions, and the older shape without a type.
import { closeSync, fstatSync, mkdirSync, openSync, readFileSync, readSync, writeSync } from "node:fs";
import path from "node:path";
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import type { ConversationEvent, Journal } from "../conversation/conversation.ts";
import type { ExecBlock, Outcome, ToolCall, Turn } from "../conversation/turn-types.ts";
import type { Usage } from "../model/completion-chunk.ts";

export const LOG_VERSION = 1;
const MAX_LOG_BYTES = 512 * 1024 * 1024;

export type SessionHead = { id: string; startedAt: string; cwd: string; model: string; version: number };

export type LogEntry = { turn: Turn } | { exec: ExecBlock } | { event: ConversationEvent };

export type ReadSession = {
  head: SessionHead | undefined;
  entries: LogEntry[];
  /** Lines in the middle that nobody could read. */
  skipped: number;
  /** The last line was cut off. */
  isTorn: boolean;
  /** Written by a later version than this one. */
  isNewer: boolean;
};

/** Appends to a session. A failing disk must not end the conversation: it is said once. */
export class SessionWriter implements Journal {
  readonly file: string;
  readonly #logReasoning: boolean;
  readonly #onFailure: (why: string) => void;
  #descriptor: number | undefined;
  #head: JsonObject | undefined;
  #hasFailed = false;

  constructor(file: string, options: { logReasoning: boolean; onFailure: (why: string) => void }) {
    this.file = file;
    this.#logReasoning = options.logReasoning;
    this.#onFailure = options.onFailure;
  }

  /** Written with the first turn: a session in which nothing was said leaves nothing behind. */
  head(head: SessionHead, program: string): void {
    const { id, startedAt, cwd, model } = head;
    this.#head = { t: "session", v: LOG_VERSION, id, ts: startedAt, cwd, model, aish: program };
  }

  turn(turn: Turn): void {
    this.#write({ t: "turn", ...turnToJson(turn, this.#logReasoning), ts: new Date().toISOString() });
  }

  exec(block: ExecBlock): void {
    const { by, command, cwd, exit, output } = block;
    this.#write({ t: "exec", by, cmd: command, cwd, ...(exit === undefined ? {} : { exit }), out: output });
  }

  event(event: ConversationEvent): void {
    this.#write({ t: "event", ...event });
  }

  note(text: string): void {
    this.#write({ t: "note", text });
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }

  #write(entry: JsonObject): void {
    try {
      this.#descriptor ??= openForAppending(this.file);
      const head = this.#head === undefined ? "" : `${JSON.stringify(this.#head)}\n`;
      this.#head = undefined;
      const bytes = Buffer.from(`${head}${JSON.stringify(entry)}\n`);
      for (let at = 0; at < bytes.length;) at += writeSync(this.#descriptor, bytes, at, bytes.length - at);
    } catch (error) {
      if (!this.#hasFailed) this.#onFailure(error instanceof Error ? error.message : String(error));
      this.#hasFailed = true;
    }
  }
}

export function readSession(file: string): ReadSession {
  const descriptor = openSync(file, "r");
  let text: string;
  try {
    if (fstatSync(descriptor).size > MAX_LOG_BYTES) throw new Error(`${file} is too large to resume`);
    text = readFileSync(descriptor, "utf8");
  } finally {
    closeSync(descriptor);
  }
  return parseSession(text);
}

export function parseSession(text: string): ReadSession {
  const read: ReadSession = { head: undefined, entries: [], skipped: 0, isTorn: false, isNewer: false };
  const lines = text.split("\n");
  const last = lines.pop() ?? "";
  const pending: ExecBlock[] = [];
  for (const line of lines) if (line !== "" && !readLine(line, read, pending)) read.skipped += 1;
  // A last line without its end was being written when the program ended.
  if (last !== "" && !readLine(last, read, pending)) read.isTorn = true;
  return read;
}

function readLine(line: string, read: ReadSession, pending: ExecBlock[]): boolean {
  let entry: unknown;
  try {
    entry = JSON.parse(line);
  } catch {
    return false; // cut off or damaged: counted by the caller
  }
  if (!isObject(entry)) return false;
  const kind = entry["t"] ?? (typeof entry["role"] === "string" ? "turn" : undefined);
  if (kind === "session") {
    const { id, ts, cwd, model, v } = entry;
    read.head = {
      id: String(id ?? ""),
      startedAt: String(ts ?? ""),
      cwd: String(cwd ?? ""),
      model: String(model ?? ""),
      version: Number(v ?? 1),
    };
    read.isNewer = read.head.version > LOG_VERSION;
  } else if (kind === "turn") {
    const turn = turnFromJson(entry, pending);
    if (turn === undefined) return false;
    read.entries.push({ turn });
  } else if (kind === "exec") {
    const block = execFromJson(entry);
    pending.push(block);
    read.entries.push({ exec: block });
  } else if (kind === "event") {
    const event = eventFromJson(entry);
    if (event?.kind === "forget") pending.length = 0;
    if (event !== undefined) read.entries.push({ event });
  }
  return true; // kinds that are not known yet are somebody else's
}

function turnToJson(turn: Turn, logReasoning: boolean): JsonObject {
  if (turn.role === "user") {
    return { role: "user", content: turn.content, ...(turn.exec === undefined ? {} : { exec: turn.exec.length }) };
  }
  if (turn.role === "tool") {
    const { toolCallId, name, content, outcome, ms, bytes, full } = turn;
    return { role: "tool", tool_call_id: toolCallId, name, content, outcome, ...defined({ ms, bytes, full }) };
  }
  const { content, toolCalls, model, finish, usage, interrupted, cut, closing, reasoning, reasoningDetails } = turn;
  const calls = toolCalls.map(({ id, name, wire, arguments: args, broken, extras }) => ({
    id,
    name,
    wire,
    arguments: args,
    ...defined({ broken, extras }),
  }));
  return {
    role: "assistant",
    content,
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...defined({ model, finish, usage: usage && { ...usage }, interrupted, cut, closing }),
    ...(logReasoning ? defined({ reasoning, reasoning_details: reasoningDetails }) : {}),
  };
}

function turnFromJson(entry: JsonObject, pending: ExecBlock[]): Turn | undefined {
  const { role, content } = entry;
  const text = typeof content === "string" ? content : "";
  if (role === "user") {
    const many = typeof entry["exec"] === "number" ? entry["exec"] : 0;
    const exec = pending.splice(0).slice(-many);
    return { role, content: text, ...(many > 0 && exec.length > 0 ? { exec } : {}) };
  }
  if (role === "tool") {
    const { tool_call_id: id, name, outcome, full, ms, bytes } = entry;
    if (typeof id !== "string") return undefined;
    return {
      role,
      toolCallId: id,
      name: typeof name === "string" ? name : "",
      content: text,
      outcome: (typeof outcome === "string" ? outcome : "ok") as Outcome,
      ...(typeof ms === "number" ? { ms } : {}),
      ...(typeof bytes === "number" ? { bytes } : {}),
      ...(typeof full === "string" ? { full } : {}),
    };
  }
  if (role !== "assistant") return undefined;
  const calls = Array.isArray(entry["tool_calls"]) ? entry["tool_calls"].filter(isObject).map(callFromJson) : [];
  const { model, finish, usage, interrupted, cut, closing, reasoning, reasoning_details: details } = entry;
  return {
    role,
    content: text,
    toolCalls: calls,
    model: typeof model === "string" ? model : "",
    ...(typeof finish === "string" ? { finish } : {}),
    ...(interrupted === true ? { interrupted } : {}),
    ...(cut === true ? { cut } : {}),
    ...(closing === true ? { closing } : {}),
    ...usageFromJson(usage),
    ...(typeof reasoning === "string" ? { reasoning } : {}),
    ...(Array.isArray(details) ? { reasoningDetails: details } : {}),
  };
}

function usageFromJson(usage: JsonObject[string]): { usage?: Usage } {
  if (!isObject(usage) || typeof usage["in"] !== "number" || typeof usage["out"] !== "number") return {};
  const { in: sent, out, cached } = usage;
  return { usage: { in: sent, out, ...(typeof cached === "number" ? { cached } : {}) } };
}

// The shape of the model API is taken, too: an older log may hold it.
function callFromJson(call: JsonObject): ToolCall {
  const made = isObject(call["function"]) ? call["function"] : call;
  const name = String(call["name"] ?? made["name"] ?? "");
  const { id, broken, extras } = call;
  return {
    id: typeof id === "string" ? id : "",
    name,
    wire: String(call["wire"] ?? name.replace(".", "__")),
    arguments: typeof made["arguments"] === "string" ? made["arguments"] : "{}",
    ...(broken === true ? { broken } : {}),
    ...(isObject(extras) ? { extras } : {}),
  };
}

function execFromJson(entry: JsonObject): ExecBlock {
  const { by, cmd, cwd, exit, out } = entry;
  return {
    by: by === "model" ? "model" : "user",
    command: String(cmd ?? ""),
    cwd: String(cwd ?? ""),
    output: typeof out === "string" ? out : "",
    ...(typeof exit === "number" || typeof exit === "string" ? { exit } : {}),
  };
}

function eventFromJson(entry: JsonObject): ConversationEvent | undefined {
  const { kind, upto, from, summary, at, content, full, kept } = entry;
  if (kind === "compact" && typeof upto === "number") return { kind, upto, summary: String(summary ?? "") };
  if (kind === "results-out" && typeof upto === "number") return { kind, upto, kept: textsIn(kept) };
  if (kind === "undo" && typeof from === "number") return { kind, from };
  if (kind === "late" && typeof at === "number" && typeof content === "string") {
    return { kind, at, content, ...(typeof full === "string" ? { full } : {}) };
  }
  return kind === "forget" ? { kind } : undefined;
}

function textsIn(value: JsonObject[string]): Record<string, string> {
  if (!isObject(value)) return {};
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, text]) => (typeof text === "string" ? [[key, text]] : [])),
  );
}

function defined(members: Record<string, JsonObject[string]>): JsonObject {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined));
}

// A line that was cut off when the program was killed must not swallow the next one: it is ended first.
function openForAppending(file: string): number {
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  const descriptor = openSync(file, "a+", 0o600);
  const { size } = fstatSync(descriptor);
  const last = Buffer.alloc(1);
  if (size > 0 && readSync(descriptor, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a) writeSync(descriptor, "\n");
  return descriptor;
}
