// A JSON value → one text, whatever the order its keys came in; and the SHA-256 over that text.
// Approvals and pins compare digests, so two values that mean the same must not differ here, and the reverse.
import { exactNumberText } from "./exact-numbers.ts";
import { BosunError } from "../errors/index.ts";
import { sha256 } from "../hash/index.ts";

const MAX_DEPTH = 200; // deeper than any honest call; recursion must not reach the stack's end
const MAX_CHARS = 64 * 1024 * 1024;

/** SHA-256 (hex) of the canonical form. */
export function digestOf(value: unknown): string {
  return sha256(canonicalJson(value));
}

/** JSON with sorted keys and no blanks. Throws on what JSON cannot carry: a digest must never stand for "something". */
export function canonicalJson(value: unknown): string {
  const text = write(value, 0);
  if (text.length > MAX_CHARS) throw new BosunError("LIMIT", "the value is too large to take a digest of");
  return text;
}

function write(value: unknown, depth: number): string {
  if (depth > MAX_DEPTH) throw new BosunError("LIMIT", `the value is nested deeper than ${MAX_DEPTH} levels`);
  switch (typeof value) {
    case "string":
      return quote(value);
    case "boolean":
      return value ? "true" : "false";
    case "number":
      if (!Number.isFinite(value)) throw new BosunError("LIMIT", `${value} cannot be written as JSON`);
      return JSON.stringify(value);
    case "bigint":
      return value.toString();
    case "object":
      if (value === null) return "null";
      return exactNumberText(value) ?? (Array.isArray(value) ? writeList(value, depth) : writeObject(value, depth));
    default:
      throw new BosunError("LIMIT", `a ${typeof value} cannot be written as JSON`);
  }
}

// Well-formed JSON.stringify escapes lone surrogates, so every string has a UTF-8 form and two never share one.
function quote(text: string): string {
  return JSON.stringify(text);
}

function writeList(list: readonly unknown[], depth: number): string {
  // A hole or undefined becomes null, as in JSON.stringify, because that is what would be sent.
  return `[${list.map((item) => (item === undefined ? "null" : write(item, depth + 1))).join(",")}]`;
}

function writeObject(object: object, depth: number): string {
  const parts: string[] = [];
  // Keys alone, not entries: this is done for every call. They are sorted by their UTF-16 units.
  for (const key of Object.keys(object).sort()) {
    const item: unknown = Reflect.get(object, key);
    if (item !== undefined) parts.push(`${quote(key)}:${write(item, depth + 1)}`);
  }
  return `{${parts.join(",")}}`;
}
