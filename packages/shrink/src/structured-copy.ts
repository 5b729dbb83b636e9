// Is `structuredContent` a mere copy of the text? Servers with an output schema send everything twice. Who drops the
// copy must also take `outputSchema` out of the tool's definition, or a validating client refuses the result.
import { isDeepStrictEqual } from "node:util";

import type { ToolResult } from "./tool-result.ts";
import { wholeText } from "./tool-result.ts";

/** Parsing more than this to compare would cost more than it saves. */
const MAX_CHARS = 500_000;

export function isCopyOfText(result: ToolResult): boolean {
  const { structuredContent: structured } = result;
  if (typeof structured !== "object" || structured === null || Array.isArray(structured)) return false;
  const text = wholeText(result);
  const values: unknown[] = Object.values(structured);
  if (values.length === 1 && values[0] === text) return true;
  if (text.length > MAX_CHARS || !/^\s*[[{"\d-tfn]/.test(text)) return false;
  const parsed = parsedOrNothing(text);
  if (parsed === undefined) return false;
  return isDeepStrictEqual(parsed, structured) || (values.length === 1 && isDeepStrictEqual(parsed, values[0]));
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
