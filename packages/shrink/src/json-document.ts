// A text that is JSON, or JSON line by line: its values, and the white space that gives the same bytes again.
import { parseJson } from "./json-parse.ts";
import type { JsonNode, JsonStyle } from "./json-syntax.ts";
import { isBlank, printJson, skipBlanks, stringEnd } from "./json-syntax.ts";
import { UnfoldError } from "./forms/form.ts";

/** Printers use little white space. Much of it between every two signs would make a small text unfold to a huge one. */
const MAX_STYLE_CHARS = 32;
const MAX_MARGIN_CHARS = 1000;
/** Where a person put white space that no printer would: more places than this are not worth writing down. */
const MAX_ODD_SHARE = 0.3;

/** `odd`: places, in the order of the signs, with other white space than the style has. */
export type JsonLayout = { style: JsonStyle; lines: boolean; odd?: [place: number, blanks: string][] };
export type JsonDocument = JsonLayout & { nodes: JsonNode[] };

// Several forms ask about the same text one after the other.
let latest: { text: string; document: JsonDocument | undefined } = { text: "", document: undefined };

/** undefined: the text is no JSON, or does not print to the same bytes. */
export function parseDocument(text: string): JsonDocument | undefined {
  if (latest.text !== text) latest = { text, document: parseExactly(text) };
  return latest.document;
}

export function printDocument({ nodes, style, lines, odd }: JsonDocument): string {
  const printed = lines
    ? nodes.map((node) => printJson(node, { ...style, trail: "" })).join("\n") + style.trail
    : printJson(nodes[0] as JsonNode, style);
  return odd === undefined ? printed : withOddGaps(printed, odd);
}

export function writeLayout({ style, lines, odd }: JsonLayout): string {
  const { indent, pad, comma, colon, lead, trail } = style;
  const regular = [lines ? 1 : 0, indent ?? null, pad, comma, colon, lead, trail];
  return JSON.stringify(odd === undefined ? regular : [...regular, odd]);
}

export function readLayout(layout: string | undefined): JsonLayout {
  const parts: unknown = JSON.parse(layout ?? "null");
  if (!Array.isArray(parts) || parts.length < 7 || parts.length > 8) throw damaged();
  const [lines, indent, ...rest] = parts as unknown[];
  const blanks = rest.slice(0, 5);
  const odd = rest[5];
  if (!blanks.every((part) => typeof part === "string") || (odd !== undefined && !isOdd(odd))) throw damaged();
  const [pad = "", comma = ",", colon = ":", lead = "", trail = ""] = blanks as string[];
  const style: JsonStyle = { pad, comma, colon, lead, trail, ...(typeof indent === "string" ? { indent } : {}) };
  if (!isModest(style)) throw damaged();
  return { style, lines: lines === 1, ...(odd === undefined ? {} : { odd }) };
}

export function isCompact({ style, odd }: JsonLayout): boolean {
  const { indent, pad, comma, colon, lead, trail } = style;
  return odd === undefined && indent === undefined && `${lead}${pad}${comma}${colon}${trail}` === ",:";
}

function damaged(): UnfoldError {
  return new UnfoldError("the white space of JSON is missing or damaged");
}

function parseExactly(text: string): JsonDocument | undefined {
  const whole = parseJson(text);
  const document = whole === undefined ? parseLines(text) : { nodes: [whole.node], style: whole.style, lines: false };
  if (document === undefined || !isModest(document.style)) return undefined;
  if (whole?.isExact === true) return document;
  const printed = printDocument(document);
  if (printed === text) return document;
  const odd = oddGaps(gapsOf(printed), gapsOf(text));
  return odd && withOddGaps(printed, odd) === text ? { ...document, odd } : undefined;
}

function isModest({ indent = "", pad, comma, colon, lead, trail }: JsonStyle): boolean {
  return (indent + pad + comma + colon).length <= MAX_STYLE_CHARS && (lead + trail).length <= MAX_MARGIN_CHARS;
}

function parseLines(text: string): Omit<JsonDocument, "odd"> | undefined {
  const end = text.endsWith("\n") ? text.length - 1 : text.length;
  if (!text.slice(0, end).includes("\n")) return undefined;
  const nodes: JsonNode[] = [];
  let style: JsonStyle | undefined;
  for (const line of text.slice(0, end).split("\n")) {
    const parsed = parseJson(line);
    if (parsed === undefined) return undefined;
    if (style === undefined || (style.colon === ":" && parsed.style.colon !== ":")) style = parsed.style;
    nodes.push(parsed.node);
  }
  return style && { nodes, style: { ...style, lead: "", trail: text.slice(end) }, lines: true };
}

type Gap = { at: number; blanks: string };

// The white space before each sign, string and number, and behind the last.
function gapsOf(json: string): Gap[] {
  const gaps: Gap[] = [];
  for (let at = 0; ;) {
    const next = skipBlanks(json, at);
    gaps.push({ at, blanks: json.slice(at, next) });
    if (next >= json.length) return gaps;
    at = partEnd(json, next);
  }
}

function partEnd(json: string, start: number): number {
  const sign = json.charCodeAt(start);
  if (sign === 0x22) return stringEnd(json, start);
  if ("[]{},:".includes(json[start] ?? "")) return start + 1;
  let end = start + 1;
  while (end < json.length && !"[]{},:".includes(json[end] ?? "") && !isBlank(json.charCodeAt(end))) end++;
  return end;
}

function oddGaps(printed: readonly Gap[], wanted: readonly Gap[]): [number, string][] | undefined {
  if (printed.length !== wanted.length) return undefined;
  const odd: [number, string][] = [];
  for (const [i, { blanks }] of wanted.entries()) if (printed[i]?.blanks !== blanks) odd.push([i, blanks]);
  return odd.length > wanted.length * MAX_ODD_SHARE ? undefined : odd;
}

function withOddGaps(printed: string, odd: readonly [number, string][]): string {
  const gaps = gapsOf(printed);
  const out: string[] = [];
  let from = 0;
  for (const [place, blanks] of odd) {
    const gap = gaps[place];
    if (gap === undefined || gap.at < from) throw damaged();
    out.push(printed.slice(from, gap.at), blanks);
    from = gap.at + gap.blanks.length;
  }
  return out.join("") + printed.slice(from);
}

function isOdd(odd: unknown): odd is [number, string][] {
  if (!Array.isArray(odd)) return false;
  return odd.every(
    (pair) =>
      Array.isArray(pair) && typeof pair[0] === "number" && typeof pair[1] === "string" && /^[ \t\r\n]*$/.test(pair[1]),
  );
}
