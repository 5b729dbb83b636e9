// JSON as a model writes it: where it breaks, several values in a row, and integers too large for a number.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";

export type ParsedObject = { kind: "object"; value: JsonObject } | { kind: "broken"; line: number; column: number };

/** A JSON object, or where it stops being one. Integers beyond 2^53 keep their digits when they are written again. */
export function parseObject(text: string): ParsedObject {
  const value = parseExact(text);
  if (isObject(value)) return { kind: "object", value };
  const offset = value === undefined ? breakOffset(text) : 0;
  const before = text.slice(0, offset);
  const lineStart = before.lastIndexOf("\n") + 1;
  return { kind: "broken", line: before.split("\n").length, column: offset - lineStart + 1 };
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
    return hasHugeInteger(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
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
    const end = text.charAt(at) === "{" ? endOfObject(text, at) : -1;
    if (end < 0) return undefined;
    parts.push(text.slice(at, end));
    at = end;
  }
  return parts.every(isJsonObject) ? parts : undefined;
}

type RawJsonMaker = { rawJSON?: (text: string) => unknown };

// Bun hands a reviver the source text of a number, and can write such text back untouched.
function keepDigits(this: unknown, _key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source;
  const { rawJSON } = JSON as RawJsonMaker;
  if (typeof value !== "number" || source === undefined || rawJSON === undefined) return value;
  return /^-?\d+$/.test(source) && !Number.isSafeInteger(value) ? rawJSON(source) : value;
}

function hasHugeInteger(text: string): boolean {
  return /\d{16}/.test(text);
}

function endOfObject(text: string, start: number): number {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text.charAt(at);
    if (inString) {
      if (character === "\\") at += 1;
      else if (character === '"') inString = false;
    } else if (character === '"') inString = true;
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

const BLANKS = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// eslint-disable-next-line no-control-regex -- JSON forbids exactly these
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y;
const WORD = /true|false|null/y;

// JSON.parse does not say where it stopped: walk the grammar with a stack and find out.
function breakOffset(text: string): number {
  let at = 0;
  const skip = (sticky: RegExp): boolean => {
    sticky.lastIndex = at;
    const found = sticky.exec(text)?.[0] ?? "";
    at += found.length;
    return found !== "";
  };
  const open: ("{" | "[")[] = [];
  let expects: "value" | "key" | "next" = "value";
  for (;;) {
    skip(BLANKS);
    const character = text.charAt(at);
    if (character === "") return at;
    if (expects === "next") {
      const top = open.at(-1);
      if (top === undefined) return at;
      at += 1;
      if (character === ",") expects = top === "{" ? "key" : "value";
      else if (character === (top === "{" ? "}" : "]")) open.pop();
      else return at - 1;
    } else if (expects === "key" || (character === "}" && open.at(-1) === "{")) {
      if (character === "}") {
        at += 1;
        open.pop();
        expects = "next";
        continue;
      }
      if (!skip(STRING)) return at;
      skip(BLANKS);
      if (text.charAt(at) !== ":") return at;
      at += 1;
      expects = "value";
    } else if (character === "{" || character === "[") {
      at += 1;
      open.push(character);
      skip(BLANKS);
      if (text.charAt(at) === (character === "{" ? "}" : "]")) {
        at += 1;
        open.pop();
        expects = "next";
      } else expects = character === "{" ? "key" : "value";
    } else if (character === '"' ? skip(STRING) : skip(NUMBER) || skip(WORD)) expects = "next";
    else return at;
  }
}
