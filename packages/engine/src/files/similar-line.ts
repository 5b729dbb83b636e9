// The line of a file that is most like a given one, by the pairs of letters they share. Linear in the file.

/** Below this, two lines have no more in common than any two lines of code. */
const LEAST_ALIKE = 0.7;
/** A shorter line resembles too many. */
const LEAST_CHARS = 6;
const PAIRS = 65_536;

export type SimilarLine = { readonly index: number; readonly alike: number };

/** Undefined when none comes close. */
export function mostSimilarLine(lines: readonly string[], wanted: string): SimilarLine | undefined {
  if (wanted.length < LEAST_CHARS) return undefined;
  const profile = new Uint32Array(PAIRS);
  countPairs(wanted, profile);
  const left = new Uint32Array(profile);
  let best: SimilarLine | undefined;
  for (const [index, line] of lines.entries()) {
    // Even if all of the shorter one is in the longer one, that would be too little.
    if (upperBound(line, wanted) < Math.max(LEAST_ALIKE, best?.alike ?? 0)) continue;
    const alike = (2 * sharedPairs(line, left)) / (line.length + wanted.length - 2);
    restore(line, left, profile);
    if (alike >= LEAST_ALIKE && (best === undefined || alike > best.alike)) best = { index, alike };
  }
  return best;
}

function upperBound(line: string, wanted: string): number {
  return (2 * Math.min(line.length - 1, wanted.length - 1)) / (line.length + wanted.length - 2);
}

function sharedPairs(line: string, left: Uint32Array): number {
  let shared = 0;
  for (let i = 1; i < line.length; i += 1) {
    const pair = pairAt(line, i);
    if ((left[pair] ?? 0) === 0) continue;
    left[pair] = (left[pair] ?? 0) - 1;
    shared += 1;
  }
  return shared;
}

function restore(line: string, left: Uint32Array, profile: Uint32Array): void {
  for (let i = 1; i < line.length; i += 1) {
    const pair = pairAt(line, i);
    left[pair] = profile[pair] ?? 0;
  }
}

function countPairs(text: string, into: Uint32Array): void {
  for (let i = 1; i < text.length; i += 1) {
    const pair = pairAt(text, i);
    into[pair] = (into[pair] ?? 0) + 1;
  }
}

function pairAt(text: string, i: number): number {
  return (text.charCodeAt(i - 1) * 263 + text.charCodeAt(i)) % PAIRS;
}
