// A pattern as it is written, with {1} {2} … for what differs, and what each line puts there.

import { UnfoldError } from "./form.ts";

/** A line by its pattern, or as it is. */
export type Row = { pattern: number; values: string[] } | { line: string };
/** `text`: as it is written, with {1}; lines parted by line breaks. */
export type Pattern = { text: string };

export type Patterned = { rows: Row[]; patterns: Pattern[] };

export type SlotPattern = {
  /** Literal, slot, literal, … */
  literals: string[];
  slots: number;
};

const SLOT = /\{(\d{1,3}|…)\}/;

/** Does this text hold something that looks like a slot? */
export function holdsSlot(text: string): boolean {
  return SLOT.test(text);
}

export function writePattern({ literals }: SlotPattern, isTailOpen = false): string {
  const last = literals.length - 1;
  return literals
    .map((literal, i) => (i === last ? literal : `${literal}{${isTailOpen && i === last - 1 ? "…" : i + 1}}`))
    .join("");
}

/**
 * Rows of words that share these gaps, with some columns open: one slot for neighbours without a blank between. A folder
 * that all values of a slot begin with goes to the literal before it.
 */
export function patternOf(
  rows: readonly { words: readonly string[]; gaps: readonly string[] }[],
  isOpen: readonly boolean[],
): { pattern: SlotPattern; values: string[][] } {
  const [first] = rows;
  const gaps = first?.gaps ?? [];
  const literals: string[] = [];
  const spans: [from: number, to: number][] = [];
  let literal = "";
  for (let i = 0; i < isOpen.length; i++) {
    literal += gaps[i] ?? "";
    if (isOpen[i] !== true) {
      literal += first?.words[i] ?? "";
      continue;
    }
    let last = i;
    while (isOpen[last + 1] === true && gaps[last + 1] !== "" && !/\s/.test(gaps[last + 1] ?? " ")) last++;
    spans.push([i, last]);
    literals.push(literal);
    literal = "";
    i = last;
  }
  literals.push(literal + (gaps[isOpen.length] ?? ""));
  const values = rows.map(({ words }) => spans.map(([from, to]) => joined(words, gaps, from, to)));
  spans.forEach((_, slot) => moveShared(literals, values, slot));
  return { pattern: { literals, slots: spans.length }, values };
}

function joined(words: readonly string[], gaps: readonly string[], from: number, to: number): string {
  let text = words[from] ?? "";
  for (let i = from + 1; i <= to; i++) text += (gaps[i] ?? "") + (words[i] ?? "");
  return text;
}

// Folders that all paths share, at their beginning and at their end. Anything else would cut values in two.
function moveShared(literals: string[], values: readonly string[][], slot: number): void {
  const own = values.map((row) => row[slot] ?? "");
  const [first = ""] = own;
  let start = first.lastIndexOf("/") + 1;
  while (start > 0 && !own.every((value) => value.length > start && value.startsWith(first.slice(0, start))))
    start = start < 2 ? 0 : first.lastIndexOf("/", start - 2) + 1;
  let end = first.indexOf("/", start);
  while (
    end >= 0 &&
    !own.every((value) => value.length - start > first.length - end && value.endsWith(first.slice(end)))
  )
    end = first.indexOf("/", end + 1);
  const tail = end < 0 ? 0 : first.length - end;
  if (start === 0 && tail === 0) return;
  literals[slot] += first.slice(0, start);
  literals[slot + 1] = first.slice(first.length - tail) + (literals[slot + 1] ?? "");
  for (const row of values) row[slot] = (row[slot] ?? "").slice(start, (row[slot] ?? "").length - tail);
}

/** In the order of their values in a row. */
export function slotsOf(pattern: string): readonly string[] {
  return partsOf(pattern).slots;
}

/** The line that a row stands for: its values between blanks; {…} is all that is left. */
export function fill(pattern: string, row: string): string {
  const { literals, places, slots } = partsOf(pattern);
  if (slots.length === 0) return pattern;
  const values: string[] = [];
  let at = 0;
  for (const slot of slots) {
    if (at > row.length) throw new UnfoldError("a value is missing");
    const blank = slot === "{…}" ? -1 : row.indexOf(" ", at);
    const end = blank < 0 ? row.length : blank;
    values.push(row.slice(at, end));
    at = end + 1;
  }
  if (at !== row.length + 1) throw new UnfoldError("more values than the pattern has");
  let line = literals[0] ?? "";
  for (let i = 0; i < places.length; i++) line += (values[places[i] ?? 0] ?? "") + (literals[i + 1] ?? "");
  return line;
}

/** `places`: which value stands behind each literal. */
type Parts = { literals: string[]; places: number[]; slots: string[] };

/** Row after row asks about the same pattern. */
const known = new Map<string, Parts>();
const MAX_KNOWN = 200;

function partsOf(pattern: string): Parts {
  const there = known.get(pattern);
  if (there !== undefined) return there;
  const pieces = pattern.split(/(\{(?:\d{1,3}|…)\})/);
  const literals = pieces.filter((_, i) => i % 2 === 0);
  const names = pieces.filter((_, i) => i % 2 === 1);
  const order = (slot: string): number => (slot === "{…}" ? Infinity : Number(slot.slice(1, -1)));
  const slots = [...new Set(names)].sort((a, b) => order(a) - order(b));
  const parts = { literals, places: names.map((name) => slots.indexOf(name)), slots };
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(pattern, parts);
  return parts;
}
