// `x-mcp-header` (2026-07-28): arguments that are mirrored in HTTP headers, so that gateways can route without
// reading bodies. A server checks that both say the same; a client drops tools that use it wrongly.
import { decodeHeaderText, encodeHeaderText } from "./mcp-headers.ts";
import { isObject } from "./json-value.ts";
import type { Json, JsonObject } from "./json-value.ts";
import { HEADER_MISMATCH, RpcError } from "./rpc-error.ts";

const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = ["string", "integer", "boolean"];
const MAX_DEPTH = 32;

export type HeaderParam = { path: readonly string[]; header: string; type: string };

/** The mirrored arguments of a schema. Throws, saying why, when the schema breaks a rule. */
export function headerParams(schema: JsonObject): HeaderParam[] {
  // Almost none has any; looking for them by hand would be a good part of a server's start.
  if (!JSON.stringify(schema).includes('"x-mcp-header"')) return [];
  const found: HeaderParam[] = [];
  collect(schema, [], found);
  const count = countMarks(schema, 0);
  if (count > found.length) throw new Error("x-mcp-header stands where only `properties` may lead");
  const names = new Set(found.map(({ header }) => header.toLowerCase()));
  if (names.size < found.length) throw new Error("two properties have the same x-mcp-header");
  return found;
}

/** The headers a client sends along with these arguments. */
export function mirroredHeaders(params: readonly HeaderParam[], args: Json | undefined): [string, string][] {
  return params.flatMap(({ path, header }): [string, string][] => {
    const value = valueAt(args, path);
    if (value === undefined || value === null) return [];
    return [[`Mcp-Param-${header}`, encodeHeaderText(String(value))]];
  });
}

export function checkHeaderParams(
  params: readonly HeaderParam[],
  args: Json | undefined,
  header: (name: string) => string | null,
): void {
  for (const param of params) {
    const name = `Mcp-Param-${param.header}`;
    const given = header(name);
    const value = valueAt(args, param.path);
    const present = value !== undefined && value !== null;
    if (!present && given === null) continue;
    if (!present) throw mismatch(`${name} is given, but ${param.path.join(".")} is not`);
    if (given === null) throw mismatch(`${name} is required because ${param.path.join(".")} is given`);
    const decoded = decodeHeaderText(given);
    if (decoded === undefined || !same(decoded, value, param.type)) {
      throw mismatch(`${name} does not match ${param.path.join(".")}`);
    }
  }
}

export function mismatch(message: string): RpcError {
  return new RpcError(HEADER_MISMATCH, message);
}

function same(text: string, value: Json, type: string): boolean {
  if (type === "integer") return /^-?\d+(\.0+)?$/.test(text) && Number(text) === value;
  return text === String(value);
}

function collect(schema: JsonObject, path: readonly string[], found: HeaderParam[]): void {
  const properties = schema["properties"];
  if (!isObject(properties) || path.length >= MAX_DEPTH) return;
  for (const [name, property] of Object.entries(properties)) {
    if (!isObject(property)) continue;
    const here = [...path, name];
    const mark = property["x-mcp-header"];
    if (mark !== undefined) found.push(checkedMark(mark, property, here));
    collect(property, here, found);
  }
}

function checkedMark(mark: Json, property: JsonObject, path: readonly string[]): HeaderParam {
  const where = path.join(".");
  if (typeof mark !== "string" || !TOKEN.test(mark)) throw new Error(`${where}: x-mcp-header is not a header name`);
  const type = property["type"];
  if (typeof type !== "string" || !TYPES.includes(type)) {
    throw new Error(`${where}: x-mcp-header needs type string, integer or boolean`);
  }
  return { path, header: mark, type };
}

function countMarks(value: Json | undefined, depth: number): number {
  if (depth > MAX_DEPTH || typeof value !== "object" || value === null) return 0;
  if (Array.isArray(value)) return value.reduce((sum: number, item) => sum + countMarks(item, depth + 1), 0);
  let count = 0;
  for (const [name, member] of Object.entries(value)) {
    // Inside `properties` a member of that name is an argument, not a mark.
    count += name === "x-mcp-header" && !isObject(member) ? 1 : countMarks(member, depth + 1);
  }
  return count;
}

function valueAt(args: Json | undefined, path: readonly string[]): Json | undefined {
  let at: Json | undefined = args;
  for (const name of path) at = isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined;
  return at;
}
