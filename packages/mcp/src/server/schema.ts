// One description of a value → its JSON Schema, its parser and its TypeScript type.
//
//   const input = object({ path: string("where"), lines: integer("how many", { default: 10 }) });
//   type Input = Infer<typeof input>;            // { path: string; lines: number }
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";

export type Parsed<T> = { ok: true; value: T } | { ok: false; problem: string };

export type Schema<T> = {
  /** What `tools/list` publishes. */
  readonly json: JsonObject;
  /** May the member be left out of its object? */
  readonly omittable: boolean;
  /** `at` names the value in problems: "arguments.path". */
  parse(value: unknown, at: string): Parsed<T>;
};

export type Infer<S> = S extends Schema<infer T> ? T : never;
type Shape = { readonly [name: string]: Schema<unknown> };
type InferShape<S extends Shape> = { [K in keyof S]: Infer<S[K]> };

/** `header`: mirror this argument in an `Mcp-Param-<header>` HTTP header (2026-07-28). */
type Annotated<T> = { default?: T; header?: string };
type StringOptions = Annotated<string> & { minLength?: number; maxLength?: number; format?: string };
type NumberOptions = Annotated<number> & { min?: number; max?: number };

export function string(description: string, options: StringOptions = {}): Schema<string> {
  const { minLength, maxLength, format } = options;
  return leaf("string", description, { minLength, maxLength, format }, options, (value, at) => {
    if (typeof value !== "string") return expected("a string", value, at);
    if (minLength !== undefined && charactersIn(value, 2 * minLength) < minLength) {
      return problem(minLength === 1 ? `${at} must not be empty` : `${at} must have at least ${minLength} characters`);
    }
    if (maxLength !== undefined && value.length > maxLength && charactersIn(value, 2 * maxLength) > maxLength) {
      return problem(`${at} must have at most ${maxLength} characters, got ${Array.from(value).length}`);
    }
    return { ok: true, value };
  });
}

export function integer(description: string, options: NumberOptions = {}): Schema<number> {
  return leaf("integer", description, { minimum: options.min, maximum: options.max }, options, (value, at) =>
    Number.isSafeInteger(value) ? within(value as number, options, at) : expected("an integer", value, at),
  );
}

export function number(description: string, options: NumberOptions = {}): Schema<number> {
  return leaf("number", description, { minimum: options.min, maximum: options.max }, options, (value, at) =>
    typeof value === "number" && Number.isFinite(value) ? within(value, options, at) : expected("a number", value, at),
  );
}

export function boolean(description: string, options: Annotated<boolean> = {}): Schema<boolean> {
  return leaf("boolean", description, {}, options, (value, at) =>
    typeof value === "boolean" ? { ok: true, value } : expected("true or false", value, at),
  );
}

export function oneOf<const T extends string>(
  description: string,
  values: readonly T[],
  options: { default?: T } = {},
): Schema<T> {
  return leaf("string", description, { enum: [...values] }, options, (value, at) => {
    const known = values.find((candidate) => candidate === value);
    if (known !== undefined) return { ok: true, value: known };
    return problem(`${at} must be one of ${values.join(", ")}; got ${shown(value)}`);
  });
}

export function array<T>(
  description: string,
  items: Schema<T>,
  options: { minItems?: number; maxItems?: number; default?: T[] } = {},
): Schema<T[]> {
  const { minItems, maxItems } = options;
  return leaf("array", description, { items: items.json, minItems, maxItems }, options, (value, at) => {
    if (!Array.isArray(value)) return expected("an array", value, at);
    if (minItems !== undefined && value.length < minItems) return problem(`${at} needs at least ${minItems} items`);
    if (maxItems !== undefined && value.length > maxItems) return problem(`${at} may have at most ${maxItems} items`);
    const parsed: T[] = [];
    for (const [index, item] of value.entries()) {
      const one = items.parse(item, `${at}[${index}]`);
      if (!one.ok) return one;
      parsed.push(one.value);
    }
    return { ok: true, value: parsed };
  });
}

/** An object with any member names and values of one kind, such as environment variables. */
export function record<T>(description: string, values: Schema<T>): Schema<Record<string, T>> {
  return leaf("object", description, { additionalProperties: values.json }, {}, (value, at) => {
    if (!isObject(value)) return expected("an object", value, at);
    const parsed: Record<string, T> = Object.create(null) as Record<string, T>;
    for (const [name, member] of Object.entries(value)) {
      const one = values.parse(member, `${at}.${name}`);
      if (!one.ok) return one;
      parsed[name] = one.value;
    }
    return { ok: true, value: parsed };
  });
}

/** A closed object: members that are not described are refused, with the known names. */
export function object<const S extends Shape>(shape: S, description?: string): Schema<InferShape<S>> {
  const names = Object.keys(shape);
  return {
    json: objectJson(shape, description),
    omittable: false,
    parse(value, at) {
      if (!isObject(value)) return expected("an object", value, at);
      for (const name in value) {
        if (Object.hasOwn(shape, name)) continue;
        const known = names.join(", ") || "none";
        return problem(`${at} has an unknown property ${JSON.stringify(name)}; known: ${known}`);
      }
      const parsed: Record<string, unknown> = {};
      for (const name of names) {
        const schema = shape[name] as Schema<unknown>;
        const member = Object.hasOwn(value, name) ? value[name] : undefined;
        if (member === undefined && !schema.omittable) return problem(`${at}.${name} is required`);
        // Many models write null for what they leave out.
        const given = member === null && schema.omittable ? undefined : member;
        const one = schema.parse(given, `${at}.${name}`);
        if (!one.ok) return one;
        parsed[name] = one.value;
      }
      return { ok: true, value: parsed as InferShape<S> };
    },
  };
}

function objectJson(shape: Shape, description: string | undefined): JsonObject {
  const members = Object.entries(shape);
  const required = members.filter(([, schema]) => !schema.omittable).map(([name]) => name);
  return {
    type: "object",
    ...(description === undefined ? {} : { description }),
    ...(members.length === 0
      ? {}
      : { properties: Object.fromEntries(members.map(([name, { json }]) => [name, json])) }),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  };
}

export function optional<T>(schema: Schema<T>): Schema<T | undefined> {
  return {
    json: schema.json,
    omittable: true,
    parse: (value, at) => (value === undefined ? { ok: true, value: undefined } : schema.parse(value, at)),
  };
}

/** A value that is passed on as it is, under a schema written by hand. */
export function raw(json: JsonObject): Schema<JsonObject> {
  return {
    json,
    omittable: false,
    parse: (value, at) => (isObject(value) ? { ok: true, value } : expected("an object", value, at)),
  };
}

function leaf<T>(
  type: string,
  description: string,
  facets: JsonObject,
  options: Annotated<T>,
  check: (value: unknown, at: string) => Parsed<T>,
): Schema<T> {
  const fallback = options.default;
  return {
    json: leafJson(type, description, facets, options),
    omittable: fallback !== undefined,
    parse: (value, at) =>
      value === undefined && fallback !== undefined ? { ok: true, value: fallback } : check(value, at),
  };
}

function leafJson(type: string, description: string, facets: JsonObject, options: Annotated<unknown>): JsonObject {
  const json: JsonObject = { type };
  if (description !== "") json["description"] = description;
  for (const [name, facet] of Object.entries(facets)) if (facet !== undefined) json[name] = facet;
  if (options.default !== undefined) json["default"] = options.default as Json;
  if (options.header !== undefined) json["x-mcp-header"] = options.header;
  return json;
}

/** JSON Schema counts characters, not the halves JavaScript stores some in. From `enough` halves on it cannot matter. */
function charactersIn(value: string, enough: number): number {
  return value.length > enough ? value.length : Array.from(value).length;
}

function within(value: number, { min, max }: NumberOptions, at: string): Parsed<number> {
  const low = min !== undefined && value < min;
  const high = max !== undefined && value > max;
  if (!low && !high) return { ok: true, value };
  const range =
    min === undefined ? `at most ${max}` : max === undefined ? `at least ${min}` : `between ${min} and ${max}`;
  return problem(`${at} must be ${range}, got ${value}`);
}

function expected(what: string, value: unknown, at: string): Parsed<never> {
  return problem(value === undefined ? `${at} is required` : `${at} must be ${what}, got ${shown(value)}`);
}

function problem(text: string): Parsed<never> {
  return { ok: false, problem: text };
}

function shown(value: unknown): string {
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object") return "an object";
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}
