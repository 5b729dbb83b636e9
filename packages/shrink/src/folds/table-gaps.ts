// Blanks between the columns of a table: which rule they follow, and how many they are by that rule.

/** At least `min`, and as many as reach `left` after the word before, or `right` before the next. */
export type Gap = readonly [min: number, left: number, right: number];

/** gaps[0] stands before the first word; there may be one after the last. */
export type Row = { words: string[]; gaps: number[] };

/** Nothing is ever padded beyond this. */
export const MAX_WIDTH = 2000;

// The first rule that most rows follow: always the same; filled up after the word before; before the next; both.
export function fitGap(rows: readonly (Row | undefined)[], i: number): Gap {
  const known = measureGaps(rows, i);
  const { min, widestBefore, widestAfter } = known;
  const always: Gap = [min, 0, 0];
  let best = always;
  let bestHits = countHits(known, always);
  // Most gaps are one blank wide, always.
  if (bestHits === known.count) return best;
  const { gaps, befores, afters, count } = known;
  const between = Math.max(
    0,
    most(count, (row) => (gaps[row] ?? 0) + (befores[row] ?? 0) + (afters[row] ?? 0)) - widestBefore - widestAfter,
  );
  const rules: Gap[] = [
    [min, most(count, (row) => (gaps[row] ?? 0) + (befores[row] ?? 0)), 0],
    [min, 0, most(count, (row) => (gaps[row] ?? 0) + (afters[row] ?? 0))],
    [between, widestBefore + between, widestAfter],
  ];
  for (const rule of rules) {
    const hits = countHits(known, rule);
    if (hits > bestHits) [best, bestHits] = [rule, hits];
  }
  return best;
}

/** Of each row the blanks in one place, and how wide the words on both sides are. */
type Measured = {
  count: number;
  gaps: Int32Array;
  befores: Int32Array;
  afters: Int32Array;
  min: number;
  widestBefore: number;
  widestAfter: number;
};

function measureGaps(rows: readonly (Row | undefined)[], i: number): Measured {
  const [gaps, befores, afters] = [0, 1, 2].map(() => new Int32Array(rows.length)) as [
    Int32Array,
    Int32Array,
    Int32Array,
  ];
  let count = 0;
  let min = Infinity;
  let widestBefore = 0;
  let widestAfter = 0;
  for (const row of rows) {
    if (row === undefined) continue;
    const gap = row.gaps[i] ?? 0;
    const before = row.words[i - 1]?.length ?? 0;
    const after = row.words[i]?.length ?? 0;
    if (gap < min) min = gap;
    if (before > widestBefore) widestBefore = before;
    if (after > widestAfter) widestAfter = after;
    gaps[count] = gap;
    befores[count] = before;
    afters[count] = after;
    count++;
  }
  return { count, gaps, befores, afters, min: count === 0 ? 0 : min, widestBefore, widestAfter };
}

function countHits({ count, gaps, befores, afters }: Measured, rule: Gap): number {
  let hits = 0;
  for (let row = 0; row < count; row++) if (blanks(rule, befores[row] ?? 0, afters[row] ?? 0) === gaps[row]) hits++;
  return hits;
}

export function blanks(gap: Gap, before: number, after: number): number {
  // Not taken apart by a pattern: that asks an iterator, for every gap of every row.
  const min = gap[0];
  const left = gap[1];
  const right = gap[2];
  if (left > 0 && right > 0) return Math.max(left - before, min) + Math.max(right - after, 0);
  return Math.max(left - before, right - after, min);
}

/** The width that most rows have. */
function most(rows: number, widthOf: (row: number) => number): number {
  const times = new Int32Array(MAX_WIDTH + 1);
  let best = 0;
  for (let row = 0; row < rows; row++) {
    const width = widthOf(row);
    if (width > MAX_WIDTH) continue;
    times[width] = (times[width] ?? 0) + 1;
    if ((times[width] ?? 0) > (times[best] ?? 0)) best = width;
  }
  return best;
}

export function isGap(value: unknown): value is Gap {
  return Array.isArray(value) && value.length === 3 && value.every((part) => typeof part === "number");
}
