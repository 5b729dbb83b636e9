// Tools → the `tools` member of a request: the same bytes as long as nothing changed, because servers cache prefixes.
import { makeScreenSafe, withoutTagCharacters } from "@bosun/platform/safe-text";
import type { JsonObject } from "@bosun/mcp";
import type { Compat } from "../model/compat.ts";
import { plainSchema } from "./plain-schema.ts";
import type { ToolInfo } from "./tool-info.ts";

const LONGEST_DESCRIPTION = 1024;

/** Undefined when there is none: some servers refuse an empty list. */
export function toolArray(
  tools: readonly (readonly [wire: string, tool: ToolInfo])[],
  builtIn: readonly JsonObject[],
  compat: Compat,
): JsonObject[] | undefined {
  const listed = tools.map(([wire, tool]) => ({
    type: "function",
    function: {
      name: wire,
      description: describe(tool),
      parameters: compat.schema === "plain" ? plainSchema(tool.schema) : sentSchema(tool.schema),
    },
  }));
  const all: JsonObject[] = [...listed, ...builtIn].sort((left, right) => (nameOf(left) < nameOf(right) ? -1 : 1));
  return all.length === 0 ? undefined : all;
}

/** Schema as it is sent: without `$schema`, and with the two members that some servers insist on. */
export function sentSchema(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  const { properties = {} } = rest;
  return { ...rest, type: "object", properties };
}

// Instructions nobody can see do not reach the model; the rest is the server's own words.
function describe(tool: ToolInfo): string {
  const { text } = withoutTagCharacters(tool.description);
  const shown = makeScreenSafe(text).text.trim();
  if (shown === "") return tool.title ?? tool.tool;
  return shown.length > LONGEST_DESCRIPTION ? `${shown.slice(0, LONGEST_DESCRIPTION - 1).toWellFormed()}…` : shown;
}

function nameOf(entry: JsonObject): string {
  const made = entry["function"];
  return typeof made === "object" && made !== null && "name" in made ? String(made["name"]) : "";
}
