// Tables aligned with blanks, where every row has the same number of words (the last may be a sentence): one blank
// between words. The widths, which are white space and nothing else, travel in the layout. Rows that do not fit stay
// as they are, behind a bar.
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";

/** Blanks between two words: at least `min`, and as many as reach `left` after the word before, or `right` before the next. */
type Gap = { min: number; left: number; right: number };
type Row = { words: string[]; gaps: number[] };

const MIN_ROWS = 3;
const MIN_COLUMNS = 2;
const MIN_SHARE = 0.7;
const MAX_COLUMNS = 60;
/** A long text whose beginning is no table is none. */
const SAMPLE = 150;
const MAX_WIDTH = 2000;

export const alignedTable: Fold = {
  name: "table",
  fold(text) {
    if (!text.includes("   ")) return undefined;
    const lines = linesOf(text);
    if (lines.length < MIN_ROWS || (lines.length > 2 * SAMPLE && !foldRows(lines.slice(0, SAMPLE)))) return undefined;
    const folded = foldRows(lines);
    if (folded === undefined) return undefined;
    const layout = JSON.stringify(folded.gaps.map(({ min, left, right }) => [min, left, right]));
    return { text: withMark(this.name, "", folded.body), layout };
  },
  unfold({ text, layout }) {
    const gaps = readLayout(layout);
    const { body = "" } = readMark(text) ?? {};
    const lines = body.split("\n").map((line) => {
      if (line === "") return line;
      if (line.startsWith("|")) return line.slice(1);
      return printRow(splitWords(line, gaps.length - 1), gaps);
    });
    return lines.join("\n");
  },
};

// undefined: too few of these lines are rows of one table.
function foldRows(lines: readonly string[]): { body: string; gaps: Gap[] } | undefined {
  const rows = lines.map(readRow);
  const columns = usualColumns(rows);
  if (columns < MIN_COLUMNS) return undefined;
  const fitting = rows.map((row) => joinLast(row, columns));
  const gaps = Array.from({ length: columns + 1 }, (_, i) => fitGap(fitting, i));
  let kept = 0;
  const out = lines.map((line, i) => {
    const row = fitting[i];
    if (row === undefined || row.words[0]?.startsWith("|") === true || printRow(row.words, gaps) !== line)
      return line === "" ? line : `|${line}`;
    kept++;
    return row.words.join(" ");
  });
  if (kept < MIN_ROWS || kept < lines.length * MIN_SHARE) return undefined;
  return { body: out.join("\n"), gaps };
}

// gaps[0] stands before the first word, the last one after the last word.
function readRow(line: string): Row {
  const words: string[] = [];
  const gaps: number[] = [];
  let end = 0;
  for (const match of line.matchAll(/[^ ]+/g)) {
    gaps.push(match.index - end);
    words.push(match[0]);
    end = match.index + match[0].length;
    if (words.length > MAX_COLUMNS * 4) break;
  }
  gaps.push(line.length - end);
  return { words, gaps };
}

// Among counts that most rows reach, the largest: the words beyond belong to the last column.
function usualColumns(rows: Row[]): number {
  const counts = rows.flatMap(({ words }) => (words.length > 0 ? [words.length] : [])).sort((a, b) => a - b);
  return Math.min(MAX_COLUMNS, counts[Math.floor(counts.length * (1 - MIN_SHARE) * 0.5)] ?? 0);
}

function joinLast({ words, gaps }: Row, columns: number): Row | undefined {
  if (words.length < columns) return undefined;
  if (words.length === columns) return { words, gaps };
  let last = words[columns - 1] ?? "";
  for (let i = columns; i < words.length; i++) last += " ".repeat(gaps[i] ?? 1) + (words[i] ?? "");
  return { words: [...words.slice(0, columns - 1), last], gaps: [...gaps.slice(0, columns), gaps.at(-1) ?? 0] };
}

// The first rule that most rows follow: always the same; filled up after the word before; before the next; both.
function fitGap(rows: (Row | undefined)[], i: number): Gap {
  const known = rows.flatMap((row) => {
    if (row === undefined) return [];
    return [{ gap: row.gaps[i] ?? 0, before: row.words[i - 1]?.length ?? 0, after: row.words[i]?.length ?? 0 }];
  });
  const min = Math.min(...known.slice(0, 5000).map(({ gap }) => gap));
  const left = most(known.map(({ gap, before }) => gap + before));
  const right = most(known.map(({ gap, after }) => gap + after));
  const both = most(known.map(({ gap, before, after }) => gap + before + after));
  const widestBefore = Math.max(0, ...known.slice(0, 5000).map(({ before }) => before));
  const widestAfter = Math.max(0, ...known.slice(0, 5000).map(({ after }) => after));
  const between = Math.max(0, both - widestBefore - widestAfter);
  const rules: Gap[] = [
    { min, left: 0, right: 0 },
    { min, left, right: 0 },
    { min, left: 0, right },
    { min: between, left: widestBefore + between, right: widestAfter },
  ];
  let best = rules[0] as Gap;
  let bestHits = -1;
  for (const rule of rules) {
    const hits = known.filter(({ gap, before, after }) => blanks(rule, before, after) === gap).length;
    if (hits > bestHits) [best, bestHits] = [rule, hits];
  }
  return best;
}

function blanks({ min, left, right }: Gap, before: number, after: number): number {
  if (left > 0 && right > 0) return Math.max(left - before, min) + Math.max(right - after, 0);
  return Math.max(left - before, right - after, min);
}

function most(numbers: number[]): number {
  const counts = new Map<number, number>();
  let best = 0;
  let times = 0;
  for (const number of numbers) {
    const count = (counts.get(number) ?? 0) + 1;
    counts.set(number, count);
    if (count > times) [best, times] = [number, count];
  }
  return best;
}

function printRow(words: string[], gaps: Gap[]): string {
  let line = "";
  for (let i = 0; i < gaps.length; i++) {
    const gap = gaps[i] as Gap;
    const count = blanks(gap, words[i - 1]?.length ?? 0, words[i]?.length ?? 0);
    line += " ".repeat(Math.min(count, MAX_WIDTH)) + (words[i] ?? "");
  }
  return line;
}

function splitWords(line: string, columns: number): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < columns - 1) {
    const end = line.indexOf(" ", at);
    if (end < 0) throw new UnfoldError(`a row with too few words: ${line}`);
    words.push(line.slice(at, end));
    at = end + 1;
  }
  words.push(line.slice(at));
  return words;
}

function readLayout(layout: string | undefined): Gap[] {
  const parts: unknown = JSON.parse(layout ?? "null");
  if (!Array.isArray(parts) || parts.length < MIN_COLUMNS + 1)
    throw new UnfoldError("the widths of a table are missing");
  return parts.map((part: unknown) => {
    const [min, left, right] = Array.isArray(part) ? (part as unknown[]) : [];
    if (typeof min !== "number" || typeof left !== "number" || typeof right !== "number")
      throw new UnfoldError("the widths of a table are damaged");
    return { min, left, right };
  });
}
