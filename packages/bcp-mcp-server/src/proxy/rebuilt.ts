// An object's JSON text with some members left out and others put in; the rest keeps its bytes.
import { RawJson } from "@bosun/mcp/server";
import type { Json, JsonObject } from "@bosun/mcp/server";
import { memberTexts } from "@bosun/mcp/relay";

export function rebuilt(text: string, drop: readonly string[], put: { [name: string]: Json }): RawJson {
  const kept = memberTexts(text).filter(([name]) => !drop.includes(name) && !Object.hasOwn(put, name));
  const added = Object.entries(put).map(([name, value]): [string, string] => [name, JSON.stringify(value)]);
  return new RawJson(`{${[...kept, ...added].map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`);
}

export function textOf(result: JsonObject | RawJson): string {
  return result instanceof RawJson ? result.text : JSON.stringify(result);
}
