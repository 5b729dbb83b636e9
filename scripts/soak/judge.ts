// Measurements → what leaked. Looks at rest only: after the load of a cycle everything was answered and closed, so
// whatever is more than it was before has been left behind.

/** One look at one process (and what it started), at rest. */
export type Look = {
  /** Resident memory of the process itself. */
  readonly rssMb: number;
  readonly descriptors: number;
  /** Processes below it. */
  readonly children: number;
  readonly tempFiles: number;
};

export type Measure = keyof Look;

export type Finding = {
  readonly measure: Measure;
  /** Medians of the first and the last third after the warm-up. */
  readonly early: number;
  readonly late: number;
  readonly allowed: number;
  readonly leaks: boolean;
};

/** Caches, tables and compiled code grow at first, and are no leak. */
const WARM_UP_SHARE = 0.25;
/** Fewer looks than this have no first and last third worth comparing. */
const FEWEST_LOOKS = 6;

/**
 * How much more is still noise. The runtime gives memory back late and in large pieces; abandoned clients take
 * descriptors and processes along until they are noticed, so that single looks differ much. A leak also lifts the lowest
 * of them: noise does not.
 */
const ALLOWED: { readonly [measure in Measure]: (early: number) => number } = {
  rssMb: (early) => Math.max(24, early * 0.2),
  descriptors: (early) => Math.max(16, early * 0.25),
  children: (early) => Math.max(6, early * 0.25),
  tempFiles: () => 12,
};

/** What a program may keep by its own documented limits, and does not have to give back. */
export type Keeps = { readonly [measure in Measure]?: number };

/** Nothing when the run was too short to tell. */
export function judge(looks: readonly Look[], keeps: Keeps = {}): Finding[] {
  const warm = looks.slice(Math.ceil(looks.length * WARM_UP_SHARE));
  if (warm.length < FEWEST_LOOKS) return [];
  const third = Math.floor(warm.length / 3);
  return (Object.keys(ALLOWED) as Measure[]).map((measure) => {
    const values = warm.map((look) => look[measure]);
    const [first, last] = [values.slice(0, third), values.slice(-third)];
    const [early, late] = [median(first), median(last)];
    const allowed = ALLOWED[measure](early) + (keeps[measure] ?? 0);
    const floorRose = Math.min(...last) - Math.min(...first) > allowed / 2;
    return { measure, early, late, allowed, leaks: late - early > allowed && floorRose };
  });
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}
