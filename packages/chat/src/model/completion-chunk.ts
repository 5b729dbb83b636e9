// One chunk of a streamed answer (or a whole one) → what it carries, whichever server wrote it.
import { isObject } from "@bosun/mcp";
import type { Json, JsonObject } from "@bosun/mcp";
import { messageIn } from "./error-text.ts";

export type Usage = { in: number; out: number; cached?: number };

export type Chunk = {
  text: string;
  /** Text of a refusal: shown like text, marked. */
  refusal: string;
  reasoning: string;
  /** Exactly as it came, when the server wants it back that way. */
  reasoningDetails: Json[];
  /** Elements of `tool_calls`, unjudged. */
  calls: JsonObject[];
  finish: string | undefined;
  usage: Usage | undefined;
  error: string | undefined;
};

/** Looks at everything a chunk may hold: several things often come at once. */
export function readChunk(value: unknown): Chunk {
  const chunk: Chunk = {
    text: "",
    refusal: "",
    reasoning: "",
    reasoningDetails: [],
    calls: [],
    finish: undefined,
    usage: undefined,
    error: undefined,
  };
  const top = Array.isArray(value) ? value[0] : value;
  if (!isObject(top)) return chunk;
  chunk.usage = usageOf(top["usage"]) ?? usageOf(isObject(top["x_groq"]) ? top["x_groq"]["usage"] : undefined);
  chunk.error = errorOf(top);
  const choices = Array.isArray(top["choices"]) ? top["choices"] : [];
  const choice = choices.find((one) => isObject(one) && (one["index"] === 0 || one["index"] === undefined));
  if (!isObject(choice)) return chunk;
  chunk.usage ??= usageOf(choice["usage"]);
  if (typeof choice["finish_reason"] === "string" && choice["finish_reason"] !== "") {
    chunk.finish = choice["finish_reason"];
  }
  if (chunk.finish === "error" || (choice["error"] !== undefined && choice["error"] !== null)) {
    chunk.error ??= messageIn(choice["error"]) ?? "the server reported an error without a message";
  }
  const delta = isObject(choice["delta"]) ? choice["delta"] : choice["message"];
  if (isObject(delta)) readDelta(delta, chunk);
  else if (typeof choice["text"] === "string") chunk.text = choice["text"];
  return chunk;
}

function readDelta(delta: JsonObject, chunk: Chunk): void {
  chunk.text = textOf(delta["content"]);
  chunk.refusal = textOf(delta["refusal"]);
  const details = delta["reasoning_details"];
  if (Array.isArray(details)) chunk.reasoningDetails = details;
  const said = [delta["reasoning_content"], delta["reasoning"], delta["thinking"]].map(textOf);
  const distinct = [...new Set(said.filter((text) => text !== ""))];
  // Servers that send the details repeat their text in a plain field: counted once.
  chunk.reasoning = distinct.length > 0 ? distinct.join("") : chunk.reasoningDetails.map(detailText).join("");
  const calls = delta["tool_calls"];
  const list = Array.isArray(calls) ? calls : isObject(calls) ? [calls] : [];
  chunk.calls = list.filter(isObject);
  const old = delta["function_call"];
  if (isObject(old)) chunk.calls.push({ function: old });
}

function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value)) return value.map(partText).join("");
  return isObject(value) ? partText(value) : "";
}

function partText(part: unknown): string {
  if (typeof part === "string") return part;
  if (!isObject(part)) return "";
  return typeof part["text"] === "string" ? part["text"] : "";
}

function detailText(detail: unknown): string {
  if (!isObject(detail)) return "";
  for (const key of ["text", "summary"]) if (typeof detail[key] === "string") return detail[key];
  return "";
}

function errorOf(top: JsonObject): string | undefined {
  const { error } = top;
  if (error !== undefined && error !== null && error !== false && error !== "") {
    return messageIn(error) ?? "the server reported an error without a message";
  }
  if (top["object"] === "error") return messageIn(top) ?? "the server reported an error without a message";
  return undefined;
}

function usageOf(value: unknown): Usage | undefined {
  if (!isObject(value)) return undefined;
  const sent = count(value["prompt_tokens"] ?? value["input_tokens"]);
  const got = count(value["completion_tokens"] ?? value["output_tokens"]);
  if (sent === undefined && got === undefined) return undefined;
  const details = value["prompt_tokens_details"];
  const cached = count(isObject(details) ? details["cached_tokens"] : undefined);
  return { in: sent ?? 0, out: got ?? 0, ...(cached === undefined ? {} : { cached }) };
}

function count(value: unknown): number | undefined {
  return typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
}
