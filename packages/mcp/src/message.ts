// One JSON text ↔ one JSON-RPC message. Everything wrong with a message is a value, so that the reading loop can answer
// it and go on.
import { isObject, encode } from "./json.ts";
import type { Json, JsonObject, RawJson } from "./json.ts";
import { elementTexts, spanAt } from "./raw-json.ts";
import { INVALID_REQUEST, PARSE_ERROR, RpcError } from "./rpc-error.ts";

/** A request's id as its JSON text: `1` and `"1"` stay apart, and ids above 2^53 come back exactly as sent. */
export type Id = string & { readonly idText: unique symbol };

export type Request = { kind: "request"; id: Id; method: string; params: JsonObject | undefined; raw: string };
export type Notification = { kind: "notification"; method: string; params: JsonObject | undefined; raw: string };
export type Reply = { kind: "reply"; id: Id | undefined; raw: string } & (
  { result: JsonObject; error?: never } | { error: RpcError; result?: never }
);
export type Malformed = { kind: "malformed"; id: Id | undefined; error: RpcError };
export type Single = Request | Notification | Reply | Malformed;
export type Incoming = Single | { kind: "batch"; items: Single[] };

export function parseMessage(text: string): Incoming {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return malformed(PARSE_ERROR, "the message is not valid JSON");
  }
  if (!Array.isArray(value)) return classify(value, text);
  if (value.length === 0) return malformed(INVALID_REQUEST, "an empty batch");
  const texts = elementTexts(text);
  return { kind: "batch", items: value.map((item, index) => classify(item, texts[index] ?? "null")) };
}

export function requestText(id: Id, method: string, params?: JsonObject): string {
  const head = `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${JSON.stringify(params)}}`;
}

export function notificationText(method: string, params?: JsonObject): string {
  const head = `{"jsonrpc":"2.0","method":${JSON.stringify(method)}`;
  return params === undefined ? `${head}}` : `${head},"params":${JSON.stringify(params)}}`;
}

export function resultText(id: Id, result: JsonObject | RawJson): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${encode(result)}}`;
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

export function idOf(value: string | number): Id {
  return JSON.stringify(value) as Id;
}

/** The id as a JSON value, for the few places that carry it inside a message. */
export function idValue(id: Id): string | number {
  return JSON.parse(id) as string | number;
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
    return malformed(INVALID_REQUEST, "a message needs a method, or exactly one of result and error", id);
  }
  if (error !== undefined) return { kind: "reply", id, error: RpcError.from(error), raw };
  if (!isObject(result) || id === undefined) {
    return malformed(INVALID_REQUEST, "a result must be an object and carry the id of its request", id);
  }
  return { kind: "reply", id, result, raw };
}

function malformed(code: number, message: string, id?: Id): Malformed {
  return { kind: "malformed", id, error: new RpcError(code, message) };
}
