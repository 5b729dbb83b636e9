// A shortened result as it leaves: the text that the server sent, with the texts that changed and the `_meta` that was
// added put in. Everything else keeps its bytes: numbers, duplicates, members that nobody knows.
import type { Json, JsonObject } from "@bosun/mcp/server";
import { RawJson } from "@bosun/mcp/server";
import { memberTexts, splice, valueEnd, walkElements, walkMembers } from "@bosun/mcp/relay";
import type { Span } from "@bosun/mcp/relay";
import { disguisedJson, foreignKey, NOTE_KEY, ORIGINAL_KEY } from "@bosun/shrink";
import type { Shrunk, ToolResult } from "@bosun/shrink";

export function emittedResult(passed: string, given: ToolResult, shrunk: Shrunk): RawJson {
  const { result, droppedStructured } = shrunk;
  const changed: [string, string][] = [];
  walkMembers(passed, passed.indexOf("{"), (name, start) => {
    const edits: Edit[] = [];
    const end = name === "content" ? editContent(passed, start, given, shrunk, edits) : valueEnd(passed, start);
    const value = edits.length === 0 ? passed.slice(start, end) : spliceWithin(passed, start, end, edits);
    if (name === "_meta") changed.push([name, metaText(value, result)]);
    else if (!(droppedStructured && name === "structuredContent")) changed.push([name, value]);
    return end;
  });
  if (!changed.some(([name]) => name === "_meta") && result._meta) changed.push(["_meta", metaText("{}", result)]);
  return new RawJson(objectText(changed));
}

type Edit = Span & { by: string };

/** Where the content ends that starts there; the texts that changed are put among the edits. */
function editContent(passed: string, start: number, given: ToolResult, shrunk: Shrunk, edits: Edit[]): number {
  const before = given.content;
  const after = shrunk.result.content;
  if (!Array.isArray(before) || !Array.isArray(after)) return valueEnd(passed, start);
  let next = 0;
  return walkElements(passed, start, (at) => {
    const which = next++;
    const shown = after[which] === before[which] ? undefined : after[which]?.text;
    if (typeof shown !== "string") return valueEnd(passed, at);
    let span: Span | undefined;
    const end = walkMembers(passed, at, (name, from) => {
      const to = valueEnd(passed, from);
      // The last of duplicates counts, as it does for who decodes it.
      if (name === "text") span = { start: from, end: to };
      return to;
    });
    if (span !== undefined) {
      const variant = shrunk.disguised?.get(which);
      const asSent = variant === undefined ? undefined : disguisedJson(passed.slice(span.start, span.end), variant);
      edits.push({ ...span, by: asSent ?? JSON.stringify(shown) });
    }
    return end;
  });
}

function spliceWithin(passed: string, start: number, end: number, edits: readonly Edit[]): string {
  const own = edits.map((edit) => ({ ...edit, start: edit.start - start, end: edit.end - start }));
  return splice(passed.slice(start, end), own);
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
