// The arguments of a call as a person sees them before deciding: made from the very object that will be sent, every key,
// in its order. What does not fit is counted, and nobody approves it before it was on the screen.
import { makeScreenSafe } from "@bosun/platform/safe-text";
import { isSecretName, masked } from "@bosun/platform/secrets";
import type { JsonObject } from "@bosun/mcp";
import { widthOf, wrap } from "./text-layout.ts";

const SHORT_CHARS = 200;
const SHORT_LINES = 8;
const WIDEST_KEY = 20;
const SHORT_ENTRIES = 60;
/** More than this nobody reads on a screen: it is not shown, and so it cannot be approved. */
const MAX_SHOWN_CHARS = 1_000_000;

export type ArgumentLines = {
  lines: string[];
  /** Something is not among the lines. */
  isCut: boolean;
};

type Mark = { open: string; close: string } | undefined;

export function argumentLines(args: JsonObject, width: number, whole: boolean, mark: Mark): ArgumentLines {
  const entries = Object.entries(args);
  if (entries.length === 0) return { lines: ["(no arguments)"], isCut: false };
  const shownEntries = whole ? entries : entries.slice(0, SHORT_ENTRIES);
  const keys = shownEntries.map(([key]) => safeLine(key, mark));
  const column = Math.min(WIDEST_KEY, Math.max(...keys.map(widthOf))) + 2;
  let isCut = shownEntries.length < entries.length;
  let left = MAX_SHOWN_CHARS;
  const lines = shownEntries.flatMap(([key, value], place) => {
    const shown = shownValue(key, value, whole ? left : undefined, mark);
    isCut ||= shown.isCut;
    left = Math.max(0, left - key.length - shown.lines.reduce((sum, line) => sum + line.length, 0));
    const label = keys[place] ?? "";
    const indent = " ".repeat(column);
    const rows = shown.lines.flatMap((line) => wrap(line, width - column));
    // A long key stands on a line of its own: nothing is ever cut at the right edge.
    if (widthOf(label) > WIDEST_KEY) return [...wrap(label, width), ...rows.map((row) => indent + row)];
    const lead = label + " ".repeat(Math.max(2, column - widthOf(label)));
    return rows.map((row, at) => (at === 0 ? lead : indent) + row);
  });
  const missing = entries.length - shownEntries.length;
  if (missing > 0) lines.push(`… ${missing.toLocaleString("en-US")} more arguments`);
  return { lines, isCut };
}

/** `room`: show it whole, as far as so many characters reach; undefined: show the beginning. */
function shownValue(key: string, value: unknown, room: number | undefined, mark: Mark): ArgumentLines {
  if (room === undefined && isSecretName(key) && typeof value === "string" && value !== "") {
    return { lines: [safeLine(masked(value), mark)], isCut: false };
  }
  if (typeof value === "string" && value.includes("\n")) return textLines(value, room, mark);
  const text = JSON.stringify(value, undefined, typeof value === "object" && value !== null ? 2 : undefined) ?? "null";
  if (typeof value === "object" && value !== null) {
    const compact = JSON.stringify(value);
    return compact.length <= 60 ? { lines: [safeLine(compact, mark)], isCut: false } : textLines(text, room, mark);
  }
  return textLines(text, room, mark);
}

function textLines(text: string, whole: number | undefined, mark: Mark): ArgumentLines {
  const all = text.slice(0, whole ?? MAX_SHOWN_CHARS).split(/\r?\n/);
  const first = whole === undefined ? all.slice(0, SHORT_LINES) : all;
  let room = whole ?? (all.length === 1 ? SHORT_CHARS : SHORT_CHARS * 4);
  let shownChars = 0;
  const lines: string[] = [];
  for (const line of first) {
    const piece = line.slice(0, Math.max(0, room));
    lines.push(safeLine(piece.toWellFormed(), mark));
    shownChars += piece.length + 1;
    room -= piece.length;
    if (piece.length < line.length) break;
  }
  const left = text.length - Math.min(text.length, shownChars);
  if (left > 0) lines.push(`… ${left.toLocaleString("en-US")} more characters`);
  return { lines, isCut: left > 0 };
}

function safeLine(text: string, mark: Mark): string {
  return makeScreenSafe(text, { oneLine: true, ...(mark === undefined ? {} : { mark }) }).text;
}
