// More tools than a request can hold: the rest is found by words and called by name, through two tools of our own. What is
// called that way goes through the same approval as any other call.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { parseExact } from "../model/argument-json.ts";
import { sentSchema } from "./tool-array.ts";
import type { ToolInfo } from "./tool-info.ts";
import type { NameTable } from "./tool-names.ts";

export const FIND_TOOLS = "aish__find_tools";
export const CALL_TOOL = "aish__call_tool";

const MOST_FOUND = 8;
const LONGEST_DESCRIPTION = 300;

export const furtherTools: readonly JsonObject[] = [
  {
    type: "function",
    function: {
      name: FIND_TOOLS,
      description: "Find further tools by words of their name or description. Gives each with its parameters.",
      parameters: {
        type: "object",
        properties: { query: { type: "string", description: "words, such as: calendar create event" } },
        required: ["query"],
      },
    },
  },
  {
    type: "function",
    function: {
      name: CALL_TOOL,
      description: `Call a tool that ${FIND_TOOLS} has found.`,
      parameters: {
        type: "object",
        properties: {
          name: { type: "string", description: "name of the tool, as it was found" },
          arguments: { type: "object", description: "its arguments" },
        },
        required: ["name", "arguments"],
      },
    },
  },
];

/** Wire names of the tools that are listed in a request of so many. Small servers come first: a large one leaves them room. */
export function listedTools(names: NameTable<ToolInfo>, most: number): ReadonlySet<string> {
  const all = names.entries();
  const sizes = new Map<string, number>();
  for (const [, { alias }] of all) sizes.set(alias, (sizes.get(alias) ?? 0) + 1);
  const size = (tool: ToolInfo): number => sizes.get(tool.alias) ?? 0;
  const sorted = all.toSorted(([, left], [, right]) => size(left) - size(right));
  return new Set(sorted.slice(0, Math.max(0, most)).map(([wire]) => wire));
}

export function findTools(names: NameTable<ToolInfo>, args: string): string {
  const given = parseExact(args);
  const query = isObject(given) && typeof given["query"] === "string" ? given["query"] : "";
  const words = query
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word.length > 1);
  if (words.length === 0) return "Give words to look for.";
  const found = names
    .entries()
    .map(([wire, tool]) => ({ wire, tool, score: scoreOf(`${wire} ${tool.title ?? ""}`, tool.description, words) }))
    .filter(({ score }) => score > 0)
    .sort((left, right) => right.score - left.score || (left.wire < right.wire ? -1 : 1))
    .slice(0, MOST_FOUND)
    .map(({ wire, tool }) => ({
      name: wire,
      description: tool.description.slice(0, LONGEST_DESCRIPTION).toWellFormed(),
      parameters: sentSchema(tool.schema),
    }));
  return found.length === 0 ? `No tool matches ${JSON.stringify(query)}.` : JSON.stringify(found);
}

/** The call that is meant by one of `aish__call_tool`; undefined when it names no tool. */
export function callWithin(args: string): { name: string; arguments: string } | undefined {
  const given = parseExact(args);
  if (!isObject(given) || typeof given["name"] !== "string") return undefined;
  const inner = given["arguments"] ?? {};
  return { name: given["name"], arguments: typeof inner === "string" ? inner : JSON.stringify(inner) };
}

// A word in the name says more than one in the description.
function scoreOf(name: string, description: string, words: readonly string[]): number {
  const [inName, inDescription] = [name.toLowerCase(), description.toLowerCase()];
  return words.reduce((sum, word) => sum + (inName.includes(word) ? 3 : 0) + (inDescription.includes(word) ? 1 : 0), 0);
}
