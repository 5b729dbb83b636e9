// An object's JSON text with some members left out and others put in; the rest keeps its bytes.
import { RawJson } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { memberTexts } from "@bosun/mcp/relay";

export function rebuilt(text: string, drop: readonly string[], put: { [name: string]: Json }): RawJson {
  const kept = memberTexts(text).filter(([name]) => !drop.includes(name) && !Object.hasOwn(put, name));
  const added = Object.entries(put).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return new RawJson(`{${[...kept, ...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`);
}

/** What a result's text decodes to; nothing is decoded twice. */
export function decodedOf(result: JsonObject | RawJson): JsonObject {
  const known = result instanceof RawJson ? result.decoded : undefined;
  return known ?? (JSON.parse(textOf(result)) as JsonObject);
}

export function textOf(result: JsonObject | RawJson): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result);
}
