// Tool lists in fewer tokens, with all real names listed and callable, and every parameter typed. The full definition is to
// be had on demand. Only descriptions and constraints go, so that whatever was valid stays valid.
import { countTokens } from "./tokens/count.ts";

export type ToolDefinition = {
  name: string;
  description?: string;
  inputSchema?: unknown;
  [field: string]: unknown;
};

type Schema = Record<string, unknown>;

const MAX_DESCRIPTION_CHARS = 80;
/** A list that saves less than this stays whole. */
const MIN_SAVED_TOKENS = 500;
const MIN_SAVED_SHARE = 0.25;
/** Deeper than this a schema is passed on as it is. */
const MAX_DEPTH = 12;

/** The list with less in it, or the very list that came in when that is not worth it. */
export function lazyTools<Tool extends ToolDefinition>(tools: readonly Tool[]): readonly Tool[] {
  const lazy = tools.map(lazyTool);
  const [before, after] = [countToolTokens(tools), countToolTokens(lazy)];
  return before - after < Math.max(MIN_SAVED_TOKENS, before * MIN_SAVED_SHARE) ? tools : lazy;
}

/** Tokens of a list as a chat request carries it: names, descriptions and parameters. */
export function countToolTokens(tools: readonly ToolDefinition[]): number {
  const wire = tools.map(({ name, description, inputSchema }) => ({
    type: "function",
    function: { name, description, parameters: inputSchema },
  }));
  return countTokens(JSON.stringify(wire));
}

function lazyTool<Tool extends ToolDefinition>(tool: Tool): Tool {
  const { description, inputSchema, outputSchema: _promise, title: _title, ...rest } = tool;
  if (!isSchema(inputSchema) || mustStayWhole(inputSchema)) return tool;
  const short = {
    ...rest,
    ...(typeof description === "string" ? { description: firstSentence(description) } : {}),
    inputSchema: shortObject(inputSchema, true, 0),
  };
  return short as unknown as Tool;
}

// References point into what would be cut, and a choice at the top has no parameters to name.
function mustStayWhole(schema: Schema): boolean {
  return "anyOf" in schema || "oneOf" in schema || "allOf" in schema || JSON.stringify(schema).includes('"$ref"');
}

// `isWhole`: with the choices and inner shapes that a first call needs.
function shortSchema(schema: unknown, isWhole: boolean, depth: number): unknown {
  if (!isSchema(schema) || depth > MAX_DEPTH) return schema;
  const out: Schema = {};
  for (const word of ["anyOf", "oneOf", "allOf"]) {
    const sides = schema[word];
    if (Array.isArray(sides)) out[word] = sides.map((side) => shortSchema(side, isWhole, depth + 1));
  }
  if (schema["type"] !== undefined) out["type"] = schema["type"];
  // Without a type of its own a parameter is whatever its choices are.
  else if (Array.isArray(schema["enum"]) && !isWhole) out["type"] = typeOf(schema["enum"]);
  if (isWhole) for (const word of ["enum", "const"]) if (schema[word] !== undefined) out[word] = schema[word];
  // Some interfaces refuse a list that does not say what it holds.
  if (schema["items"] !== undefined) out["items"] = shortSchema(schema["items"], isWhole, depth + 1);
  if (isWhole && isSchema(schema["properties"])) Object.assign(out, shortObject(schema, isWhole, depth));
  return out;
}

function shortObject(schema: Schema, isWhole: boolean, depth: number): Schema {
  const required = Array.isArray(schema["required"]) ? (schema["required"] as unknown[]) : [];
  const properties = isSchema(schema["properties"]) ? Object.entries(schema["properties"]) : [];
  return {
    type: schema["type"] ?? "object",
    properties: Object.fromEntries(
      properties.map(([name, own]) => [name, shortSchema(own, isWhole && required.includes(name), depth + 1)]),
    ),
    ...(required.length > 0 ? { required } : {}),
  };
}

function typeOf(choices: readonly unknown[]): unknown {
  const types = new Set(choices.map((choice) => (choice === null ? "null" : typeof choice)));
  return types.size === 1 ? [...types][0] : [...types];
}

function firstSentence(text: string): string {
  const flat = text.replace(/\s+/g, " ").trim();
  const sentence = /^.*?[.!?](?=\s|$)/.exec(flat)?.[0] ?? flat;
  if (sentence.length <= MAX_DESCRIPTION_CHARS) return sentence;
  const cut = sentence.slice(0, MAX_DESCRIPTION_CHARS - 1);
  return `${cut.slice(0, Math.max(cut.lastIndexOf(" "), MAX_DESCRIPTION_CHARS / 2))}…`;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
