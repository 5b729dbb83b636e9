// Tables without their padding: one blank between columns, none at the ends of lines. A line with an empty column keeps all
// of it, because without padding nobody could say which column is empty.
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";

const MIN_LINES = 3;
/** So many of the lines must have padding. */
const MIN_SHARE = 0.5;
const MAX_WIDTH = 2000;
const PADDING = / {2,}/g;

/** `layout`: for each line how wide its gaps were; 0 for one that was kept. */
export function withoutPadding(text: string): { text: string; layout: string } | undefined {
  const lines = text.split("\n");
  if (lines.length < MIN_LINES) return undefined;
  const filled = lines.filter((line) => line.trim() !== "");
  // Between columns, or before numbers that end in one column.
  const padded = filled.filter((line) => /\S {2,}\S|^ +\d+ /.test(line));
  if (padded.length < Math.max(MIN_LINES, filled.length * MIN_SHARE)) return undefined;
  const isKept = linesWithEmptyColumns(lines);
  const out: string[] = [];
  const widths: number[][] = [];
  for (const [i, line] of lines.entries()) {
    const gaps = isKept[i] === true || line.length > MAX_WIDTH ? undefined : gapsOf(line);
    if (gaps === undefined) {
      out.push(line);
      widths.push([]);
      continue;
    }
    out.push(line.replace(/^ +| +$/g, "").replace(PADDING, " "));
    widths.push(gaps);
  }
  return { text: out.join("\n"), layout: JSON.stringify(packed(widths)) };
}

/** The exact inverse. */
export function withPadding(text: string, layout: string): string {
  const lines = text.split("\n");
  const widths = unpacked(JSON.parse(layout) as unknown, lines.length);
  let chars = 0;
  const out = lines.map((line, i) => {
    const gaps = widths[i] ?? [];
    if (gaps.length === 0) return line;
    const words = line === "" ? [] : line.split(" ");
    if (gaps.length !== words.length + 1) throw new UnfoldError("the padding does not fit");
    let whole = "";
    words.forEach((word, at) => {
      const [gap = 0] = gaps.slice(at, at + 1);
      chars += gap;
      if (!(gap >= 0) || chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the padding is too wide");
      whole += " ".repeat(gap) + word;
    });
    const last = gaps.at(-1) ?? 0;
    if (!(last >= 0 && last <= MAX_WIDTH)) throw new UnfoldError("the padding is too wide");
    return whole + " ".repeat(last);
  });
  return out.join("\n");
}

// Before each word, and behind the last. undefined: the line has no padding.
function gapsOf(line: string): number[] | undefined {
  if (line.trim() === "" || !/ {2}|^ | $/.test(line)) return undefined;
  const gaps: number[] = [];
  let from = 0;
  for (const { 0: word, index } of line.matchAll(/[^ ]+/g)) {
    gaps.push(index - from);
    from = index + word.length;
  }
  gaps.push(line.length - from);
  return gaps;
}

// Columns are the places where blanks stand in every line of a block; a line that is blank all through one of them, and goes
// on behind it, has an empty column.
function linesWithEmptyColumns(lines: readonly string[]): boolean[] {
  const isKept = lines.map(() => false);
  for (let from = 0; from < lines.length;) {
    if ((lines[from] ?? "").trim() === "") {
      from++;
      continue;
    }
    let to = from;
    while (to < lines.length && (lines[to] ?? "").trim() !== "") to++;
    markEmpty(lines, from, to, isKept);
    from = to;
  }
  return isKept;
}

function markEmpty(lines: readonly string[], from: number, to: number, isKept: boolean[]): void {
  const counts = new Int32Array(MAX_WIDTH + 1);
  for (let i = from; i < to; i++) {
    const line = lines[i] ?? "";
    for (let at = 0; at < Math.min(line.length, MAX_WIDTH); at++)
      if (line.charCodeAt(at) !== 0x20) counts[at] = (counts[at] ?? 0) + 1;
  }
  // Nearly all lines: one that overflows its columns does not make them one.
  const few = Math.floor((to - from) * 0.02);
  const columns: [start: number, end: number][] = [];
  for (let at = 0; at <= MAX_WIDTH; at++) {
    const isColumn = (counts[at] ?? 0) > few;
    const last = columns.at(-1);
    if (isColumn && last !== undefined && last[1] === at) last[1] = at + 1;
    else if (isColumn) columns.push([at, at + 1]);
  }
  for (let i = from; i < to; i++) {
    const line = lines[i] ?? "";
    const end = line.trimEnd().length;
    isKept[i] = columns.some(([start, stop]) => stop < end && line.slice(start, stop).trim() === "");
  }
}

// Lines with the same gaps as the line above are a count: tables of fixed columns are mostly that, word by word.
function packed(widths: readonly number[][]): (number | number[])[] {
  const out: (number | number[])[] = [];
  let latest = "";
  for (const gaps of widths) {
    const key = gaps.join();
    const last = out.at(-1);
    if (out.length > 0 && key === latest) {
      if (typeof last === "number") out[out.length - 1] = last + 1;
      else out.push(1);
    } else out.push([...gaps]);
    latest = key;
  }
  return out;
}

function unpacked(packs: unknown, count: number): number[][] {
  if (!Array.isArray(packs)) throw new UnfoldError("the padding is damaged");
  const widths: number[][] = [];
  for (const pack of packs as unknown[]) {
    if (Array.isArray(pack)) widths.push(pack as number[]);
    else for (let n = Number(pack); n > 0 && widths.length < count; n--) widths.push(widths.at(-1) ?? []);
  }
  if (widths.length !== count) throw new UnfoldError("the padding does not fit");
  return widths;
}
