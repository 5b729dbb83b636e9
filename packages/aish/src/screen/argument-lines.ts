// The arguments of a call as a person sees them before deciding: made from the very object that will be sent, every key,
// in its order. What does not fit is counted, and nobody approves it before it was on the screen.
import { isSecretName, makeScreenSafe, masked } from "@bosun/guard";
import type { JsonObject } from "@bosun/mcp";
import { widthOf, wrap } from "./layout.ts";

const SHORT_CHARS = 200;
const SHORT_LINES = 8;
const WIDEST_KEY = 20;
const MAX_SHOWN_CHARS = 200_000;

export type ArgumentLines = {
  lines: string[];
  /** Something is not among the lines. */
  isCut: boolean;
};

type Mark = { open: string; close: string } | undefined;

export function argumentLines(args: JsonObject, width: number, whole: boolean, mark: Mark): ArgumentLines {
  const entries = Object.entries(args);
  if (entries.length === 0) return { lines: ["(no arguments)"], isCut: false };
  const keys = entries.map(([key]) => safeLine(key, mark));
  const column = Math.min(WIDEST_KEY, Math.max(...keys.map(widthOf))) + 2;
  let isCut = false;
  const lines = entries.flatMap(([key, value], place) => {
    const shown = shownValue(key, value, whole, mark);
    isCut ||= shown.isCut;
    const label = keys[place] ?? "";
    const indent = " ".repeat(column);
    const rows = shown.lines.flatMap((line) => wrap(line, width - column));
    // A long key stands on a line of its own: nothing is ever cut at the right edge.
    if (widthOf(label) > WIDEST_KEY) return [...wrap(label, width), ...rows.map((row) => indent + row)];
    const lead = label + " ".repeat(Math.max(2, column - widthOf(label)));
    return rows.map((row, at) => (at === 0 ? lead : indent) + row);
  });
  return { lines, isCut };
}

function shownValue(key: string, value: unknown, whole: boolean, mark: Mark): ArgumentLines {
  if (!whole && isSecretName(key) && typeof value === "string" && value !== "") {
    return { lines: [safeLine(masked(value), mark)], isCut: false };
  }
  if (typeof value === "string" && value.includes("\n")) return textLines(value, whole, mark);
  const text = JSON.stringify(value, undefined, typeof value === "object" && value !== null ? 2 : undefined) ?? "null";
  if (typeof value === "object" && value !== null) {
    const compact = JSON.stringify(value);
    return compact.length <= 60 ? { lines: [safeLine(compact, mark)], isCut: false } : textLines(text, whole, mark);
  }
  return textLines(text, whole, mark);
}

function textLines(text: string, whole: boolean, mark: Mark): ArgumentLines {
  const bounded = text.slice(0, MAX_SHOWN_CHARS);
  const all = bounded.split(/\r?\n/);
  const first = whole ? all : all.slice(0, SHORT_LINES);
  let room = whole ? MAX_SHOWN_CHARS : all.length === 1 ? SHORT_CHARS : SHORT_CHARS * 4;
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
