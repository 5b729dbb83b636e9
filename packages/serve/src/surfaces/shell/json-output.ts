// Output that is one JSON document, as a value: a program need not take it out of a text.
import type { Json } from "@bosun/mcp/server";

/** Undefined for anything else, and where a number would not survive being read. */
export function jsonDocument(text: string): Json | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text, exact) as Json;
  } catch {
    return undefined; // it only began like one, or holds a number that is not exact
  }
}

function exact(_: string, value: unknown, { source }: { source?: string } = {}): unknown {
  if (typeof value === "number" && source !== undefined && significant(source) !== significant(String(value)))
    throw new RangeError(source);
  return value;
}

/** The digits of a number without its sign, point, exponent and the noughts around them. */
function significant(number: string): string {
  return (number.split(/[eE]/)[0] ?? "").replace(/[-+.]/g, "").replace(/^0+|0+$/g, "");
}
