// A shortened result as it leaves: the text that the server sent, with the texts that changed and the `_meta` that was
// added put in. Everything else keeps its bytes: numbers, duplicates, members that nobody knows.
import type { Json, JsonObject } from "@bosun/mcp/server";
import { RawJson } from "@bosun/mcp/server";
import { memberTexts, valueEnd, walkElements, walkMembers } from "@bosun/platform/json";
import type { Span } from "@bosun/platform/json";
import { disguisedJson, foreignKey, NOTE_KEY, ORIGINAL_KEY } from "@bosun/shrink";
import type { Shrunk, ToolResult } from "@bosun/shrink";

export function spliceResult(passed: string, given: ToolResult, shrunk: Shrunk): RawJson {
  const { result, droppedStructured } = shrunk;
  const changed: Member[] = [];
  walkMembers(passed, passed.indexOf("{"), (name, start) => {
    const edits: Edit[] = [];
    const end = name === "content" ? editContent(passed, start, given, shrunk, edits) : valueEnd(passed, start);
    if (name === "_meta") changed.push([name, metaText(passed.slice(start, end), result)]);
    else if (!(droppedStructured && name === "structuredContent"))
      changed.push([name, ...spliced(passed, start, end, edits)]);
    return end;
  });
  if (!changed.some(([name]) => name === "_meta") && result._meta) changed.push(["_meta", metaText("{}", result)]);
  return new RawJson(objectPieces(changed).join(""));
}

type Edit = Span & { by: readonly string[] };

/** A name, and the pieces of its value. */
type Member = [name: string, ...value: string[]];

/** Where the content ends that starts there; the texts that changed are put among the edits. */
function editContent(passed: string, start: number, given: ToolResult, shrunk: Shrunk, edits: Edit[]): number {
  const before = given.content;
  const after = shrunk.result.content;
  if (!Array.isArray(before) || !Array.isArray(after)) return valueEnd(passed, start);
  let next = 0;
  return walkElements(passed, start, (at) => {
    const which = next++;
    if (after[which] === before[which]) return valueEnd(passed, at);
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
      edits.push({ ...span, by: asSent ?? [JSON.stringify(after[which]?.text)] });
    }
    return end;
  });
}

function spliced(passed: string, start: number, end: number, edits: readonly Edit[]): string[] {
  const pieces: string[] = [];
  let from = start;
  for (const edit of edits) {
    pieces.push(passed.slice(from, edit.start), ...edit.by);
    from = edit.end;
  }
  return [...pieces, passed.slice(from, end)];
}

function metaText(text: string, { _meta }: ToolResult): string {
  const foreign = memberTexts(text).map(([name, value]): Member => [foreignKey(name), value]);
  const ours = [ORIGINAL_KEY, NOTE_KEY].flatMap((name): Member[] => {
    const value = (_meta as JsonObject | undefined)?.[name];
    return value === undefined ? [] : [[name, JSON.stringify(value satisfies Json)]];
  });
  return objectPieces([...foreign, ...ours]).join("");
}

function objectPieces(members: readonly Member[]): string[] {
  const pieces = members.flatMap(([name, ...value], i) => [`${i === 0 ? "{" : ","}${JSON.stringify(name)}:`, ...value]);
  return [...(pieces.length === 0 ? ["{"] : pieces), "}"];
}
