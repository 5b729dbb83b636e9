// What stands before the paths of a list: a size, a digest, a state, or several such columns. Columns that nearly always
// say the same stand in the mark; the others follow their path. White space is layout.
//
//   =100644,*,0        the mark: the first and the last column are always so, the star is what follows each name
//   a.ts=5bf7b31       one star, one value
//   run.sh=100755,d6359cd,0      an exception has all columns
import { UnfoldError } from "./fold.ts";
import { mostFrequent } from "./most-frequent.ts";
import type { Gap, Row } from "./table-gaps.ts";
import { blanks, fitGap, isGap } from "./table-gaps.ts";

/** White space before a column: always the same, or blanks that align. One more than there are columns. */
export type Spaces = readonly (string | Gap)[];

/** A line in words; the last of them may be a path. */
export type Columns = { words: string[]; spaces: string[] };

const MAX_COLUMNS = 12;
const MAX_WIDTH = 2000;
/** A column of a mark must say what most lines say. */
const MIN_SHARE = 0.6;
const ANY = "*";
/** More than this after every name is a table written sideways. */
const MAX_OWN_COLUMNS = 3;
const MAX_EXCEPTIONS = 0.2;
const FIT_FOR_MARK = /^[^\s,;=*\]|]+$/;
const UNFIT = /[,;=]/;

/** undefined: more words than a line of a list has, or only one. By hand: this runs on every line of many texts. */
export function splitColumns(line: string): Columns | undefined {
  const words: string[] = [];
  const spaces: string[] = [];
  let end = 0;
  for (;;) {
    let start = end;
    while (isSpace(line.charCodeAt(start))) start++;
    if (start >= line.length) break;
    if (words.length > MAX_COLUMNS) return undefined;
    spaces.push(line.slice(end, start));
    end = start + 1;
    while (end < line.length && !isSpace(line.charCodeAt(end))) end++;
    words.push(line.slice(start, end));
  }
  return words.length > 1 && end === line.length ? { words, spaces } : undefined;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09;
}

/** The rule that the white space of most lines follows. */
export function fitSpaces(lines: readonly Columns[], columns: number): Spaces {
  let rows: Row[] | undefined;
  return Array.from({ length: columns + 1 }, (_, i) => {
    const usual = mostFrequent(lines.map(({ spaces }) => spaces[i] ?? ""));
    if (usual.times === lines.length || /[^ ]/.test(usual.item)) return usual.item;
    rows ??= lines.map(({ words, spaces }) => ({ words, gaps: spaces.map((space) => space.length) }));
    return fitGap(rows, i);
  });
}

/** The line as it was, from its columns and its path. */
export function printColumns(words: readonly string[], spaces: Spaces): string {
  let line = "";
  for (let i = 0; i < spaces.length; i++) {
    const space = spaces[i] ?? "";
    const word = words[i] ?? "";
    if (typeof space === "string") line += space + word;
    else line += " ".repeat(Math.min(blanks(space, words[i - 1]?.length ?? 0, word.length), MAX_WIDTH)) + word;
  }
  return line;
}

/** Can these columns stand after a name and be read back? */
export function areFit(columns: readonly string[]): boolean {
  return !columns.some((column) => UNFIT.test(column));
}

/**
 * What each column nearly always says, or a star; empty where no column has a usual value. undefined: too much would
 * stand after the names for anyone to read, so this is rather a table.
 */
export function usualColumns(rows: readonly (readonly string[])[], columns: number): string[] | undefined {
  const usual = Array.from({ length: columns }, (_, i) => {
    const { item, times } = mostFrequent(rows.map((row) => row[i] ?? ""));
    const share = columns === 1 ? 1 / 3 : MIN_SHARE;
    return times > 2 && times >= rows.length * share && FIT_FOR_MARK.test(item) ? item : ANY;
  });
  const own = usual.filter((column) => column === ANY).length;
  if (own > MAX_OWN_COLUMNS) return undefined;
  if (own === columns) return [];
  const exceptions = rows.filter((row) => row.some((column, i) => usual[i] !== ANY && usual[i] !== column)).length;
  return columns > 1 && exceptions > rows.length * MAX_EXCEPTIONS ? undefined : usual;
}

/** What follows a name; undefined where the mark says it all. */
export function writeLabel(columns: readonly string[], usual: readonly string[]): string | undefined {
  if (usual.length === 0) return columns.join(",");
  const own: string[] = [];
  for (const [i, column] of columns.entries()) {
    if (usual[i] === ANY) own.push(column);
    else if (usual[i] !== column) return columns.join(",");
  }
  return own.length === 0 ? undefined : own.join(",");
}

export function readLabel(label: string | undefined, usual: readonly string[], columns: number): string[] {
  const parts = label === undefined ? [] : label.split(",");
  if (parts.length === columns) return parts;
  let next = 0;
  const all = usual.map((column) => (column === ANY ? (parts[next++] ?? "") : column));
  if (all.length !== columns || next !== parts.length) throw new UnfoldError(`a label without its columns: ${label}`);
  return all;
}

export function readSpaces(layout: string): Spaces {
  const parts: unknown = JSON.parse(layout);
  if (!Array.isArray(parts) || parts.length < 2 || parts.length > MAX_COLUMNS + 1)
    throw new UnfoldError("the layout of a list is damaged");
  return parts.map((part: unknown) => {
    if (typeof part === "string" || isGap(part)) return part;
    throw new UnfoldError("the layout of a list is damaged");
  });
}
