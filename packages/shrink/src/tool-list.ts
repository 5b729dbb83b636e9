// Tool definitions in fewer tokens: real names, real parameter names, shorter words. The full definition is to be had
// on demand; validation stays with the server that owns the tool. Nothing is made larger, and no enum loses a value.
import { countTokens } from "./tokens/count.ts";

export type ToolDefinition = {
  name: string;
  description?: string;
  inputSchema?: unknown;
  [field: string]: unknown;
};

/** light: shorter descriptions, no decoration. full: one sentence, and of each parameter its name, type and choices. */
export type ToolCompression = "off" | "light" | "full";

type Limits = { sentences: number; chars: number; parameterChars: number };
type Schema = Record<string, unknown>;

const LIMITS: Record<Exclude<ToolCompression, "off">, Limits> = {
  light: { sentences: 2, chars: 240, parameterChars: 90 },
  full: { sentences: 1, chars: 90, parameterChars: 0 },
};
/** Says nothing to a model. */
const DECORATION = new Set(["$schema", "$id", "$comment", "title", "additionalProperties", "examples", "default"]);
/** Under `full`, what a model must know to write a valid argument. */
const ESSENTIAL = new Set([
  "type",
  "enum",
  "const",
  "properties",
  "required",
  "items",
  "anyOf",
  "oneOf",
  "allOf",
  "$ref",
  "$defs",
  "definitions",
]);
/** Deeper than this a schema is passed on as it is. */
const MAX_DEPTH = 12;

export function compressTools<Tool extends ToolDefinition>(tools: readonly Tool[], level: ToolCompression): Tool[] {
  return level === "off" ? [...tools] : tools.map((tool) => compressTool(tool, level));
}

/** Tokens of a list as a chat request carries it: names, descriptions and parameters. */
export function countToolTokens(tools: readonly ToolDefinition[]): number {
  const wire = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return countTokens(JSON.stringify(wire));
}

function compressTool<Tool extends ToolDefinition>(tool: Tool, level: Exclude<ToolCompression, "off">): Tool {
  const { description, inputSchema } = tool;
  const shorter = { ...tool };
  if (typeof description === "string") shorter.description = shorten(description, LIMITS[level]);
  if (isSchema(inputSchema)) shorter.inputSchema = shortenSchema(inputSchema, level, 0);
  return countToolTokens([shorter]) < countToolTokens([tool]) ? shorter : tool;
}

function shortenSchema(schema: Schema, level: Exclude<ToolCompression, "off">, depth: number): Schema {
  if (depth > MAX_DEPTH) return schema;
  const out: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (DECORATION.has(key) && !(key === "additionalProperties" && isSchema(value))) continue;
    if (level === "full" && !ESSENTIAL.has(key) && key !== "additionalProperties") continue;
    // Under `full` a parameter without a type is a string: most are, and each would cost three tokens to say so.
    if (level === "full" && key === "type" && value === "string" && depth > 0 && !("enum" in schema)) continue;
    if (key === "required" && Array.isArray(value) && value.length === 0) continue;
    out[key] = shortenMember(key, value, level, depth);
  }
  return out;
}

function shortenMember(key: string, value: unknown, level: Exclude<ToolCompression, "off">, depth: number): unknown {
  if (key === "description" && typeof value === "string")
    return shorten(value, { ...LIMITS[level], sentences: 1, chars: LIMITS[level].parameterChars });
  if ((key === "properties" || key === "$defs" || key === "definitions") && isSchema(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, own]) => [name, isSchema(own) ? shortenSchema(own, level, depth + 1) : own]),
    );
  }
  if (Array.isArray(value) && (key === "anyOf" || key === "oneOf" || key === "allOf")) {
    return value.map((own: unknown) => (isSchema(own) ? shortenSchema(own, level, depth + 1) : own));
  }
  return isSchema(value) && (key === "items" || key === "additionalProperties")
    ? shortenSchema(value, level, depth + 1)
    : value;
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
