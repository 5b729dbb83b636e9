// Bytes of one piece → number of tokens: byte pairs merge in the order of their ranks, lowest first.
// Short pieces look for the lowest rank by scanning; long ones keep candidates in a heap, so that a megabyte
// of one letter costs n log n and not n squared.
import type { Vocabulary } from "./vocabulary.ts";
import { HASH_BASE, nextSlot, slotOf } from "./vocabulary.ts";

/** Stands for "no such token"; above every rank. */
export const NO_RANK = 0x7fffffff;
const SCAN_UP_TO = 96;
const scratchRanks = new Int32Array(SCAN_UP_TO + 1);
const scratchStarts = new Int32Array(SCAN_UP_TO + 2);

/** Hash of each prefix of some bytes, from which the hash of any slice follows. */
export class Slices {
  #bytes: Uint8Array = new Uint8Array(0);
  #prefix = new Int32Array(1);
  readonly #powers: Int32Array;
  readonly #vocabulary: Vocabulary;

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
    this.#powers = new Int32Array(vocabulary.maxTokenBytes + 1);
    this.#powers[0] = 1;
    for (let i = 1; i < this.#powers.length; i++) this.#powers[i] = Math.imul(this.#powers[i - 1] ?? 0, HASH_BASE);
  }

  load(bytes: Uint8Array): void {
    this.#bytes = bytes;
    if (this.#prefix.length <= bytes.length) this.#prefix = new Int32Array(Math.max(256, bytes.length + 1));
    const prefix = this.#prefix;
    let hash = 0;
    for (let i = 0; i < bytes.length; i++) {
      hash = (Math.imul(hash, HASH_BASE) + (bytes[i] ?? 0) + 1) | 0;
      prefix[i + 1] = hash;
    }
  }

  /** Lets go of memory that a long piece needed. */
  release(): void {
    this.#bytes = new Uint8Array(0);
    this.#prefix = new Int32Array(1);
  }

  /** Rank of the token that these bytes are, or NO_RANK. */
  rank(start: number, end: number): number {
    const size = end - start;
    if (size > this.#vocabulary.maxTokenBytes) return NO_RANK;
    const hash = ((this.#prefix[end] ?? 0) - Math.imul(this.#prefix[start] ?? 0, this.#powers[size] ?? 0)) | 0;
    const { table, starts, bytes } = this.#vocabulary;
    const own = this.#bytes;
    for (let slot = slotOf(hash); ; slot = nextSlot(slot)) {
      const rank = (table[slot] ?? 0) - 1;
      if (rank < 0) return NO_RANK;
      const from = starts[rank] ?? 0;
      if ((starts[rank + 1] ?? 0) - from !== size) continue;
      let i = 0;
      while (i < size && bytes[from + i] === own[start + i]) i++;
      if (i === size) return rank;
    }
  }
}

/** Number of tokens of one piece that is not itself a token. */
export function mergedCount(slices: Slices, size: number): number {
  return size <= SCAN_UP_TO ? mergeByScanning(slices, size) : mergeByHeap(slices, size);
}

function mergeByScanning(slices: Slices, size: number): number {
  const starts = scratchStarts;
  const ranks = scratchRanks;
  for (let i = 0; i <= size; i++) starts[i] = i;
  for (let i = 0; i + 1 < size; i++) ranks[i] = slices.rank(i, i + 2);
  let parts = size;
  for (;;) {
    let best = NO_RANK;
    let at = -1;
    for (let i = 0; i + 1 < parts; i++) {
      const rank = ranks[i] ?? NO_RANK;
      if (rank < best) {
        best = rank;
        at = i;
      }
    }
    if (at < 0) return parts;
    for (let i = at + 1; i < parts; i++) starts[i] = starts[i + 1] ?? 0;
    for (let i = at + 1; i + 1 < parts; i++) ranks[i] = ranks[i + 1] ?? NO_RANK;
    parts--;
    ranks[at] = at + 1 < parts ? slices.rank(starts[at] ?? 0, starts[at + 2] ?? 0) : NO_RANK;
    if (at > 0) ranks[at - 1] = slices.rank(starts[at - 1] ?? 0, starts[at + 1] ?? 0);
  }
}

// Parts are a linked list over the bytes; the heap orders (rank, start) as one number. Entries whose pair has
// changed since are skipped when they come up.
function mergeByHeap(slices: Slices, size: number): number {
  const next = new Int32Array(size + 1);
  const previous = new Int32Array(size + 1);
  const pairRank = new Int32Array(size + 1).fill(NO_RANK);
  const heap = new MinHeap(size * 3);
  for (let i = 0; i <= size; i++) {
    next[i] = i + 1;
    previous[i] = i - 1;
  }
  const consider = (start: number) => {
    const middle = next[start] ?? size;
    const rank = middle < size ? slices.rank(start, next[middle] ?? size) : NO_RANK;
    pairRank[start] = rank;
    if (rank !== NO_RANK) heap.push(rank * 0x100000000 + start);
  };
  for (let i = 0; i + 1 < size; i++) consider(i);
  let parts = size;
  while (heap.size > 0) {
    const entry = heap.pop();
    const rank = Math.floor(entry / 0x100000000);
    const start = entry - rank * 0x100000000;
    if (pairRank[start] !== rank) continue;
    const middle = next[start] ?? size;
    const end = next[middle] ?? size;
    pairRank[middle] = NO_RANK;
    next[start] = end;
    previous[end] = start;
    parts--;
    consider(start);
    const before = previous[start] ?? -1;
    if (before >= 0) consider(before);
  }
  return parts;
}

class MinHeap {
  size = 0;
  readonly #items: Float64Array;

  constructor(capacity: number) {
    this.#items = new Float64Array(capacity + 1);
  }

  push(item: number): void {
    const items = this.#items;
    let at = this.size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] ?? 0;
      if (above <= item) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }

  pop(): number {
    const items = this.#items;
    const top = items[0] ?? 0;
    const last = items[--this.size] ?? 0;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= this.size) break;
      if (child + 1 < this.size && (items[child + 1] ?? 0) < (items[child] ?? 0)) child++;
      const below = items[child] ?? 0;
      if (below >= last) break;
      items[at] = below;
      at = child;
    }
    items[at] = last;
    return top;
  }
}
