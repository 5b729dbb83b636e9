// A JSON Schema → one that the fussiest servers take: no references, no unions at the top, only common keywords.
import { isObject } from "@bosun/mcp";
import type { Json, JsonObject } from "@bosun/mcp";

const KEPT = new Set(
  "type description enum const properties required items additionalProperties title minimum maximum".split(" "),
);
const MAX_DEPTH = 12;

export function plainSchema(schema: JsonObject): JsonObject {
  const flat = flattened(schema, schema);
  const cleaned = clean(flat, schema, [], 0);
  const { properties = {} } = cleaned;
  return { ...cleaned, type: "object", properties };
}

/** anyOf/oneOf/allOf at the top become one object with everything optional. */
function flattened(schema: JsonObject, root: JsonObject): JsonObject {
  const parts = ["allOf", "anyOf", "oneOf"].flatMap((key) => {
    const list = schema[key];
    return Array.isArray(list) ? list.filter(isObject) : [];
  });
  if (parts.length === 0) return schema;
  const properties: JsonObject = {};
  for (const part of [schema, ...parts]) {
    const own = followed(part, root, [])["properties"];
    if (isObject(own)) Object.assign(properties, own);
  }
  const { allOf: _a, anyOf: _b, oneOf: _c, required: _r, ...rest } = schema;
  return { ...rest, properties };
}

function clean(schema: JsonObject, root: JsonObject, seen: readonly string[], depth: number): JsonObject {
  if (depth > MAX_DEPTH) return { type: "object" };
  const reference = schema["$ref"];
  const inner = followed(schema, root, seen);
  const path = typeof reference === "string" ? [...seen, reference] : seen;
  const result: JsonObject = {};
  for (const [key, value] of Object.entries(inner)) {
    if (!KEPT.has(key) || value === undefined) continue;
    if (key === "properties" && isObject(value)) {
      const cleaned = Object.entries(value).map(([name, one]): [string, Json] => [
        name,
        isObject(one) ? clean(one, root, path, depth + 1) : {},
      ]);
      result[key] = Object.fromEntries(cleaned);
    } else if ((key === "items" || key === "additionalProperties") && isObject(value)) {
      result[key] = clean(value, root, path, depth + 1);
    } else if (key === "type" && Array.isArray(value)) {
      result[key] = value.find((one) => one !== "null") ?? "string";
    } else result[key] = value;
  }
  const union = inner["anyOf"] ?? inner["oneOf"] ?? inner["allOf"];
  if (Array.isArray(union) && result["type"] === undefined && depth > 0) {
    const first = union.filter(isObject).find((one) => one["type"] !== "null");
    if (first) return { ...clean(first, root, path, depth + 1), ...result };
  }
  return result;
}

/** A local reference is put in its place; a circle or a reference to elsewhere becomes an empty schema. */
function followed(schema: JsonObject, root: JsonObject, seen: readonly string[]): JsonObject {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return schema;
  if (!reference.startsWith("#/") || seen.includes(reference)) return {};
  let found: Json | undefined = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    found = isObject(found) ? found[key] : undefined;
  }
  if (!isObject(found)) return {};
  const { $ref: _, ...beside } = schema;
  return { ...followed(found, root, [...seen, reference]), ...beside };
}
