// A JSON Schema without its prose: names, what is required, choices, lists with their items, objects in objects. What
// stays is valid for consumers that refuse half a schema, such as an array without items, or a reference to nothing.

type Schema = Record<string, unknown>;

/** Deeper than this a schema is passed on as it is. */
const MAX_DEPTH = 12;
/** Keywords whose value is a schema, a list of schemas, or schemas by name. */
const ONE = new Set(["items", "additionalProperties", "not", "if", "then", "else", "contains"]);
const SEVERAL = new Set(["anyOf", "oneOf", "allOf", "prefixItems"]);
const BY_NAME = new Set(["properties", "$defs", "definitions", "patternProperties"]);
/** Keywords that are kept as they are. */
const KEPT = new Set(["required", "enum", "const", "$ref"]);

/** Whose types are said, besides those of lists and objects: what lists hold, and single values. */
export type TypesOf = "items" | "types";

/** A parameter without a type is a string: most are, and each would cost three tokens to say so. */
export function schemaShape(schema: unknown, said: ReadonlySet<string>): unknown {
  return isSchema(schema) ? shape(schema, said, said.has("types"), 0) : schema;
}

function shape(schema: Schema, said: ReadonlySet<string>, isTyped: boolean, depth: number): Schema {
  if (depth > MAX_DEPTH) return schema;
  const inner = (value: unknown, typed: boolean): unknown =>
    isSchema(value) ? shape(value, said, typed, depth + 1) : value;
  const parameter = (value: unknown): unknown =>
    inner(value, said.has("types") && isSchema(value) && value["type"] !== "string");
  const out: Schema = {};
  for (const [key, value] of Object.entries(schema)) {
    if (key === "type" ? isTold(schema, isTyped) : KEPT.has(key) && !isEmpty(value)) out[key] = value;
    // Without their types the sides of a choice are all the same.
    else if (SEVERAL.has(key) && Array.isArray(value)) out[key] = value.map((own: unknown) => inner(own, true));
    else if (ONE.has(key) && isSchema(value)) out[key] = inner(value, said.has("items"));
    else if (BY_NAME.has(key) && isSchema(value))
      out[key] = Object.fromEntries(Object.entries(value).map(([name, own]) => [name, parameter(own)]));
  }
  return out;
}

// The values of a choice show their type. Lists, objects and unions are shape.
function isTold({ type, enum: choices }: Schema, isTyped: boolean): boolean {
  if (Array.isArray(choices)) return false;
  return isTyped || type === "object" || type === "array" || Array.isArray(type);
}

function isEmpty(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
