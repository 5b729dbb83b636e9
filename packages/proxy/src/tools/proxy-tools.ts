// The tools that the proxy itself adds: the way back to what was folded away.
import { object, optional, string, text } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import { parseExactly } from "@bosun/platform/json";
import type { Originals, Selection, ToolDefinition } from "@bosun/shrink";
import { CallFailed } from "../servers/call-failed.ts";
import { revealHiddenText } from "./reveal-hidden-text.ts";

// Every token of these two definitions is paid in every session: no descriptions where the names say it.
const shownInput = object({ id: string(""), lines: optional(string("")) });
const readInput = object({
  id: optional(string("")),
  handle: optional(string("")),
  lines: optional(string("")),
  bytes: optional(string("")),
  pattern: optional(string("")),
});
const describeInput = object({ name: string("") });

export const READ_ORIGINAL: ToolDefinition = {
  name: "read_original",
  description: "Exact text behind a [bosun …] line.",
  inputSchema: openSchema(shownInput.json),
};
export const DESCRIBE_TOOL: ToolDefinition = {
  name: "describe_tool",
  description: "Full description and schema of a tool.",
  inputSchema: openSchema(describeInput.json),
};

/** Under a name that no server has: without it, what was cut from the list could not be had at all. */
export function describeToolUnlessTaken(isTaken: (name: string) => boolean): ToolDefinition {
  let { name } = DESCRIBE_TOOL;
  while (isTaken(name)) name = `bosun_${name}`;
  return name === DESCRIBE_TOOL.name ? DESCRIBE_TOOL : { ...DESCRIBE_TOOL, name };
}

/** What they cost in a tool list, so that nobody has to load a tokenizer to know it (a test counts them). */
export const OWN_TOOL_TOKENS: { readonly [name: string]: number } = { read_original: 54, describe_tool: 44 };

/** Throws CallFailed when there is no such original, or when the arguments do not say which. */
export function readOriginal(originals: Originals, client: string, args: unknown): JsonObject {
  const parsed = readInput.parse(args, "arguments");
  if (!parsed.ok) throw new CallFailed(parsed.problem);
  const { id, handle = id, lines, bytes, pattern } = parsed.value;
  if (handle === undefined) throw new CallFailed("arguments.id is required: the number in a [bosun …] line");
  const selection: Selection = pattern === undefined ? {} : { pattern };
  for (const [name, range] of [["lines", lines] as const, ["bytes", bytes] as const]) {
    if (range === undefined) continue;
    const match = /^(\d{1,15})(?:-(\d{1,15}))?$/.exec(range);
    if (!match) throw new CallFailed(`${name} must be a range like 10-20, got ${JSON.stringify(range)}`);
    selection[name] = [Number(match[1]), Number(match[2] ?? match[1])];
  }
  const read = originals.read(client, handle, selection);
  if (!read.ok) throw new CallFailed(read.reason);
  return (read.json === undefined ? read.result : parseExactly(read.json)) as JsonObject;
}

/** Throws CallFailed when there is no such tool. */
export async function describeTool(known: ReadonlyMap<string, ToolDefinition>, args: unknown): Promise<ToolResult> {
  const parsed = describeInput.parse(args, "arguments");
  if (!parsed.ok) throw new CallFailed(parsed.problem);
  const tool = known.get(parsed.value.name);
  if (!tool)
    throw new CallFailed(
      `there is no tool ${JSON.stringify(parsed.value.name)}; there are: ${[...known.keys()].join(", ")}`,
    );
  // As in the list: a model reads it here all the same.
  const [visible] = await revealHiddenText([tool]);
  return text(JSON.stringify(visible, undefined, 2));
}

/** Closed when it is parsed, open when it is shown: nine tokens for what a model does not do anyway. */
function openSchema({ additionalProperties: _, ...schema }: JsonObject): JsonObject {
  return schema;
}
