// Is `structuredContent` a mere copy of the text? Servers with an output schema send everything twice. Who drops the
// copy must also take `outputSchema` out of the tool's definition, or a validating client refuses the result.
import { isDeepStrictEqual } from "node:util";

import type { ToolResult } from "./tool-result.ts";
import { wholeText } from "./tool-result.ts";

/** Parsing more than this to compare would cost more than it saves. */
const MAX_CHARS = 500_000;

/** `structuredJson`: gives `structuredContent` as it was sent, where that is known; mostly nobody has to ask. */
export function isCopyOfText(result: ToolResult, structuredJson?: () => string | undefined): boolean {
  const { structuredContent: structured } = result;
  if (typeof structured !== "object" || structured === null || Array.isArray(structured)) return false;
  const text = wholeText(result);
  const values: unknown[] = Object.values(structured);
  if (values.length === 1 && values[0] === text) return true;
  if (text.length > MAX_CHARS || !/^\s*[[{"\d-tfn]/.test(text)) return false;
  const parsed = parsedOrNothing(text);
  if (parsed === undefined) return false;
  const isCopy = isDeepStrictEqual(parsed, structured) || (values.length === 1 && isDeepStrictEqual(parsed, values[0]));
  const sent = isCopy ? structuredJson?.() : undefined;
  return sent === undefined ? isCopy : roundedNumbers(text) === roundedNumbers(sent);
}

/** A number of so many digits, or with an exponent, may not be what decoding makes of it. */
const ROUNDED = /\d{16}|\.\d{15}|\d[eE]/;
const STRING_OR_NUMBER = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/g;

/** Numbers that decoding may have made equal to others, as they are spelt. */
function roundedNumbers(json: string): string {
  if (!ROUNDED.test(json)) return "";
  return (json.match(STRING_OR_NUMBER) ?? []).filter((part) => part[0] !== '"' && ROUNDED.test(part)).join();
}

/** A tool definition without the promise of structured content. */
export function withoutOutputSchema<Tool extends { outputSchema?: unknown }>(tool: Tool): Omit<Tool, "outputSchema"> {
  const { outputSchema: _promise, ...rest } = tool;
  return rest;
}

function parsedOrNothing(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
