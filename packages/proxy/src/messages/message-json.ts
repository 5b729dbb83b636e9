// The JSON text of messages. What the proxy does not change is passed on byte for byte: numbers, duplicates, members that
// nobody knows.
import { isObject, RawJson, RpcError } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { memberTexts, parseExactly, spanAt } from "@bosun/platform/json";
import type { Reply } from "@bosun/mcp/relay";

/** The params of a message as they were sent. */
export function paramsText(raw: string): string {
  const span = spanAt(raw, ["params"]);
  return span ? raw.slice(span.start, span.end) : "{}";
}

/** The same to look into, with its numbers as they were sent. */
export function exactParams(raw: string): JsonObject {
  const params = parseExactly(paramsText(raw));
  return isObject(params) ? params : {};
}

/** The result of a reply as it was sent; throws the error it holds. */
export function exactResult(reply: Reply): RawJson {
  if (reply.error) throw exactError(reply.error, reply.raw);
  const span = spanAt(reply.raw, ["result"]);
  return span ? new RawJson(reply.raw.slice(span.start, span.end), reply.result) : new RawJson("{}");
}

/** An object's JSON text with some members left out and others put in; the rest keeps its bytes. */
export function editMembers(text: string, drop: readonly string[], put: { [name: string]: Json }): RawJson {
  const kept = memberTexts(text).filter(([name]) => !drop.includes(name) && !Object.hasOwn(put, name));
  const added = Object.entries(put).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return new RawJson(`{${[...kept, ...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`);
}

/** What a result's text decodes to; nothing is decoded twice. */
export function decodedOf(result: JsonObject | RawJson): JsonObject {
  const known = result instanceof RawJson ? result.decoded : undefined;
  return known ?? (JSON.parse(jsonOf(result)) as JsonObject);
}

/** The same with its numbers as they were sent. */
export function exactObject(result: JsonObject | RawJson): JsonObject {
  return parseExactly(jsonOf(result)) as JsonObject;
}

export function jsonOf(result: JsonObject | RawJson): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result);
}

function exactError(error: RpcError, raw: string): RpcError {
  const span = error.data === undefined ? undefined : spanAt(raw, ["error", "data"]);
  return span ? new RpcError(error.code, error.message, parseExactly(raw.slice(span.start, span.end))) : error;
}
