// Which phrases repeat in a text, and what each is worth: pieces that often follow each other are joined, in rounds,
// like byte pairs in a tokenizer. Linear: each round is one pass over a sequence that gets shorter. Of a long text a
// sample is enough: what is worth a letter there comes often.
import type { Pieces } from "../tokens/count.ts";

export type Phrase = { start: number; end: number; cost: number; worth: number };

const MAX_ROUNDS = 16;
/** What an entry of the legend costs beside the phrase itself. */
const LEGEND_TOKENS = 3;
/** Stands between lines: no phrase crosses it. */
const BARRIER = -1;
const UNKNOWN = -2;
/** In long texts a phrase must come three times: what comes twice is rarely worth the search. */
const LONG_FROM = 6000;
/** More pieces than this are sampled: stretches of so many, evenly spread over the text. */
export const MAX_SAMPLED = 10240;
const STRETCH = 512;

export function findPhrases(text: string, pieces: Pieces): Phrase[] {
  const grammar = new Grammar(text, pieces);
  for (let round = 0; round < MAX_ROUNDS && grammar.join(pieces.count < LONG_FROM ? 2 : 3); round++);
  return grammar.phrases();
}

class Grammar {
  #length: number;
  readonly #symbols: Int32Array;
  /** Piece at which each symbol of the sequence starts. */
  readonly #places: Int32Array;
  readonly #pieces: Pieces;
  readonly #left: number[] = [];
  readonly #right: number[] = [];
  readonly #cost: number[] = [];
  /** First piece of some occurrence, and how many pieces there are. */
  readonly #first: number[] = [];
  readonly #size: number[] = [];
  readonly #pairs: PairTable;
  readonly #firstRule: number;
  /** How many pieces of the text each one here stands for. */
  readonly #scale: number;

  constructor(text: string, pieces: Pieces) {
    const { count } = pieces;
    this.#pieces = pieces;
    const most = Math.min(count, MAX_SAMPLED + MAX_SAMPLED / STRETCH);
    this.#symbols = scratch(0, most);
    this.#places = scratch(1, most);
    let highest = 0;
    let taken = 0;
    const step = count <= MAX_SAMPLED ? count : Math.floor((count * STRETCH) / MAX_SAMPLED);
    for (let from = 0; from < count && taken < most; from += step) {
      const to = count <= MAX_SAMPLED ? count : Math.min(count, from + STRETCH - 1, from + most - taken);
      for (let i = from; i < to; i++) {
        const end = pieces.ends[i] ?? 0;
        const id = pieces.ids[i] ?? 0;
        this.#symbols[taken] = endsLine(text, i === 0 ? 0 : (pieces.ends[i - 1] ?? 0), end) ? BARRIER : id;
        this.#places[taken++] = i;
        if (id > highest) highest = id;
      }
      // What ends a stretch does not go on in the next.
      if (to < count && taken < most) {
        this.#symbols[taken] = BARRIER;
        this.#places[taken++] = to;
      }
    }
    this.#length = taken;
    this.#scale = count / Math.max(1, taken);
    this.#firstRule = highest + 1;
    this.#pairs = new PairTable(taken);
  }

  /** One round. false: nothing was left to join. */
  join(atLeast: number): boolean {
    const symbols = this.#symbols;
    const places = this.#places;
    const { counts, entries } = this.#pairs;
    const length = this.#length;
    this.#pairs.count(symbols, length);
    let written = 0;
    let joined = false;
    let here = counts[entries[0] ?? 0] ?? 0;
    for (let i = 0; i < length;) {
      const next = counts[entries[i + 1] ?? 0] ?? 0;
      if (here >= atLeast && here >= next) {
        symbols[written] = this.#rule(i);
        places[written++] = places[i] ?? 0;
        joined = true;
        i += 2;
        here = counts[entries[i] ?? 0] ?? 0;
        continue;
      }
      symbols[written] = symbols[i] ?? BARRIER;
      places[written++] = places[i] ?? 0;
      i++;
      here = next;
    }
    this.#length = written;
    return joined;
  }

  #rule(i: number): number {
    const known = this.#pairs.rule(i);
    if (known >= 0) return known;
    const a = this.#symbols[i] ?? 0;
    const b = this.#symbols[i + 1] ?? 0;
    const rule = this.#firstRule + this.#left.length;
    this.#left.push(a);
    this.#right.push(b);
    this.#cost.push(this.#costOf(a, this.#places[i] ?? 0) + this.#costOf(b, this.#places[i + 1] ?? 0));
    this.#first.push(this.#places[i] ?? 0);
    this.#size.push(this.#sizeOf(a) + this.#sizeOf(b));
    this.#pairs.setRule(i, rule);
    return rule;
  }

  #costOf(symbol: number, place: number): number {
    const rule = symbol - this.#firstRule;
    return rule >= 0 ? (this.#cost[rule] ?? 0) : (this.#pieces.costs[place] ?? 0);
  }

  #sizeOf(symbol: number): number {
    const rule = symbol - this.#firstRule;
    return rule >= 0 ? (this.#size[rule] ?? 0) : 1;
  }

  /** What is worth an entry in the legend, counting what its own parts would save already. */
  phrases(): Phrase[] {
    const rules = this.#left.length;
    const totals = new Int32Array(rules);
    for (let i = 0; i < this.#length; i++) {
      const rule = (this.#symbols[i] ?? 0) - this.#firstRule;
      if (rule >= 0) totals[rule] = (totals[rule] ?? 0) + 1;
    }
    for (let rule = rules - 1; rule >= 0; rule--) {
      for (const part of [this.#left[rule] ?? 0, this.#right[rule] ?? 0]) {
        const inner = part - this.#firstRule;
        if (inner >= 0) totals[inner] = (totals[inner] ?? 0) + (totals[rule] ?? 0);
      }
    }
    if (this.#scale > 1) for (let rule = 0; rule < rules; rule++) totals[rule] = (totals[rule] ?? 0) * this.#scale;
    const worths = this.#judge(totals);
    const found: Phrase[] = [];
    const { ends } = this.#pieces;
    for (let rule = 0; rule < rules; rule++) {
      const worth = worths[rule] ?? 0;
      if (worth <= 0) continue;
      const first = this.#first[rule] ?? 0;
      const start = first === 0 ? 0 : (ends[first - 1] ?? 0);
      const end = ends[first + (this.#size[rule] ?? 1) - 1] ?? 0;
      found.push({ start, end, cost: this.#cost[rule] ?? 0, worth });
    }
    return found;
  }

  // What each rule saves as an entry of the legend; 0 where it is not worth one. A part that has an entry of its own
  // costs one token already, unless it hardly occurs elsewhere: then the larger phrase takes its place.
  #judge(totals: Int32Array): Int32Array {
    const worths = new Int32Array(totals.length);
    const apart = new Int32Array(totals.length);
    for (let rule = 0; rule < totals.length; rule++) {
      const times = totals[rule] ?? 0;
      let cost = 0;
      let costWithParts = 0;
      let given = 0;
      const absorbed: number[] = [];
      for (const [part, left] of [
        [this.#left[rule] ?? 0, true],
        [this.#right[rule] ?? 0, false],
      ] as const) {
        const inner = part - this.#firstRule;
        const own = inner < 0 ? this.#pieceCost(rule, left) : (apart[inner] ?? 0);
        const worth = inner < 0 ? 0 : (worths[inner] ?? 0);
        const legend = inner < 0 ? 0 : (this.#cost[inner] ?? 0) + LEGEND_TOKENS;
        const elsewhere = inner < 0 ? 0 : (totals[inner] ?? 0) - times;
        costWithParts += worth > 0 ? 1 : own;
        if (worth > 0 && elsewhere * (own - 1) <= legend) {
          absorbed.push(inner);
          given += worth;
          cost += own;
        } else cost += worth > 0 ? 1 : own;
      }
      const worth = times * (cost - 1) - ((this.#cost[rule] ?? 0) + LEGEND_TOKENS);
      const taken = worth > 0 && worth > given;
      if (taken) {
        worths[rule] = worth;
        for (const inner of absorbed) worths[inner] = 0;
      }
      apart[rule] = taken ? cost : costWithParts;
    }
    return worths;
  }

  #pieceCost(rule: number, left: boolean): number {
    const first = this.#first[rule] ?? 0;
    return this.#pieces.costs[left ? first : first + (this.#size[rule] ?? 1) - 1] ?? 1;
  }
}

// Reused from text to text; nothing here outlives one call of findPhrases.
const buffers: Int32Array[] = Array.from({ length: 8 }, () => new Int32Array(1024));

function scratch(which: number, size: number): Int32Array {
  let buffer = buffers[which];
  if (buffer === undefined || buffer.length < size) buffers[which] = buffer = new Int32Array(size * 2);
  return buffer;
}

function endsLine(text: string, start: number, end: number): boolean {
  const last = text.charCodeAt(end - 1);
  if (last === 0x0a || last === 0x0d) return true;
  // "*\n/" is one piece.
  return last === 0x2f && end - start > 2 && /[\r\n]/.test(text.slice(start, end));
}

/** Pairs of symbols by hash: how often each occurs in this round, and which rule it became in any round. */
class PairTable {
  /** Which pair starts at each symbol of the sequence, as a number; 0 where none does. */
  readonly entries: Int32Array;
  /** How often each pair occurs. */
  readonly counts: Int32Array;
  readonly #a: Int32Array;
  readonly #b: Int32Array;
  /** Rule of each pair of this round, where it has been asked for. */
  readonly #ruleOf: Int32Array;
  readonly #slots: Int32Array;
  readonly #rules = new Map<number, number>();

  constructor(symbols: number) {
    this.#slots = scratch(2, symbols * 4 + 64);
    this.#a = scratch(3, symbols + 1);
    this.#b = scratch(4, symbols + 1);
    this.counts = scratch(5, symbols + 1);
    this.entries = scratch(6, symbols + 2);
    this.#ruleOf = scratch(7, symbols + 1);
  }

  /** Begins a round. A shorter sequence needs, and clears, a smaller table. */
  count(symbols: Int32Array, length: number): void {
    let size = 64;
    while (size < length * 2) size *= 2;
    const mask = size - 1;
    const slots = this.#slots;
    const { entries, counts } = this;
    const [as, bs] = [this.#a, this.#b];
    slots.fill(0, 0, size);
    let used = 0;
    counts[0] = 0;
    entries.fill(0, Math.max(0, length - 1), length + 2);
    let a = symbols[0] ?? BARRIER;
    for (let i = 0; i + 1 < length; i++) {
      const b = symbols[i + 1] ?? BARRIER;
      if (a === BARRIER || b === BARRIER) {
        entries[i] = 0;
        a = b;
        continue;
      }
      let slot = hashPair(a, b) & mask;
      let entry = slots[slot] ?? 0;
      while (entry !== 0 && (as[entry] !== a || bs[entry] !== b)) {
        slot = (slot + 1) & mask;
        entry = slots[slot] ?? 0;
      }
      if (entry === 0) {
        entry = ++used;
        slots[slot] = entry;
        as[entry] = a;
        bs[entry] = b;
        counts[entry] = 0;
        this.#ruleOf[entry] = UNKNOWN;
      }
      counts[entry] = (counts[entry] ?? 0) + 1;
      entries[i] = entry;
      a = b;
    }
  }

  /** The rule that the pair at this symbol became; −1: none yet. */
  rule(i: number): number {
    const entry = this.entries[i] ?? 0;
    let rule = this.#ruleOf[entry] ?? UNKNOWN;
    if (rule === UNKNOWN) this.#ruleOf[entry] = rule = this.#rules.get(this.#key(entry)) ?? -1;
    return rule;
  }

  setRule(i: number, rule: number): void {
    const entry = this.entries[i] ?? 0;
    this.#ruleOf[entry] = rule;
    this.#rules.set(this.#key(entry), rule);
  }

  // Symbols stay below 2^21 by the size limit of the gate, so a pair fits a double exactly.
  #key(entry: number): number {
    return (this.#a[entry] ?? 0) * 0x200000 + (this.#b[entry] ?? 0);
  }
}

function hashPair(a: number, b: number): number {
  const hash = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  return hash ^ (hash >>> 15);
}
