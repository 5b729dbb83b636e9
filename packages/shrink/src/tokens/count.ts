// Exact o200k token counts: text → number of tokens, and the pieces it is made of.
import { mergedCount, NO_RANK, Slices } from "./merge.ts";
import { BLANKS, ENDS, KIND_OF, NEXT, START, UNSURE } from "./piece-states.ts";
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
/** Pieces up to this size are found again by their characters alone, without a look at the vocabulary. */
const SHORT_CHARS = 12;
/** Of any alphabet, two bytes each; a bit that no ASCII character has tells them apart. */
const SHORT_WIDE_CHARS = 5;
const WIDE = 1 << 31;
const SHORT_SLOTS = 1 << 15;
const SHORT_SLOT_MASK = (SHORT_SLOTS - 1) << 2;
/** Enough for what twelve characters can cost. */
const COST_BITS = 4;
const COST_MASK = (1 << COST_BITS) - 1;

/**
 * The pieces of a text, in order: where each ends, what it is and what it costs. Equal pieces have equal ids; pieces
 * that are no token by themselves have hashes for ids, so that now and then two of them share one.
 */
export type Pieces = { count: number; ends: Uint32Array; ids: Int32Array; costs: Uint32Array; tokens: number };

/** Number of o200k tokens. Text that spells a special token is text. */
export function countTokens(text: string): number {
  return latest.text === text ? latest.tokens : walk(text, undefined);
}

// Whose pieces were asked for, its count is asked for again.
let latest = { text: "", tokens: 0 };

/** Room for the pieces of one text, used again for the next: a fresh set each would keep the collector busy. */
export class PieceBuffer {
  count = 0;
  ends = new Uint32Array(4096);
  ids = new Int32Array(4096);
  costs = new Uint32Array(4096);

  /** The pieces of a text. Valid until this buffer is asked again. */
  split(text: string): Pieces {
    this.count = 0;
    const tokens = walk(text, this);
    const { count, ends, ids, costs } = this;
    return { count, ends, ids, costs, tokens };
  }

  grow(): void {
    this.ends = grown(this.ends, new Uint32Array(this.count * 2));
    this.ids = grown(this.ids, new Int32Array(this.count * 2));
    this.costs = grown(this.costs, new Uint32Array(this.count * 2));
  }
}

const shared = new PieceBuffer();

/** The pieces of a text. Valid until the next call. */
export function splitPieces(text: string): Pieces {
  const pieces = shared.split(text);
  if (text.length <= MAX_KEPT_CHARS * 2) latest = { text, tokens: pieces.tokens };
  return pieces;
}

function grown<Numbers extends Uint32Array | Int32Array>(from: Numbers, to: Numbers): Numbers {
  to.set(from);
  return to;
}

// The tokens of a text; its pieces go into the buffer, if there is one.
function walk(text: string, into: PieceBuffer | undefined): number {
  const counter = sharedCounter();
  const known = counter.short;
  const { length } = text;
  let tokens = 0;
  for (let at = 0; at < length;) {
    // Most pieces are short and ASCII. Their characters, twelve at most, are gathered in three numbers on the way to
    // their end, and are all there is to compare.
    let top = 0;
    let high = 0;
    let low = 0;
    let end = at;
    let state = START;
    let next = 0;
    while (end < length) {
      const unit = text.charCodeAt(end);
      next = NEXT[state + (unit > 127 ? 0 : (KIND_OF[unit] ?? 0))] ?? 0;
      if (next >= ENDS) break;
      state = next;
      top = (top << 8) | (high >>> 24);
      high = (high << 8) | (low >>> 24);
      low = (low << 8) | unit;
      end++;
    }
    let short = end - at <= SHORT_CHARS;
    if (next === UNSURE) {
      end = pieceEnd(text, at, counter.vocabulary);
      short = end - at <= SHORT_CHARS;
      if (short) {
        let seen = 0;
        top = 0;
        high = 0;
        low = 0;
        for (let i = at; i < end; i++) {
          const unit = text.charCodeAt(i);
          seen |= unit;
          // A zero would look like no character at all.
          if (unit === 0) short = false;
          top = (top << 8) | (high >>> 24);
          high = (high << 8) | (low >>> 24);
          low = (low << 8) | unit;
        }
        if (seen > 127) {
          short = short && end - at <= SHORT_WIDE_CHARS;
          top = WIDE;
          high = 0;
          low = 0;
          for (let i = at; i < end; i++) {
            top = (top << 16) | (high >>> 16) | WIDE;
            high = (high << 16) | (low >>> 16);
            low = (low << 16) | text.charCodeAt(i);
          }
        }
      }
    } else if (state === BLANKS && end < length) {
      // The last of several blanks belongs to what follows.
      end--;
      low = (low >>> 8) | (high << 24);
      high = (high >>> 8) | (top << 24);
      top >>>= 8;
      short = end - at < SHORT_CHARS;
    }
    let found = -1;
    let slot = 0;
    if (short) {
      const hash = Math.imul(low, 0x9e3779b1) ^ Math.imul(high, 0x85ebca6b) ^ Math.imul(top, 0xc2b2ae35);
      slot = (hash ^ (hash >>> 15)) & SHORT_SLOT_MASK;
      if (known[slot] === low && known[slot + 1] === high && known[slot + 2] === top) found = known[slot + 3] ?? -1;
    }
    if (found < 0) {
      const cost = counter.cost(text, at, end);
      found = (counter.id << COST_BITS) | cost;
      if (short) {
        known[slot] = low;
        known[slot + 1] = high;
        known[slot + 2] = top;
        known[slot + 3] = found;
      }
      tokens += cost;
      if (into !== undefined) put(into, end, counter.id, cost);
    } else {
      const cost = found & COST_MASK;
      tokens += cost;
      if (into !== undefined) put(into, end, found >> COST_BITS, cost);
    }
    at = end;
  }
  return tokens;
}

function put(into: PieceBuffer, end: number, id: number, cost: number): void {
  const at = into.count;
  if (at === into.ends.length) into.grow();
  into.ends[at] = end;
  into.ids[at] = id;
  into.costs[at] = cost;
  into.count = at + 1;
}

let onlyCounter: Counter | undefined;

function sharedCounter(): Counter {
  onlyCounter ??= new Counter(vocabulary());
  return onlyCounter;
}

class Counter {
  /** Rank of the last piece asked about, or −1 when it is no token by itself. */
  rank = -1;
  /** Hash of its characters. */
  hash = 0;
  /** What it is: equal pieces have equal ids. */
  get id(): number {
    return this.rank >= 0 ? this.rank : FIRST_OWN_ID + ((this.hash ^ (this.hash >>> 18)) & OWN_ID_MASK);
  }

  readonly vocabulary: Vocabulary;
  /** Short ASCII pieces seen lately: their characters in three numbers, their id and cost in a fourth. */
  readonly short = new Int32Array(SHORT_SLOTS * 4);
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
