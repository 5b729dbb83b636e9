// One JSON text ↔ one JSON-RPC message. Everything wrong with a message is a value, so that the reading loop can answer
// it and go on.
import { elementTexts, exactNumber, isDeeperThan, parseExactly, spanAt } from "@bosun/platform/json";
import { EncodedText, PiecedMessage } from "./encoded-text.ts";
import type { MessageText } from "./encoded-text.ts";
import { encode, isObject, RawJson } from "./json-value.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { INVALID_REQUEST, PARSE_ERROR, RpcError } from "./rpc-error.ts";

/** Deeper than anything meant seriously, and far from where recursion in handlers would end the stack. */
const MAX_DEPTH = 128;
/** One small batch must not become a flood of work and of replies. */
const MAX_BATCH = 1000;
const MAX_SPELT_OUT = 1000;

/** A request's id as its JSON text: `1` and `"1"` stay apart, and ids above 2^53 come back exactly as sent. */
export type Id = string & { readonly idText: unique symbol };

export type Request = { kind: "request"; id: Id; method: string; params: JsonObject | undefined; raw: string };
export type Notification = { kind: "notification"; method: string; params: JsonObject | undefined; raw: string };
export type Reply = { kind: "reply"; id: Id | undefined; raw: string } & (
  { result: JsonObject; error?: never } | { error: RpcError; result?: never }
);
/** `reply`: it was meant as one, to the request of that id. `ends`: of a line that is not even JSON. */
export type Malformed = { kind: "malformed"; id: Id | undefined; error: RpcError; reply?: true; ends?: string };
export type Single = Request | Notification | Reply | Malformed;
export type Incoming = Single | { kind: "batch"; items: Single[] };

export function parseMessage(text: string): Incoming {
  // Before parsing: millions of nested arrays would cost hundreds of megabytes. A short text cannot be deep.
  if (text.length > 2 * MAX_DEPTH && isDeeperThan(text, MAX_DEPTH)) return tooDeep(text);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // a value, so that the reading loop can answer it and go on
    return malformed(PARSE_ERROR, "the message is not valid JSON");
  }
  if (!Array.isArray(value)) return classify(value, text);
  if (value.length === 0) return malformed(INVALID_REQUEST, "an empty batch");
  if (value.length > MAX_BATCH) return malformed(INVALID_REQUEST, `a batch of more than ${MAX_BATCH} messages`);
  const texts = elementTexts(text);
  return { kind: "batch", items: value.map((item, index) => classify(item, texts[index] ?? "null")) };
}

export function requestText(id: Id, method: string, params?: JsonObject | RawJson): string {
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${encode(params)}}`;
}

export function notificationText(method: string, params?: JsonObject | RawJson): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${encode(params)}}`;
}

export function resultText(id: Id, result: JsonObject | RawJson): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${encode(result)}}`;
}

/** The same; a result that holds long texts is left for the sender to make, piece by piece. */
export function resultMessage(id: Id, result: JsonObject | RawJson): MessageText {
  const content: unknown = result instanceof RawJson ? undefined : result["content"];
  if (!Array.isArray(content) || !content.some((block) => block instanceof EncodedText)) return resultText(id, result);
  const parts: (string | EncodedText)[] = [`{"jsonrpc":"2.0","id":${id},"result":{"content":[`];
  for (const [index, block] of content.entries()) {
    if (index > 0) parts.push(",");
    if (block instanceof EncodedText) parts.push('{"type":"text","text":"', block, '"}');
    else parts.push(JSON.stringify(block));
  }
  const others = JSON.stringify({ ...result, content: undefined });
  return new PiecedMessage([...parts, others === "{}" ? "]" : `],${others.slice(1, -1)}`, "}}"]);
}

/** An unreadable id is left out: no revision's schema allows `null` there. */
export function errorText(id: Id | undefined, error: RpcError): string {
  const idMember = id === undefined ? "" : `"id":${id},`;
  return `{"jsonrpc":"2.0",${idMember}"error":${JSON.stringify(error.toJson())}}`;
}

/** What a request was answered with; an error is thrown. */
export function resultOf(reply: Reply): JsonObject {
  if (reply.error) throw reply.error;
  return reply.result;
}

/** The same, with its numbers as they were sent. */
export function exactResultOf(reply: Reply): JsonObject {
  const result = resultOf(reply);
  const span = spanAt(reply.raw, ["result"]);
  const exact = span && parseExactly(reply.raw.slice(span.start, span.end));
  return isObject(exact) ? exact : result;
}

export function idOf(value: string | number): Id {
  return JSON.stringify(value) as Id;
}

/** The id as a JSON value, for the few places that carry it inside a message. */
export function idValue(id: Id): Json {
  const value = JSON.parse(id) as string | number;
  return typeof value === "string" || Number.isSafeInteger(value) ? value : exactNumber(id);
}

/** An id that stands inside params (`requestId`), in the form ids are compared in. */
export function idFrom(value: Json | undefined, raw: string, path: readonly string[]): Id | undefined {
  if (typeof value === "string" || Number.isSafeInteger(value)) return JSON.stringify(value) as Id;
  if (typeof value !== "number" || !Number.isInteger(value)) return undefined;
  const span = spanAt(raw, path);
  return span ? (raw.slice(span.start, span.end) as Id) : undefined;
}

function classify(value: unknown, raw: string): Single {
  if (!isObject(value)) return malformed(INVALID_REQUEST, "a message must be a JSON object");
  const id = idFrom(value["id"], raw, ["id"]);
  if (value["jsonrpc"] !== "2.0") return malformed(INVALID_REQUEST, 'jsonrpc must be "2.0"', id);
  const hasId = "id" in value;
  // JSON-RPC proper has `null` where an id could not be read. To answer such an error with an error would never end.
  if (value["id"] === null && value["method"] === undefined && value["error"] !== undefined) {
    return classifyReply(value, undefined, raw);
  }
  if (hasId && id === undefined) return malformed(INVALID_REQUEST, "id must be a string or an integer");
  const { method, params } = value;
  if (method === undefined) return classifyReply(value, id, raw);
  if (typeof method !== "string") return malformed(INVALID_REQUEST, "method must be a string", id);
  if ("result" in value || "error" in value) {
    return malformed(INVALID_REQUEST, "a message is either a request or a reply", id);
  }
  if (params !== undefined && !isObject(params)) return malformed(INVALID_REQUEST, "params must be an object", id);
  return id === undefined
    ? { kind: "notification", method, params, raw }
    : { kind: "request", id, method, params, raw };
}

function classifyReply(value: JsonObject, id: Id | undefined, raw: string): Single {
  const { result, error } = value;
  if ((result === undefined) === (error === undefined)) {
    return {
      ...malformed(INVALID_REQUEST, "a message needs a method, or exactly one of result and error", id),
      reply: true,
    };
  }
  if (error !== undefined) return { kind: "reply", id, error: RpcError.from(error), raw };
  if (!isObject(result) || id === undefined) {
    return {
      ...malformed(INVALID_REQUEST, "a result must be an object and carry the id of its request", id),
      reply: true,
    };
  }
  return { kind: "reply", id, result, raw };
}

/** Whoever sent it waits for an answer to its id, if one can be made out in what may not even be JSON. */
function tooDeep(text: string): Malformed {
  const problem = `the message is nested more than ${MAX_DEPTH} levels deep`;
  const span = spanAt(text, ["id"]);
  try {
    const written = span ? text.slice(span.start, span.end) : "";
    const id = written.length > MAX_SPELT_OUT ? undefined : idFrom(JSON.parse(written) as Json, written, []);
    return malformed(INVALID_REQUEST, problem, id);
  } catch {
    // no id can be made out: answered without one
    return malformed(INVALID_REQUEST, problem);
  }
}

function malformed(code: number, message: string, id?: Id): Malformed {
  return { kind: "malformed", id, error: new RpcError(code, message) };
}
