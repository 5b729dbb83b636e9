// A shortened result as it leaves: the text that the server sent, with the texts that changed and the `_meta` that was
// added put in. Everything else keeps its bytes: numbers, duplicates, members that nobody knows.
import type { Json, JsonObject } from "@bosun/mcp/server";
import { RawJson } from "@bosun/mcp/server";
import { elementTexts, memberTexts, spanAt, splice } from "@bosun/mcp/relay";
import { foreignKey, NOTE_KEY, ORIGINAL_KEY } from "@bosun/shrink";
import type { Shrunk, ToolResult } from "@bosun/shrink";

export function emittedResult(passed: string, given: ToolResult, { result, droppedStructured }: Shrunk): RawJson {
  const members = memberTexts(passed).filter(([name]) => !(droppedStructured && name === "structuredContent"));
  const changed = members.map(([name, value]): [string, string] => {
    if (name === "content") return [name, contentText(value, given, result)];
    return name === "_meta" ? [name, metaText(value, result)] : [name, value];
  });
  if (!changed.some(([name]) => name === "_meta") && result._meta) changed.push(["_meta", metaText("{}", result)]);
  return new RawJson(objectText(changed));
}

function contentText(text: string, given: ToolResult, result: ToolResult): string {
  const before = given.content;
  const after = result.content;
  if (!Array.isArray(before) || !Array.isArray(after)) return text;
  const blocks = elementTexts(text).map((block, at) => {
    const shown = after[at]?.text;
    const span = after[at] === before[at] ? undefined : spanAt(block, ["text"]);
    return span && typeof shown === "string" ? splice(block, [{ ...span, by: JSON.stringify(shown) }]) : block;
  });
  return `[${blocks.join(",")}]`;
}

function metaText(text: string, { _meta }: ToolResult): string {
  const foreign = memberTexts(text).map(([name, value]): [string, string] => [foreignKey(name), value]);
  const ours = [ORIGINAL_KEY, NOTE_KEY].flatMap((name): [string, string][] => {
    const value = (_meta as JsonObject | undefined)?.[name];
    return value === undefined ? [] : [[name, JSON.stringify(value satisfies Json)]];
  });
  return objectText([...foreign, ...ours]);
}

function objectText(members: readonly [string, string][]): string {
  return `{${members.map(([name, value]) => `${JSON.stringify(name)}:${value}`).join(",")}}`;
}
