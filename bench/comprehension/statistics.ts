// How sure a share is, and a difference between two readers of the same results.

export type Interval = { low: number; high: number };

const Z = 1.96;
const DRAWS = 2000;

/** Wilson's interval of 95 percent for `right` of `asked`. */
export function wilson(right: number, asked: number): Interval {
  if (asked === 0) return { low: 0, high: 1 };
  const share = right / asked;
  const spread = Z * Math.sqrt((share * (1 - share)) / asked + (Z * Z) / (4 * asked * asked));
  const scale = 1 + (Z * Z) / asked;
  const middle = share + (Z * Z) / (2 * asked);
  return { low: Math.max(0, (middle - spread) / scale), high: Math.min(1, (middle + spread) / scale) };
}

/** One result: how many of its questions were answered right in each of two forms. */
export type Pair = { asked: number; right: number; rightOfOther: number };

/** Percentage points that the first form is ahead, with 95 percent of draws by result; the seed is fixed. */
export function pairedDifference(pairs: readonly Pair[]): Interval & { difference: number } {
  const random = numbersFrom(1);
  const draws = Array.from({ length: DRAWS }, () =>
    differenceOf(pairs.map(() => pairs[random() % pairs.length] as Pair)),
  ).sort((a, b) => a - b);
  return {
    difference: differenceOf(pairs),
    low: draws[Math.floor(DRAWS * 0.025)] ?? 0,
    high: draws[Math.floor(DRAWS * 0.975)] ?? 0,
  };
}

function differenceOf(pairs: readonly Pair[]): number {
  let [asked, ahead] = [0, 0];
  for (const pair of pairs) {
    asked += pair.asked;
    ahead += pair.right - pair.rightOfOther;
  }
  return asked === 0 ? 0 : (100 * ahead) / asked;
}

function numbersFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state >>> 0;
  };
}
