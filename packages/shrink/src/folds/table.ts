// Tables aligned with blanks, where every row has the same number of words (the last may be a sentence): one blank
// between words. The widths, which are white space and nothing else, travel in the layout. Rows that do not fit stay
// as they are, behind a bar.
import { linesOf } from "../lines.ts";
import type { Fold, Folded } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { ComparedText, GatheredText } from "./outlet.ts";
import type { Outlet } from "./outlet.ts";
import type { Gap, Row } from "./table-gaps.ts";
import { blanks, fitGap, isGap, MAX_WIDTH } from "./table-gaps.ts";

const MIN_ROWS = 3;
const MIN_COLUMNS = 2;
const MIN_SHARE = 0.7;
const MAX_COLUMNS = 60;
/** A long text whose beginning is no table is none. */
const SAMPLE = 150;
const [BLANK, BAR] = [0x20, 0x7c];

export const alignedTable: Fold = {
  name: "table",
  fold(text) {
    if (!text.includes("   ")) return undefined;
    const lines = linesOf(text);
    if (lines.length < MIN_ROWS || (lines.length > 2 * SAMPLE && !foldRows(lines.slice(0, SAMPLE)))) return undefined;
    const folded = foldRows(lines);
    if (folded === undefined) return undefined;
    const layout = JSON.stringify(folded.gaps);
    return { text: withMark(this.name, "", folded.body), layout };
  },
  unfold(folded) {
    const out = new GatheredText();
    printTable(folded, out);
    return out.toString();
  },
  unfoldsTo(folded, text) {
    const out = new ComparedText(text);
    printTable(folded, out);
    return out.isSame;
  },
};

function printTable({ text, layout }: Folded, out: Outlet): void {
  const gaps = readLayout(layout);
  const { body = "" } = readMark(text) ?? {};
  for (let start = 0, end = 0; start <= body.length; start = end + 1) {
    const found = body.indexOf("\n", start);
    end = found < 0 ? body.length : found;
    if (start > 0) out.text("\n");
    if (start === end) continue;
    if (body.charCodeAt(start) === BAR) out.part(body, start + 1, end);
    else printRow(body, start, end, gaps, out);
  }
}

// undefined: too few of these lines are rows of one table.
function foldRows(lines: readonly string[]): { body: string; gaps: Gap[] } | undefined {
  const rows = lines.map(readRow);
  const columns = usualColumns(rows);
  if (columns < MIN_COLUMNS) return undefined;
  const fitting = rows.map((row, i) => joinLast(row, columns, lines[i] ?? ""));
  const gaps = Array.from({ length: columns + 1 }, (_, i) => fitGap(fitting, i));
  let kept = 0;
  const out = lines.map((line, i) => {
    const row = fitting[i];
    if (row === undefined || row.words[0]?.startsWith("|") === true || !fits(row, gaps))
      return line === "" ? line : `|${line}`;
    kept++;
    return row.words.join(" ");
  });
  if (kept < MIN_ROWS || kept < lines.length * MIN_SHARE) return undefined;
  return { body: out.join("\n"), gaps };
}

// gaps[0] stands before the first word, the last one after the last word. By hand: this runs on every line of every
// text that holds three blanks in a row.
function readRow(line: string): Row {
  const words: string[] = [];
  const gaps: number[] = [];
  let end = 0;
  while (words.length <= MAX_COLUMNS * 4) {
    let start = end;
    while (line.charCodeAt(start) === BLANK) start++;
    if (start >= line.length) break;
    gaps.push(start - end);
    const next = line.indexOf(" ", start);
    end = next < 0 ? line.length : next;
    words.push(line.slice(start, end));
  }
  // No table has so many words in a row: what is left unread must not pass for blanks.
  if (words.length > MAX_COLUMNS * 4) return { words: [], gaps: [] };
  gaps.push(line.length - end);
  return { words, gaps };
}

// Among counts that most rows reach, the largest: the words beyond belong to the last column.
function usualColumns(rows: Row[]): number {
  const counts = rows.flatMap(({ words }) => (words.length > 0 ? [words.length] : [])).sort((a, b) => a - b);
  return Math.min(MAX_COLUMNS, counts[Math.floor(counts.length * (1 - MIN_SHARE) * 0.5)] ?? 0);
}

// Words beyond the last column are part of it. The row is not needed any more as it was.
function joinLast(row: Row, columns: number, line: string): Row | undefined {
  const { words, gaps } = row;
  if (words.length < columns) return undefined;
  if (words.length === columns) return row;
  let start = gaps[0] ?? 0;
  for (let i = 1; i < columns; i++) start += (words[i - 1]?.length ?? 0) + (gaps[i] ?? 0);
  const after = gaps.at(-1) ?? 0;
  words.length = columns;
  words[columns - 1] = line.slice(start, line.length - after);
  gaps.length = columns + 1;
  gaps[columns] = after;
  return row;
}

// Would the words of this row be printed with the blanks that they have?
function fits({ words, gaps: own }: Row, gaps: Gap[]): boolean {
  for (let i = 0; i < gaps.length; i++) {
    const count = blanks(gaps[i] as Gap, words[i - 1]?.length ?? 0, words[i]?.length ?? 0);
    if (Math.min(count, MAX_WIDTH) !== own[i]) return false;
  }
  return true;
}

// The words of a row that stands there, each after its blanks.
function printRow(body: string, start: number, end: number, gaps: readonly Gap[], out: Outlet): void {
  const last = gaps.length - 2;
  let at = start;
  let before = 0;
  for (let i = 0; i <= last; i++) {
    const found = i === last ? end : body.indexOf(" ", at);
    if (found < 0 || found > end) throw new UnfoldError(`a row with too few words: ${body.slice(start, end)}`);
    printBlanks(gaps[i] as Gap, before, found - at, out);
    out.part(body, at, found);
    before = found - at;
    at = found + 1;
  }
  printBlanks(gaps[last + 1] as Gap, before, 0, out);
}

function printBlanks(gap: Gap, before: number, after: number, out: Outlet): void {
  const count = Math.min(blanks(gap, before, after), MAX_WIDTH);
  if (count !== 0) out.text(runOfBlanks(count));
}

const runs: string[] = [];

// The same few widths again and again. What a damaged layout asks for is not kept.
function runOfBlanks(count: number): string {
  return Number.isInteger(count) ? (runs[count] ??= " ".repeat(count)) : " ".repeat(count);
}

function readLayout(layout: string | undefined): Gap[] {
  const parts: unknown = JSON.parse(layout ?? "null");
  if (!Array.isArray(parts) || parts.length < MIN_COLUMNS + 1)
    throw new UnfoldError("the widths of a table are missing");
  return parts.map((part: unknown) => {
    if (isGap(part)) return part;
    throw new UnfoldError("the widths of a table are damaged");
  });
}
