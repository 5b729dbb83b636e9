// Turns → the messages of a request: a pure function of turns, model and switches. Whatever the history looks like, the
// result is one that every server takes: alternating, every call answered, names and ids as they must be.
import { createHash } from "node:crypto";
import type { JsonObject } from "@bosun/mcp";
import type { Compat } from "../model/compat.ts";
import { isJsonObject } from "../model/argument-json.ts";
import { asWireName } from "../tools/tool-names.ts";
import { NO_OUTPUT, NOT_RUN, userText } from "./turn-types.ts";
import type { AssistantTurn, ToolCall, ToolTurn, Turn } from "./turn-types.ts";

export type RenderOptions = {
  system: string;
  compat: Compat;
  /** The model asked now: opaque members go back only to the model they came from. */
  model: string;
  /** Pictures may be sent. */
  vision?: boolean;
};

const CONTINUE = "Continue.";
const WENT_ON = "(continue)";
const UNANSWERED = "(stopped before answering)";

/** One call and its result, with the id it has in this request. */
type Answered = { call: ToolCall; id: string; result: ToolTurn | undefined };
type Block =
  | { kind: "user"; text: string; images: readonly string[] }
  | { kind: "assistant"; text: string; turn: AssistantTurn | undefined }
  | { kind: "calls"; turn: AssistantTurn; answered: Answered[] };

export function renderMessages(turns: readonly Turn[], options: RenderOptions): JsonObject[] {
  const blocks = blocksOf(turns, options.compat);
  const current = blocks.findLastIndex((block) => block.kind === "user");
  const { systemRole } = options.compat;
  const messages: JsonObject[] = [];
  const system = options.system.trim();
  if (system !== "" && systemRole !== "merge") messages.push({ role: systemRole, content: system });
  let isFirstUser = true;
  blocks.forEach((block, place) => {
    if (block.kind === "user") {
      const merged = isFirstUser && systemRole === "merge" && system !== "" ? `${system}\n\n${block.text}` : block.text;
      isFirstUser = false;
      messages.push({ role: "user", content: options.vision === true ? withPictures(merged, block.images) : merged });
    } else if (block.kind === "assistant") {
      const echo = block.turn === undefined ? {} : echoOf(block.turn, options, place > current, false);
      messages.push({ role: "assistant", content: block.text, ...echo });
    } else messages.push(...callMessages(block, options, place > current));
  });
  return messages;
}

/** Are there tool turns in it? Some errors mean something else then. */
export function hasToolTurns(turns: readonly Turn[]): boolean {
  return turns.some((turn) => turn.role === "tool");
}

function blocksOf(turns: readonly Turn[], compat: Compat): Block[] {
  const blocks: Block[] = [];
  const ids = new Ids(compat);
  const needsUser = (): boolean => {
    const last = blocks.at(-1);
    return last === undefined || last.kind === "assistant";
  };
  turns.forEach((turn, place) => {
    const last = blocks.at(-1);
    if (turn.role === "user") {
      const text = userText(turn);
      if (text.trim() === "") return;
      const images = turn.images ?? [];
      if (last?.kind === "user") {
        last.text = `${last.text}\n\n${text}`;
        last.images = [...last.images, ...images];
      } else {
        // Some templates refuse a question that follows results directly.
        if (last?.kind === "calls") blocks.push({ kind: "assistant", text: UNANSWERED, turn: undefined });
        blocks.push({ kind: "user", text, images });
      }
    } else if (turn.role === "assistant" && turn.toolCalls.length > 0) {
      if (needsUser()) blocks.push(wentOn(WENT_ON));
      blocks.push({ kind: "calls", turn, answered: answeredCalls(turn, turns, place, ids) });
    } else if (turn.role === "assistant" && turn.content.trim() !== "") {
      if (last === undefined) blocks.push(wentOn(WENT_ON));
      if (last?.kind === "assistant") {
        last.text = `${last.text}\n\n${turn.content}`;
        last.turn = undefined;
      } else blocks.push({ kind: "assistant", text: turn.content, turn });
    }
    // A tool turn was taken with its call, or has none: it stands nowhere else.
  });
  if (needsUser()) blocks.push(wentOn(blocks.length === 0 ? WENT_ON : CONTINUE));
  return blocks;
}

function wentOn(text: string): Block {
  return { kind: "user", text, images: [] };
}

function withPictures(text: string, images: readonly string[]): string | JsonObject[] {
  if (images.length === 0) return text;
  return [{ type: "text", text }, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

function answeredCalls(turn: AssistantTurn, turns: readonly Turn[], place: number, ids: Ids): Answered[] {
  const results = new Map<string, ToolTurn>();
  for (let at = place + 1; at < turns.length; at += 1) {
    const next = turns[at];
    if (next?.role !== "tool") break;
    if (!results.has(next.toolCallId)) results.set(next.toolCallId, next);
  }
  return turn.toolCalls.map((call) => ({ call, id: ids.next(call.id), result: results.get(call.id) }));
}

function callMessages(
  block: Extract<Block, { kind: "calls" }>,
  options: RenderOptions,
  isCurrent: boolean,
): JsonObject[] {
  const { turn, answered } = block;
  const { compat } = options;
  // A server that cannot be sent tools does not know their role either.
  if (compat.toolRole === "prefix" || compat.tools === "off") return asText(turn, answered);
  const groups = compat.callsPerTurn === "one" ? answered.map((one) => [one]) : [answered];
  const messages = groups.flatMap((group, place) => [
    assistantWithCalls(turn, group, place === 0 ? turn.content : "", options, isCurrent),
    ...group.map((one) => toolMessage(one, compat)),
  ]);
  // A second question in a row: not for those who insist on alternation, and know themselves by their short ids.
  const images =
    options.vision && compat.toolIds === "keep" ? answered.flatMap(({ result }) => result?.images ?? []) : [];
  if (images.length > 0) {
    const parts = images.map((url) => ({ type: "image_url", image_url: { url } }));
    messages.push({ role: "user", content: [{ type: "text", text: "[pictures from the tool results]" }, ...parts] });
  }
  return messages;
}

function assistantWithCalls(
  turn: AssistantTurn,
  group: readonly Answered[],
  text: string,
  options: RenderOptions,
  isCurrent: boolean,
): JsonObject {
  const { compat, model } = options;
  const isEmpty = text.trim() === "";
  const content: JsonObject =
    !isEmpty || compat.emptyContent === "empty"
      ? { content: isEmpty ? "" : text }
      : compat.emptyContent === "null"
        ? { content: null }
        : {};
  return {
    role: "assistant",
    ...content,
    ...echoOf(turn, options, isCurrent, true),
    tool_calls: group.map(({ call, id }) => ({
      id,
      type: "function",
      function: { name: asWireName(call.wire), arguments: sentArguments(call) },
      ...(turn.model === model ? call.extras : {}),
    })),
  };
}

// Unparsable arguments in the history fail the whole request at Ollama and llama.cpp.
function sentArguments(call: ToolCall): string {
  return call.broken !== true && isJsonObject(call.arguments) ? call.arguments : "{}";
}

function toolMessage({ call, id, result }: Answered, compat: Compat): JsonObject {
  const name = compat.toolNameField === "send" ? { name: asWireName(call.wire) } : {};
  return { role: "tool", tool_call_id: id, ...name, content: contentOf(result) };
}

function contentOf(result: ToolTurn | undefined): string {
  if (result === undefined) return NOT_RUN;
  return result.content.trim() === "" ? NO_OUTPUT : result.content;
}

function asText(turn: AssistantTurn, answered: readonly Answered[]): JsonObject[] {
  const called = answered.map(({ call }) => `(called ${call.name})`);
  const said = [turn.content.trim(), called.join("\n")].filter((part) => part !== "").join("\n");
  const results = answered.map(({ call, result }) => `[tool: ${call.name}]\n${contentOf(result)}`);
  return [
    { role: "assistant", content: said },
    { role: "user", content: `${results.join("\n")}\n\n${CONTINUE}` },
  ];
}

function echoOf(turn: AssistantTurn, options: RenderOptions, isCurrent: boolean, hasCalls: boolean): JsonObject {
  const { reasoningEcho } = options.compat;
  if (reasoningEcho === "never" || turn.model !== options.model) {
    return reasoningEcho === "always" && hasCalls ? { reasoning_content: "" } : {};
  }
  if (reasoningEcho === "in-loop" && !(isCurrent && hasCalls)) return {};
  if (turn.reasoningDetails && turn.reasoningDetails.length > 0) return { reasoning_details: turn.reasoningDetails };
  if (turn.reasoning !== undefined && turn.reasoning !== "") return { reasoning_content: turn.reasoning };
  return reasoningEcho === "always" ? { reasoning_content: "" } : {};
}

/** Ids that are unique in the request and have the form the server wants; the same input gives the same ids. */
class Ids {
  readonly #compat: Compat;
  readonly #used = new Set<string>();

  constructor(compat: Compat) {
    this.#compat = compat;
  }

  next(stored: string): string {
    const wished = stored.trim() === "" ? "call" : stored;
    let id = this.#form(wished, 0);
    for (let n = 1; this.#used.has(id); n += 1) id = this.#form(wished, n);
    this.#used.add(id);
    return id;
  }

  #form(stored: string, n: number): string {
    if (this.#compat.toolIds === "short9") return shortId(n === 0 ? stored : `${stored}\0${n}`);
    return n === 0 ? stored : `${stored}-${n}`;
  }
}

function shortId(stored: string): string {
  if (/^[A-Za-z0-9]{9}$/.test(stored)) return stored;
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
  const digest = createHash("sha256").update(stored).digest();
  return Array.from({ length: 9 }, (_, i) => letters.charAt((digest[i] ?? 0) % letters.length)).join("");
}
