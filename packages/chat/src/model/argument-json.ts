// JSON as a model writes it: where it breaks, several values in a row, and integers too large for a number.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { JsonError, parseKeepingIntegers, readJsonTree, valueEnd } from "@bosun/platform/json";

export type ParsedObject = { kind: "object"; value: JsonObject } | { kind: "broken"; line: number; column: number };

/** A JSON object, or where it stops being one. Integers beyond 2^53 keep their digits when they are written again. */
export function parseObject(text: string): ParsedObject {
  const value = parseExact(text);
  if (isObject(value)) return { kind: "object", value };
  return { kind: "broken", ...(value === undefined ? breakAt(text) : { line: 1, column: 1 }) };
}

export function isJsonObject(text: string): boolean {
  if (!/^\s*\{/.test(text) || !/\}\s*$/.test(text)) return false;
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false; // not JSON: the question was whether it is
  }
}

/** The JSON value, or undefined when the text is not JSON. */
export function parseExact(text: string): unknown {
  try {
    return parseKeepingIntegers(text);
  } catch {
    return undefined; // not JSON: callers look for where it breaks
  }
}

/** Objects written one after the other, with nothing but blanks or commas between; undefined when it is anything else. */
export function splitObjects(text: string): string[] | undefined {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    if (/[\s,]/.test(text.charAt(at))) {
      at += 1;
      continue;
    }
    const end = text.charAt(at) === "{" ? valueEnd(text, at) : -1;
    if (end < 0) return undefined;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.every(isJsonObject) ? parts : undefined;
}

/** Where JSON.parse, which does not say so, stopped. */
function breakAt(text: string): { line: number; column: number } {
  try {
    readJsonTree(text);
  } catch (error) {
    if (error instanceof JsonError) return error.at;
    throw error;
  }
  return { line: 1, column: 1 };
}
