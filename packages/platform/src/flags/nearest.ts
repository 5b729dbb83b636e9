// A misspelt name → the known one that was probably meant.

/** The closest of the known names, when it is close enough to be a slip of the finger: at most `most` slips. */
export function nearest(name: string, known: readonly string[], most: number = slipsIn(name)): string | undefined {
  let best: { name: string; distance: number } | undefined;
  for (const candidate of known) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase(), most);
    if (distance <= most && (best === undefined || distance < best.distance)) best = { name: candidate, distance };
  }
  return best?.name;
}

function slipsIn(name: string): number {
  return name.length < 4 ? 1 : Math.max(2, Math.floor(name.length / 3));
}

/** Insertions, deletions, changes and swapped neighbours, counted once each; beyond `limit` only that it is more. */
export function editDistance(left: string, right: string, limit: number): number {
  if (Math.abs(left.length - right.length) > limit || left.length > 100) return limit + 1;
  let beforeLast: number[] = [];
  let last = Array.from({ length: right.length + 1 }, (_, i) => i);
  for (let i = 1; i <= left.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      let cost = Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1]) {
        cost = Math.min(cost, (beforeLast[j - 2] ?? 0) + 1);
      }
      row.push(cost);
    }
    beforeLast = last;
    last = row;
  }
  return last[right.length] ?? limit + 1;
}
