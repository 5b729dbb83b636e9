// Exact o200k token counts: text → number of tokens, and the pieces it is made of.
import { mergedCount, NO_RANK, Slices } from "./merge.ts";
import { pieceEnd } from "./split.ts";
import type { Vocabulary } from "./vocabulary.ts";
import { HASH_BASE, nextSlot, slotOf, vocabulary } from "./vocabulary.ts";

/** Counts of pieces that are not tokens themselves, by hash; a newcomer takes the place of who sat there. */
const CACHE_SLOTS = 1 << 14;
/** Longer pieces are rare and would keep their texts alive. */
const CACHED_UP_TO = 48;
const MAX_KEPT_CHARS = 1 << 17;
/** Tables and rulers are full of long runs of one sign. */
const MAX_KNOWN_RUNS = 2048;
/** Ids of pieces that are no token start above every rank. */
const FIRST_OWN_ID = 1 << 18;
const OWN_ID_MASK = (1 << 18) - 1;

/**
 * The pieces of a text, in order: where each ends, what it is and what it costs. Equal pieces have equal ids; pieces
 * that are no token by themselves have hashes for ids, so that now and then two of them share one.
 */
export type Pieces = { count: number; ends: Uint32Array; ids: Int32Array; costs: Uint32Array; tokens: number };

/** Number of o200k tokens. Text that spells a special token is text. */
export function countTokens(text: string): number {
  const counter = sharedCounter();
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at, counter.vocabulary);
    tokens += counter.cost(text, at, end);
    at = end;
  }
  return tokens;
}

// Reused from call to call: a fresh set for every text would keep the collector busy. Who asks for pieces is done
// with them before anyone asks again.
let ends = new Uint32Array(4096);
let ids = new Int32Array(4096);
let costs = new Uint32Array(4096);

/** The pieces of a text. Valid until the next call. */
export function splitPieces(text: string): Pieces {
  const counter = sharedCounter();
  let count = 0;
  let tokens = 0;
  for (let at = 0; at < text.length;) {
    const end = pieceEnd(text, at, counter.vocabulary);
    const cost = counter.cost(text, at, end);
    if (count === ends.length) {
      ends = grown(ends, new Uint32Array(count * 2));
      ids = grown(ids, new Int32Array(count * 2));
      costs = grown(costs, new Uint32Array(count * 2));
    }
    ends[count] = end;
    costs[count] = cost;
    ids[count] =
      counter.rank >= 0 ? counter.rank : FIRST_OWN_ID + ((counter.hash ^ (counter.hash >>> 18)) & OWN_ID_MASK);
    count++;
    tokens += cost;
    at = end;
  }
  return { count, ends, ids, costs, tokens };
}

function grown<Numbers extends Uint32Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

let shared: Counter | undefined;

function sharedCounter(): Counter {
  shared ??= new Counter(vocabulary());
  return shared;
}

class Counter {
  /** Rank of the last piece asked about, or −1 when it is no token by itself. */
  rank = -1;
  /** Hash of its characters. */
  hash = 0;
  readonly vocabulary: Vocabulary;
  readonly #slices: Slices;
  readonly #encoder = new TextEncoder();
  // Copies of their characters: a slice of a text would keep the whole text alive.
  readonly #cachedUnits = new Uint16Array(CACHE_SLOTS * CACHED_UP_TO);
  readonly #cachedSizes = new Uint8Array(CACHE_SLOTS);
  readonly #cachedCosts = new Uint8Array(CACHE_SLOTS);
  /** Costs of long runs of one ASCII sign, by sign and length. */
  readonly #runs = new Map<number, number>();
  #bytes = new Uint8Array(256);

  constructor(words: Vocabulary) {
    this.vocabulary = words;
    this.#slices = new Slices(words);
  }

  cost(text: string, start: number, end: number): number {
    const size = end - start;
    let hash = 0;
    let seen = 0;
    for (let i = start; i < end; i++) {
      const unit = text.charCodeAt(i);
      seen |= unit;
      hash = (Math.imul(hash, HASH_BASE) + unit + 1) | 0;
    }
    this.hash = hash;
    const ascii = seen <= 127 && size <= this.vocabulary.maxTokenBytes;
    this.rank = ascii ? this.#rankOfAscii(text, start, size, hash) : -1;
    if (this.rank >= 0) return 1;
    return size > CACHED_UP_TO ? this.#long(text, start, end) : this.#remembered(text, start, size, hash);
  }

  #long(text: string, start: number, end: number): number {
    const unit = text.charCodeAt(start);
    if (unit > 127) return this.#merge(text.slice(start, end));
    for (let i = start + 1; i < end; i++) if (text.charCodeAt(i) !== unit) return this.#merge(text.slice(start, end));
    const run = (end - start) * 128 + unit;
    let cost = this.#runs.get(run);
    if (cost === undefined) {
      cost = this.#merge(text.slice(start, end));
      if (this.#runs.size < MAX_KNOWN_RUNS) this.#runs.set(run, cost);
    }
    return cost;
  }

  #rankOfAscii(text: string, start: number, size: number, hash: number): number {
    const { table, starts, bytes } = this.vocabulary;
    for (let slot = slotOf(hash); ; slot = nextSlot(slot)) {
      const rank = (table[slot] ?? 0) - 1;
      if (rank < 0) return -1;
      const from = starts[rank] ?? 0;
      if ((starts[rank + 1] ?? 0) - from !== size) continue;
      let i = 0;
      while (i < size && bytes[from + i] === text.charCodeAt(start + i)) i++;
      if (i === size) return rank;
    }
  }

  #remembered(text: string, start: number, size: number, hash: number): number {
    const slot = (hash ^ (hash >>> 15)) & (CACHE_SLOTS - 1);
    const units = this.#cachedUnits;
    const from = slot * CACHED_UP_TO;
    if (this.#cachedSizes[slot] === size) {
      let i = 0;
      while (i < size && units[from + i] === text.charCodeAt(start + i)) i++;
      if (i === size) return this.#cachedCosts[slot] ?? 0;
    }
    for (let i = 0; i < size; i++) units[from + i] = text.charCodeAt(start + i);
    const cost = this.#merge(text.slice(start, start + size));
    this.#cachedSizes[slot] = size;
    this.#cachedCosts[slot] = cost;
    return cost;
  }

  #merge(piece: string): number {
    if (this.#bytes.length < piece.length * 3) this.#bytes = new Uint8Array(piece.length * 3);
    const { written } = this.#encoder.encodeInto(piece, this.#bytes);
    this.#slices.load(this.#bytes.subarray(0, written));
    const whole = written <= this.vocabulary.maxTokenBytes && this.#slices.rank(0, written) !== NO_RANK;
    const cost = whole ? 1 : mergedCount(this.#slices, written);
    // One monstrous piece must not hold its memory for ever.
    if (piece.length > MAX_KEPT_CHARS) {
      this.#bytes = new Uint8Array(256);
      this.#slices.release();
    }
    return cost;
  }
}
