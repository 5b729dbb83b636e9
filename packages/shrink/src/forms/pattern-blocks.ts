// Patterns that always come one after the other: one pattern of several lines. A value that is the same in two places of
// every block is given once.
import { slotsOf } from "./line-pattern-text.ts";
import type { Pattern, Patterned, Row } from "./line-pattern-text.ts";

const MIN_BLOCKS = 3;
const MAX_BLOCK_LINES = 14;
const MIN_OWN_LINES = 3;
const MAX_ROUNDS = 12;
const MAX_TRIED = 20;
/** More values in a row than a person can count. */
const MAX_SLOTS = 12;

type PatternRow = Extract<Row, { pattern: number }>;

export function joinRows({ rows, patterns }: Patterned): Patterned {
  let joined: Patterned = { rows: withRepeatedLines(rows, patterns), patterns };
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const next = joinOnce(joined);
    if (next === undefined) break;
    joined = next;
  }
  return joined;
}

// A line that comes again and again is a pattern without values, here.
function withRepeatedLines(rows: readonly Row[], patterns: Pattern[]): Row[] {
  const counts = new Map<string, number>();
  for (const row of rows) if ("line" in row) counts.set(row.line, (counts.get(row.line) ?? 0) + 1);
  const numbers = new Map<string, number>();
  return rows.map((row) => {
    if (!("line" in row) || (counts.get(row.line) ?? 0) < MIN_BLOCKS) return row;
    let number = numbers.get(row.line);
    if (number === undefined) numbers.set(row.line, (number = patterns.push({ text: row.line }) - 1));
    return { pattern: number, values: [] };
  });
}

// The run of patterns that saves most rows, of those that can be joined.
function joinOnce({ rows, patterns }: Patterned): Patterned | undefined {
  const ids = rows.map((row) => ("pattern" in row ? row.pattern : -1));
  const runs: { run: number[]; saved: number }[] = [];
  // Only what came often enough one row shorter can come often enough.
  let starts = ids.flatMap((id, at) => (id < 0 ? [] : [at]));
  for (let length = 2; length <= MAX_BLOCK_LINES && starts.length > 0; length++) {
    const places = new Map<string, { count: number; end: number; starts: number[] }>();
    for (const at of starts) {
      if (at + length > ids.length || (ids[at + length - 1] ?? -1) < 0) continue;
      const key = ids.slice(at, at + length).join();
      const known = places.get(key);
      if (known === undefined) places.set(key, { count: 1, end: at + length, starts: [at] });
      else {
        known.starts.push(at);
        if (at < known.end) continue;
        known.count++;
        known.end = at + length;
      }
    }
    starts = [];
    for (const { count, starts: own } of places.values()) {
      if (count < MIN_BLOCKS) continue;
      starts.push(...own);
      const [first = 0] = own;
      const run = ids.slice(first, first + length);
      if (isWhole(run, patterns)) runs.push({ run, saved: (count - 1) * (length - 1) });
    }
    starts.sort((left, right) => left - right);
  }
  runs.sort((left, right) => right.saved - left.saved);
  for (const { run } of runs.slice(0, MAX_TRIED)) {
    const joined = joinRun(rows, patterns, run);
    if (joined !== undefined) return joined;
  }
  return undefined;
}

// A pattern with values comes once in a block: a block that holds it twice is made of two.
function isWhole(run: readonly number[], patterns: readonly Pattern[]): boolean {
  const own = run.filter((id) => slotsOf(patterns[id]?.text ?? "").length > 0);
  return own.length > 0 && new Set(own).size === own.length;
}

function joinRun(rows: readonly Row[], patterns: readonly Pattern[], run: readonly number[]): Patterned | undefined {
  const blocks: { at: number; values: string[] }[] = [];
  for (let at = 0; at + run.length <= rows.length;) {
    const block = rows.slice(at, at + run.length);
    if (block.every((row, i): row is PatternRow => "pattern" in row && row.pattern === run[i])) {
      blocks.push({ at, values: block.flatMap((row) => (row as PatternRow).values) });
      at += run.length;
    } else at++;
  }
  const texts = run.map((number) => patterns[number]?.text ?? "");
  if (texts.slice(0, -1).some((text) => text.includes("{…}"))) return undefined;
  const columns = blocks[0]?.values.length ?? 0;
  const source = Array.from({ length: columns }, (_, column) => firstAlike(blocks, column));
  const kept = source.flatMap((from, column) => (from === column ? [column] : []));
  if (kept.length > MAX_SLOTS) return undefined;
  // Two lines that share nothing only happen to follow each other.
  if (run.length < MIN_OWN_LINES && kept.length === columns) return undefined;
  let offset = 0;
  const text = texts
    .map((one) => {
      const count = slotsOf(one).length;
      const first = offset;
      offset += count;
      return one.replace(/\{(\d{1,3}|…)\}/g, (_, name: string) => {
        const column = name === "…" ? first + count - 1 : first + Number(name) - 1;
        const from = source[column] ?? column;
        return name === "…" && from === column ? "{…}" : `{${kept.indexOf(from) + 1}}`;
      });
    })
    .join("⏎");
  const number = patterns.length;
  const out: Row[] = [];
  let from = 0;
  for (const { at, values } of blocks) {
    out.push(...rows.slice(from, at), { pattern: number, values: kept.map((column) => values[column] ?? "") });
    from = at + run.length;
  }
  out.push(...rows.slice(from));
  return { rows: out, patterns: [...patterns, { text }] };
}

function firstAlike(blocks: readonly { values: readonly string[] }[], column: number): number {
  for (let other = 0; other < column; other++)
    if (blocks.every(({ values }) => values[other] === values[column])) return other;
  return column;
}
