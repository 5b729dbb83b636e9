// The tools that the proxy itself adds: the way back to what was folded away.
import { array, failure, integer, object, optional, string, text } from "@bosun/mcp/server";
import type { Infer, JsonObject, ToolResult } from "@bosun/mcp/server";
import type { Originals, ToolDefinition } from "@bosun/shrink";

const range = (what: string) => optional(array(what, integer(""), { minItems: 2, maxItems: 2 }));
const readInput = object({
  handle: string("as given with the result"),
  lines: range("first and last line, from 1"),
  bytes: range("from, to"),
  pattern: optional(string("only lines that match")),
});
const describeInput = object({ name: string("the tool") });

export const READ_ORIGINAL: ToolDefinition = {
  name: "read_original",
  description: "The original of a shortened result, whole or in part.",
  inputSchema: readInput.json,
  annotations: { readOnlyHint: true },
};
export const DESCRIBE_TOOL: ToolDefinition = {
  name: "describe_tool",
  description: "The full description and schema of a tool.",
  inputSchema: describeInput.json,
  annotations: { readOnlyHint: true },
};

export function readOriginal(originals: Originals, client: string, args: unknown): JsonObject {
  const parsed = readInput.parse(args, "arguments");
  if (!parsed.ok) return failure(parsed.problem) as JsonObject;
  const read = originals.read(client, parsed.value.handle, selectionOf(parsed.value));
  return (read.ok ? read.result : failure(read.reason)) as JsonObject;
}

export function describeTool(known: ReadonlyMap<string, ToolDefinition>, args: unknown): ToolResult {
  const parsed = describeInput.parse(args, "arguments");
  if (!parsed.ok) return failure(parsed.problem);
  const tool = known.get(parsed.value.name);
  if (!tool)
    return failure(`there is no tool ${JSON.stringify(parsed.value.name)}; there are: ${[...known.keys()].join(", ")}`);
  return text(JSON.stringify(tool, undefined, 2));
}

function selectionOf({ lines, bytes, pattern }: Infer<typeof readInput>): {
  lines?: [number, number];
  bytes?: [number, number];
  pattern?: string;
} {
  return {
    ...(lines ? { lines: [lines[0] ?? 1, lines[1] ?? 1] } : {}),
    ...(bytes ? { bytes: [bytes[0] ?? 0, bytes[1] ?? 0] } : {}),
    ...(pattern === undefined ? {} : { pattern }),
  };
}
