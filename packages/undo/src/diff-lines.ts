// The shortest list of changed lines between two texts (Myers), bounded: beyond the bound the middle counts as replaced.

/** Differences followed before giving up; the work and the memory grow with its square. */
const MAX_DIFFERENCES = 1200;

/** `before` lines [from, to) became `after` lines [from, to). */
export type Hunk = {
  readonly beforeFrom: number;
  readonly beforeTo: number;
  readonly afterFrom: number;
  readonly afterTo: number;
};

export function diffLines(before: readonly string[], after: readonly string[]): Hunk[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let [beforeEnd, afterEnd] = [before.length, after.length];
  while (beforeEnd > start && afterEnd > start && before[beforeEnd - 1] === after[afterEnd - 1]) {
    beforeEnd -= 1;
    afterEnd -= 1;
  }
  if (start === beforeEnd && start === afterEnd) return [];
  const whole = [{ beforeFrom: start, beforeTo: beforeEnd, afterFrom: start, afterTo: afterEnd }];
  if (start === beforeEnd || start === afterEnd) return whole;
  const middle = shortest(before.slice(start, beforeEnd), after.slice(start, afterEnd));
  if (middle === undefined) return whole;
  return middle.map((hunk) => ({
    beforeFrom: hunk.beforeFrom + start,
    beforeTo: hunk.beforeTo + start,
    afterFrom: hunk.afterFrom + start,
    afterTo: hunk.afterTo + start,
  }));
}

/** Greedy, forward; `trace[d]` is how far each diagonal had come with d differences. */
function shortest(before: readonly string[], after: readonly string[]): Hunk[] | undefined {
  const [rows, columns] = [before.length, after.length];
  const most = Math.min(rows + columns, MAX_DIFFERENCES);
  const furthest = new Int32Array(2 * most + 3);
  const middle = most + 1;
  const trace: Int32Array[] = [];
  for (let d = 0; d <= most; d += 1) {
    trace.push(furthest.slice(middle - d - 1, middle + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const isDown = k === -d || (k !== d && (furthest[middle + k - 1] ?? 0) < (furthest[middle + k + 1] ?? 0));
      let x = isDown ? (furthest[middle + k + 1] ?? 0) : (furthest[middle + k - 1] ?? 0) + 1;
      let y = x - k;
      while (x < rows && y < columns && before[x] === after[y]) {
        x += 1;
        y += 1;
      }
      furthest[middle + k] = x;
      if (x >= rows && y >= columns) return hunksFrom(trace, rows, columns);
    }
  }
  return undefined;
}

function hunksFrom(trace: readonly Int32Array[], rows: number, columns: number): Hunk[] {
  const hunks: Hunk[] = [];
  let [x, y] = [rows, columns];
  for (let d = trace.length - 1; d > 0; d -= 1) {
    const furthest = trace[d] ?? new Int32Array();
    // The copy begins at diagonal -d - 1.
    const at = (k: number): number => furthest[k + d + 1] ?? 0;
    const k = x - y;
    const isDown = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const fromX = at(isDown ? k + 1 : k - 1);
    const fromY = fromX - (isDown ? k + 1 : k - 1);
    join(hunks, {
      beforeFrom: fromX,
      beforeTo: isDown ? fromX : fromX + 1,
      afterFrom: fromY,
      afterTo: isDown ? fromY + 1 : fromY,
    });
    [x, y] = [fromX, fromY];
  }
  return hunks.reverse();
}

/** Found from the end: what touches the hunk after it becomes one with it. */
function join(hunks: Hunk[], hunk: Hunk): void {
  const next = hunks.at(-1);
  if (next === undefined || next.beforeFrom !== hunk.beforeTo || next.afterFrom !== hunk.afterTo) hunks.push(hunk);
  else hunks[hunks.length - 1] = { ...hunk, beforeTo: next.beforeTo, afterTo: next.afterTo };
}
