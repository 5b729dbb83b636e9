// Long lists put in order in slices: a directory of a million names must not keep others waiting while it is sorted.
import type { TimeSlices } from "../time-slices.ts";

/** Sorted at once: about a millisecond. */
const CHUNK = 2048;

export type Compare<T> = (a: T, b: T) => number;

/** All of them. A short list is sorted as it is, without a turn. */
export async function sortInSlices<T>(list: T[], compare: Compare<T>, slices: TimeSlices): Promise<T[]> {
  if (list.length <= CHUNK) return list.sort(compare);
  let runs: T[][] = [];
  for (const chunk of await chunksOf(list, slices)) {
    runs.push(chunk.sort(compare));
    if (slices.due) await slices.pause();
  }
  while (runs.length > 1) {
    const merged: T[][] = [];
    for (let i = 0; i < runs.length; i += 2)
      merged.push(await mergeInSlices(runs[i] ?? [], runs[i + 1], compare, slices));
    runs = merged;
  }
  return runs[0] ?? [];
}

/** The first `most` of them in order: of a long list, the rest is never sorted. */
export async function firstInSlices<T>(list: T[], most: number, compare: Compare<T>, slices: TimeSlices): Promise<T[]> {
  if (list.length <= CHUNK) return list.sort(compare).slice(0, most);
  let kept: T[] = [];
  for (const chunk of await chunksOf(list, slices)) {
    const last = kept.length < most ? undefined : kept.at(-1);
    const better = last === undefined ? chunk : chunk.filter((one) => compare(one, last) < 0);
    kept = kept.concat(better).sort(compare).slice(0, most);
    if (slices.due) await slices.pause();
  }
  return kept;
}

async function chunksOf<T>(list: readonly T[], slices: TimeSlices): Promise<T[][]> {
  const chunks: T[][] = [];
  for (let at = 0; at < list.length; at += CHUNK) {
    chunks.push(list.slice(at, at + CHUNK));
    if (slices.due) await slices.pause();
  }
  return chunks;
}

async function mergeInSlices<T>(
  left: T[],
  right: T[] | undefined,
  compare: Compare<T>,
  slices: TimeSlices,
): Promise<T[]> {
  if (right === undefined) return left;
  const merged: T[] = [];
  let [l, r] = [0, 0];
  for (let one = left[l], other = right[r]; one !== undefined && other !== undefined;) {
    if (compare(one, other) <= 0) {
      merged.push(one);
      one = left[++l];
    } else {
      merged.push(other);
      other = right[++r];
    }
    if (merged.length % CHUNK === 0 && slices.due) await slices.pause();
  }
  // One of them is used up.
  return merged.concat(left.slice(l), right.slice(r));
}
