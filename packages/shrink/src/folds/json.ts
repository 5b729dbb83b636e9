// JSON, and JSON line by line: two folds. One drops the white space of the printer and leaves plain JSON; the other
// also drops quotes and repeated keys (json-writer.ts shows the notation). The gate takes the smaller.
import type { JsonNode, JsonStyle } from "../json-syntax.ts";
import { COMPACT, printJson } from "../json-syntax.ts";
import { parseJson } from "../json-parse.ts";
import type { Fold, Folded } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import type { Deviations } from "./json-deviations.ts";
import { deviationsOf, isDeviations, isRegular, withDeviations } from "./json-deviations.ts";
import { ComparedText, GatheredText } from "./outlet.ts";
import type { Outlet } from "./outlet.ts";
import { readNotation } from "./json-reader.ts";
import { writeNotation } from "./json-writer.ts";
import { readMark, withMark } from "./mark.ts";

const MAX_STYLE_CHARS = 32;
const MAX_MARGIN_CHARS = 1000;

/** How JSON was printed: in a style, but for some places; one value, or one per line. */
type Layout = { style: JsonStyle; lines: boolean; deviations?: Deviations };
type Document = Layout & { nodes: JsonNode[] };

export const compactJson: Fold = {
  name: "json-space",
  fold(text) {
    const document = parseDocument(text);
    if (document === undefined || (isCompact(document.style) && document.deviations === undefined)) return undefined;
    const folded = document.nodes.map((node) => printJson(node, COMPACT)).join("\n");
    return folded.length < text.length ? { text: folded, layout: writeLayout(document) } : undefined;
  },
  unfold({ text, layout }) {
    const printed = readLayout(layout);
    const nodes = (printed.lines ? text.split("\n") : [text]).map((line) => {
      const parsed = parseJson(line);
      if (parsed === undefined) throw new UnfoldError("not JSON");
      return parsed.node;
    });
    return printDocument({ ...printed, nodes });
  },
};

export const jsonNotation: Fold = {
  name: "json",
  fold(text) {
    const document = parseDocument(text);
    if (document === undefined) return undefined;
    const node: JsonNode = document.lines ? { kind: "array", items: document.nodes } : (document.nodes[0] as JsonNode);
    return { text: withMark(this.name, "", writeNotation(node)), layout: writeLayout(document) };
  },
  unfold(folded) {
    const out = new GatheredText();
    printFolded(folded, out);
    return out.toString();
  },
  unfoldsTo(folded, text) {
    const out = new ComparedText(text);
    printFolded(folded, out);
    return out.isSame;
  },
};

function printFolded({ text, layout }: Folded, out: Outlet): void {
  const { style, lines, deviations } = readLayout(layout);
  const body = readMark(text)?.body ?? "";
  if (deviations === undefined) {
    readNotation(body, style, lines, out);
    return;
  }
  const regular = new GatheredText();
  readNotation(body, style, lines, regular);
  out.text(withDeviations(regular.toString(), deviations));
}

// Three folds ask about the same text one after the other.
let latest: { text: string; document: Document | undefined } = { text: "", document: undefined };

/** Parses what prints back to the same bytes; JSON whose white space follows no style is not ours to touch. */
export function parseDocument(text: string): Document | undefined {
  if (latest.text !== text) latest = { text, document: parseExactly(text) };
  return latest.document;
}

function parseExactly(text: string): Document | undefined {
  const whole = parseJson(text);
  const document = whole === undefined ? parseLines(text) : { nodes: [whole.node], style: whole.style, lines: false };
  if (document === undefined || !isModest(document.style)) return undefined;
  if (whole?.isExact === true) return document;
  const deviations = deviationsOf(printDocument(document), text);
  if (deviations === undefined) return undefined;
  return isRegular(deviations) ? document : { ...document, deviations };
}

// What has no blanks cannot lose any.
function isCompact({ indent, pad, comma, colon, lead, trail }: JsonStyle): boolean {
  return indent === undefined && pad === "" && comma === "," && colon === ":" && lead === "" && trail === "";
}

// Printers use little white space. Much of it between every two signs would make a small text unfold to a huge one.
function isModest({ indent = "", pad, comma, colon, lead, trail }: JsonStyle): boolean {
  return (indent + pad + comma + colon).length <= MAX_STYLE_CHARS && (lead + trail).length <= MAX_MARGIN_CHARS;
}

function parseLines(text: string): Document | undefined {
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
  if (style === undefined) return undefined;
  return { nodes, style: { ...style, lead: "", trail: text.slice(end) }, lines: true };
}

function printDocument({ nodes, style, lines, deviations }: Document): string {
  const printed = lines
    ? nodes.map((node) => printJson(node, { ...style, trail: "" })).join("\n") + style.trail
    : printJson(nodes[0] as JsonNode, style);
  return deviations === undefined ? printed : withDeviations(printed, deviations);
}

export function writeLayout({ style, lines, deviations }: Layout): string {
  const { indent, pad, comma, colon, lead, trail } = style;
  const regular = [lines ? 1 : 0, indent ?? null, pad, comma, colon, lead, trail];
  return JSON.stringify(deviations === undefined ? regular : [...regular, deviations]);
}

/** Prints one value in the white space that a layout describes. */
export function printLayout(node: JsonNode, layout: Folded["layout"]): string {
  return printDocument({ ...readLayout(layout), nodes: [node], lines: false });
}

function readLayout(layout: Folded["layout"]): Layout {
  const parts: unknown = JSON.parse(layout ?? "null");
  if (!Array.isArray(parts) || parts.length < 7 || parts.length > 8)
    throw new UnfoldError("the layout of JSON is missing");
  const [lines, indent, ...rest] = parts as unknown[];
  const [blanks, deviations] = [rest.slice(0, 5), rest[5]];
  if (deviations !== undefined && !isDeviations(deviations)) throw new UnfoldError("the layout of JSON is damaged");
  const [pad, comma, colon, lead, trail] = blanks.map((part) => {
    if (typeof part !== "string") throw new UnfoldError("the layout of JSON is damaged");
    return part;
  });
  const style: JsonStyle = {
    pad: pad ?? "",
    comma: comma ?? ",",
    colon: colon ?? ":",
    lead: lead ?? "",
    trail: trail ?? "",
  };
  const whole = typeof indent === "string" ? { ...style, indent } : style;
  if (!isModest(whole)) throw new UnfoldError("the layout of JSON is damaged");
  return { style: whole, lines: lines === 1, ...(deviations === undefined ? {} : { deviations }) };
}
