// Tool definitions in fewer tokens: real names, real parameter names, shorter words. The full definition is to be had
// on demand; validation stays with the server that owns the tool. Nothing is made larger, and no enum loses a value.
import { schemaShape } from "./schema-shape.ts";
import type { TypesOf } from "./schema-shape.ts";
import { countTokens } from "./tokens/count.ts";

export type ToolDefinition = {
  name: string;
  description?: string;
  inputSchema?: unknown;
  [field: string]: unknown;
};

/**
 * light: shorter descriptions, no decoration. full: to a quarter; every tool keeps its name and the shape of its
 * arguments, and the types of what lists hold, of single values, and a short description come back as far as the
 * quarter allows.
 */
export type ToolCompression = "off" | "light" | "full";

type Limits = { sentences: number; chars: number };
type Schema = Record<string, unknown>;

const TOOL_LIMITS: Limits = { sentences: 2, chars: 240 };
const PARAMETER_LIMITS: Limits = { sentences: 1, chars: 90 };
const BRIEF: Limits = { sentences: 1, chars: 60 };
const FULL_SHARE = 0.25;
/** A short list may have this much per tool, even if it is more than a quarter. The shape stays whatever it costs. */
const FULL_TOKENS_PER_TOOL = 40;
/** Says nothing to a model. */
const DECORATION = new Set(["$schema", "$id", "$comment", "title", "additionalProperties", "examples", "default"]);
/** Deeper than this a schema is passed on as it is. */
const MAX_DEPTH = 12;

export function compressTools<Tool extends ToolDefinition>(tools: readonly Tool[], level: ToolCompression): Tool[] {
  if (level === "off") return [...tools];
  return level === "light" ? tools.map((tool) => smaller(lighten(tool), tool)) : compressFully(tools);
}

/** Tokens of a list as a chat request carries it: names, descriptions and parameters. */
export function countToolTokens(tools: readonly ToolDefinition[]): number {
  const wire = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return countTokens(JSON.stringify(wire));
}

function smaller<Tool extends ToolDefinition>(shorter: Tool, tool: Tool): Tool {
  return countToolTokens([shorter]) < countToolTokens([tool]) ? shorter : tool;
}

function lighten<Tool extends ToolDefinition>(tool: Tool): Tool {
  const shorter = { ...tool };
  if (typeof tool.description === "string") shorter.description = shorten(tool.description, TOOL_LIMITS);
  if (isSchema(tool.inputSchema)) shorter.inputSchema = shortenSchema(tool.inputSchema, 0);
  return shorter;
}

// From the shape alone, each kind of detail comes back while there is room, tool by tool.
function compressFully<Tool extends ToolDefinition>(tools: readonly Tool[]): Tool[] {
  const details: Detail[] = ["items", "types", "description"];
  const budget = Math.max(countToolTokens(tools) * FULL_SHARE, tools.length * FULL_TOKENS_PER_TOOL);
  const chosen = tools.map((tool) => ({ tool, details: new Set<Detail>(), short: bareTool(tool, new Set()) }));
  let spent = countToolTokens(chosen.map(({ short }) => short));
  for (const detail of details) {
    for (const entry of chosen) {
      const richer = bareTool(entry.tool, new Set([...entry.details, detail]));
      const cost = countToolTokens([richer]) - countToolTokens([entry.short]);
      if (spent + cost > budget) continue;
      entry.details.add(detail);
      entry.short = richer;
      spent += cost;
    }
  }
  return chosen.map(({ tool, short }) => smaller(short, tool));
}

type Detail = TypesOf | "description";

function bareTool<Tool extends ToolDefinition>(tool: Tool, details: ReadonlySet<Detail>): Tool {
  const { description, ...rest } = tool;
  const short = { ...rest, inputSchema: schemaShape(tool.inputSchema, details) } as unknown as Tool;
  if (!details.has("description") || typeof description !== "string") return short;
  const brief = shorten(description, BRIEF);
  return isSaidByName(brief, tool.name) ? short : { ...short, description: brief };
}

// "Update the title of an existing pull request." says no more than update_pull_request_title.
function isSaidByName(description: string, name: string): boolean {
  const said = name.toLowerCase().split(/[^a-z0-9]+|(?<=[a-z])(?=[A-Z])/);
  const words = description.toLowerCase().match(/[a-z0-9]{4,}/g) ?? [];
  const unsaid = words.filter(
    (word) => !said.some((part) => part.length > 2 && (word.startsWith(part) || part.startsWith(word))),
  );
  return unsaid.length <= 1;
}

function shortenSchema(schema: Schema, depth: number): Schema {
  if (depth > MAX_DEPTH) return schema;
  const out: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DECORATION.has(key) && !(key === "additionalProperties" && isSchema(value))) continue;
    if (key === "required" && Array.isArray(value) && value.length === 0) continue;
    out[key] = shortenMember(key, value, depth);
  }
  return out;
}

function shortenMember(key: string, value: unknown, depth: number): unknown {
  if (key === "description" && typeof value === "string") return shorten(value, PARAMETER_LIMITS);
  if ((key === "properties" || key === "$defs" || key === "definitions") && isSchema(value)) {
    const members = Object.entries(value).map(([name, own]) => [
      name,
      isSchema(own) ? shortenSchema(own, depth + 1) : own,
    ]);
    return Object.fromEntries(members);
  }
  if (Array.isArray(value) && (key === "anyOf" || key === "oneOf" || key === "allOf")) {
    return value.map((own: unknown) => (isSchema(own) ? shortenSchema(own, depth + 1) : own));
  }
  const nested = key === "items" || key === "additionalProperties";
  return nested && isSchema(value) ? shortenSchema(value, depth + 1) : value;
}

// Whole sentences as far as they fit; a first sentence that does not fit ends at a word.
function shorten(text: string, { sentences, chars }: Limits): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const parts = flat.match(/[^.!?]+(?:[.!?]+(?=\s|$)|[.!?](?=\S)|$)+/g) ?? [flat];
  let out = "";
  for (const part of parts.slice(0, sentences)) {
    if (out !== "" && out.length + part.length > chars) break;
    out += part;
  }
  out = out.trim();
  if (out.length <= chars) return out;
  const cut = out.slice(0, chars);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), Math.floor(chars / 2)))}…`;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
