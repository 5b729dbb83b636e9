// Tool definitions that nobody should have to read: hidden characters are shown, what is endless is cut, and names that
// cannot be told apart are not offered.
import { isExactNumber } from "@bosun/mcp/relay";
import type { ToolDefinition } from "@bosun/shrink";
import { rebuilt } from "./rebuilt.ts";

const MAX_TOOLS = 5000;
const MAX_DEFINITION_CHARS = 256 * 1024;
/** Ten times the longest list known. All servers' definitions share one file of pins, and one must not fill it. */
const MAX_LIST_CHARS = 1024 * 1024;
/** Far above the longest that servers in use have. */
const MAX_DESCRIPTION_CHARS = 20_000;
const MAX_NAME_CHARS = 200;
const MAX_DEPTH = 64;
/** Controls, and characters that are not seen or change the order of what is: enough to know that a look is needed. */
const DOUBTFUL = /[^\n\t\x20-\x7e]/;
// oxlint-disable-next-line no-control-regex -- these are what is looked for
const UNFIT_NAME = /[\x00-\x20\x7f-\xa0]|\p{C}|\p{Z}/u;

/** The tools that can be offered at all, and why the others cannot. */
export function boundedTools(listed: readonly ToolDefinition[]): {
  tools: ToolDefinition[];
  held: Map<string, string>;
} {
  const held = new Map<string, string>();
  const names = new Map<string, number>();
  for (const { name } of listed) names.set(name, (names.get(name) ?? 0) + 1);
  let chars = 0;
  const tools = listed.filter((tool, at) => {
    const { name } = tool;
    const length = JSON.stringify(tool).length;
    const problem =
      (at >= MAX_TOOLS && `its server lists more than ${MAX_TOOLS} tools`) ||
      ((names.get(name) ?? 0) > 1 && "its server lists it twice") ||
      (name.length > MAX_NAME_CHARS && "its name is too long") ||
      (UNFIT_NAME.test(name) && "its name holds characters that are not seen") ||
      (length > MAX_DEFINITION_CHARS && "its definition is too large") ||
      (chars + length > MAX_LIST_CHARS && "all definitions of its server together are too large");
    if (problem) held.set(name, `${JSON.stringify(name.slice(0, MAX_NAME_CHARS))} is held back: ${problem}`);
    else chars += length;
    return !problem;
  });
  return { tools, held };
}

/** Descriptions and titles in which nothing hides. The very same object when nothing did. */
export async function withNothingHidden<Tool extends object>(tools: readonly Tool[]): Promise<readonly Tool[]> {
  if (!tools.some((tool) => hasDoubtful(tool, 0))) return tools;
  const { screenSafe } = await import("@bosun/guard");
  const safe = (text: string): string => screenSafe(text, { maxChars: MAX_DESCRIPTION_CHARS });
  return tools.map((tool) => (hasDoubtful(tool, 0) ? (shown(tool, safe, 0) as Tool) : tool));
}

/** What a server wants the model to know, in a greeting, with nothing hidden in it. The same text when nothing was. */
export async function greetingWithNothingHidden(greeting: string): Promise<string> {
  const { instructions } = JSON.parse(greeting) as { instructions?: unknown };
  const isHarmless = instructions === undefined || typeof instructions !== "string" || !isDoubtful(instructions);
  if (isHarmless) return greeting;
  const { screenSafe } = await import("@bosun/guard");
  return rebuilt(greeting, [], { instructions: screenSafe(instructions, { maxChars: MAX_DESCRIPTION_CHARS }) }).text;
}

function isDoubtful(text: string): boolean {
  return text.length > MAX_DESCRIPTION_CHARS || DOUBTFUL.test(text);
}

function hasDoubtful(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return false;
  return Object.entries(value).some(([key, own]) =>
    isProse(key, own) ? isDoubtful(own) : hasDoubtful(own, depth + 1),
  );
}

function shown(value: unknown, safe: (text: string) => string, depth: number): unknown {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH || isExactNumber(value)) return value;
  if (Array.isArray(value)) return value.map((item: unknown) => shown(item, safe, depth + 1));
  const entries = Object.entries(value).map(([key, own]: [string, unknown]): [string, unknown] => [
    key,
    isProse(key, own) ? safe(own) : shown(own, safe, depth + 1),
  ]);
  return Object.fromEntries(entries);
}

/** What a call or a client must be able to use stays as it is; everything else that is a text, a model only reads. */
const USED = new Set(
  (
    "name type format pattern const default contentEncoding contentMediaType uri url src mimeType " +
    "$ref $id $schema $anchor $dynamicRef $dynamicAnchor"
  ).split(" "),
);

function isProse(key: string, value: unknown): value is string {
  return typeof value === "string" && !USED.has(key) && !/^\d+$/.test(key);
}
