// A tool as a server describes it → what we know of it. Servers leave things out or send nonsense: both are survived.
import { definitionHash } from "@bosun/policy";
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import type { ToolKey } from "./tool-names.ts";

export type ToolInfo = ToolKey & {
  title: string | undefined;
  description: string;
  schema: JsonObject;
  annotations: Hints;
  /** Of the whole definition: approvals hang on it. */
  definition: string;
  /** As the server sent it, for comparisons. */
  raw: JsonObject & { name: string };
};

/** What the server claims. Never allows anything. */
export type Hints = { readOnly?: boolean; destructive?: boolean; idempotent?: boolean; openWorld?: boolean };

export type ToolList = { tools: ToolInfo[]; problems: string[] };

const MAX_TOOLS = 2000;

/** The usable tools of a list, and what was wrong with the others. */
export function readTools(alias: string, listed: readonly JsonObject[]): ToolList {
  const tools = new Map<string, ToolInfo>();
  const problems: string[] = [];
  for (const raw of listed) {
    const { name } = raw;
    if (typeof name !== "string" || name === "") problems.push("a tool without a name was skipped");
    else if (tools.has(name)) problems.push(`a second tool called ${name} was skipped`);
    else if (tools.size >= MAX_TOOLS) {
      problems.push(`more than ${MAX_TOOLS} tools; the rest was skipped`);
      break;
    } else {
      try {
        tools.set(name, readTool(alias, { ...raw, name }));
      } catch (error) {
        problems.push(`${name} was skipped: ${error instanceof Error ? error.message : String(error)}`);
      }
    }
  }
  return { tools: [...tools.values()], problems };
}

function readTool(alias: string, raw: JsonObject & { name: string }): ToolInfo {
  const { title, description, inputSchema, annotations } = raw;
  const hints = isObject(annotations) ? annotations : {};
  const said = typeof title === "string" ? title : hints["title"];
  return {
    alias,
    tool: raw.name,
    title: typeof said === "string" && said !== raw.name ? said : undefined,
    description: typeof description === "string" ? description : "",
    schema: isObject(inputSchema) ? inputSchema : { type: "object" },
    annotations: {
      ...flag("readOnly", hints["readOnlyHint"]),
      ...flag("destructive", hints["destructiveHint"]),
      ...flag("idempotent", hints["idempotentHint"]),
      ...flag("openWorld", hints["openWorldHint"]),
    },
    definition: definitionHash(raw),
    raw,
  };
}

function flag(name: keyof Hints, value: unknown): Hints {
  return typeof value === "boolean" ? { [name]: value } : {};
}
