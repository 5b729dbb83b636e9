// White space of JSON that no one printer wrote: people, and printers that put short lists on one line. The style says
// what stands between most tokens; here is which lists stand on one line, and where something else stands.
import { isBlank, skipBlanks, stringEnd } from "../json-syntax.ts";
import { UnfoldError } from "./fold.ts";

export type Deviations = {
  /** By turns, how many lists have a line for each element, and how many stand on one line. Not what is in the latter. */
  lists: number[];
  /** On one line: inside the brackets, and after a comma. */
  pad: string;
  comma: string;
  /** By turns, how many gaps are as expected, and which of `gaps` stands at the next. Most gaps are empty. */
  places: number[];
  gaps: string[];
};

/** What travels beside a text may not outweigh it. */
const CHARS_PER_DEVIATION = 8;
const MAX_GAPS = 200;
const MAX_GAP_CHARS = 1000;
/** What a damaged or hostile layout may make of a text. */
const MAX_CHARS = 64 << 20;

/** undefined: the white space of this text follows no rule. Both texts are the same JSON, the first one in its style. */
export function deviationsOf(printed: string, text: string): Deviations | undefined {
  const ids = new Map<string, number>();
  const deviations: Deviations = { lists: [], pad: "", comma: "", places: [], gaps: [] };
  const { lists, places } = deviations;
  let hasComma = false;
  const walk = new GapWalk(printed, deviations);
  let at = 0;
  for (let expected = 0; ; expected++) {
    const own = skipBlanks(text, at);
    const gap = text.slice(at, own);
    if (walk.opensLines) {
      const isInline = !gap.includes("\n");
      if (isInline && lists.length < 2) deviations.pad = gap;
      countList(lists, isInline);
      if (isInline) walk.standOnOneLine();
    } else if (walk.followsInlineComma && !hasComma) {
      deviations.comma = gap;
      hasComma = true;
    }
    if (walk.gap !== gap) {
      const id = ids.get(gap) ?? ids.size;
      ids.set(gap, id);
      places.push(expected, id);
      expected = -1;
      if (ids.size > MAX_GAPS || gap.length > MAX_GAP_CHARS) return undefined;
      if ((places.length / 2) * CHARS_PER_DEVIATION > text.length) return undefined;
    }
    if (walk.isDone) break;
    at = own + walk.step();
  }
  return { ...deviations, gaps: [...ids.keys()] };
}

/** The inverse: what was printed in its style, with the white space that it had. */
export function withDeviations(printed: string, deviations: Deviations): string {
  const { lists, places, gaps } = deviations;
  const out: string[] = [];
  let chars = printed.length;
  let [turn, listsLeft] = [0, lists[0] ?? 0];
  let place = 0;
  let placesLeft = places[0] ?? Infinity;
  const walk = new GapWalk(printed, deviations);
  for (;;) {
    if (walk.opensLines) {
      while (listsLeft === 0 && turn < lists.length) listsLeft = lists[++turn] ?? Infinity;
      listsLeft--;
      if (turn % 2 === 1) walk.standOnOneLine();
    }
    let { gap } = walk;
    if (placesLeft === 0) {
      gap = gaps[places[place + 1] ?? 0] ?? "";
      place += 2;
      placesLeft = places[place] ?? Infinity;
    } else placesLeft--;
    chars += gap.length;
    if (chars > MAX_CHARS) throw new UnfoldError("too much white space");
    out.push(gap);
    if (walk.isDone) break;
    const start = walk.tokenStart;
    out.push(printed.slice(start, start + walk.step()));
  }
  if (place < places.length) throw new UnfoldError("white space behind the end");
  return out.join("");
}

export function isRegular({ lists, places }: Deviations): boolean {
  return lists.length < 2 && places.length === 0;
}

export function isDeviations(value: unknown): value is Deviations {
  if (typeof value !== "object" || value === null) return false;
  const { lists, pad, comma, places, gaps } = value as Partial<Record<keyof Deviations, unknown>>;
  if (!Array.isArray(gaps) || !isCounts(lists) || !isCounts(places) || places.length % 2 !== 0) return false;
  return isGap(pad) && isGap(comma) && gaps.every(isGap);
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((count) => Number.isSafeInteger(count) && count >= 0);
}

function isGap(value: unknown): boolean {
  return typeof value === "string" && value.length <= MAX_GAP_CHARS && skipBlanks(value, 0) === value.length;
}

// The runs with lines have even places, those on one line odd ones.
function countList(lists: number[], isInline: boolean): void {
  if (lists.length === 0) lists.push(0);
  if ((lists.length % 2 === 0) !== isInline) lists.push(0);
  lists[lists.length - 1] = (lists.at(-1) ?? 0) + 1;
}

// Goes from gap to gap of a printed text and says what is expected there. A gap stands before each token and at the end.
class GapWalk {
  tokenStart = 0;
  readonly #printed: string;
  readonly #inline: { readonly pad: string; readonly comma: string };
  #from = 0;
  #before = 0;
  #depth = 0;
  /** The depth of the list that stands on one line; 0 outside. */
  #inlineDepth = 0;

  constructor(printed: string, inline: { readonly pad: string; readonly comma: string }) {
    this.#printed = printed;
    this.#inline = inline;
    this.tokenStart = skipBlanks(printed, 0);
  }

  get isDone(): boolean {
    return this.tokenStart >= this.#printed.length;
  }

  /** Whether here begins a list that has a line for each element as it is printed. */
  get opensLines(): boolean {
    if (this.#inlineDepth > 0 || !isOpening(this.#before)) return false;
    return this.#printed.charCodeAt(this.#from) === 0x0a;
  }

  get followsInlineComma(): boolean {
    return this.#inlineDepth > 0 && this.#before === COMMA;
  }

  get gap(): string {
    if (this.#inlineDepth > 0) {
      if (this.#before === COMMA) return this.#inline.comma;
      const next = this.#printed.charCodeAt(this.tokenStart);
      if (isOpening(this.#before)) return isClosing(next) ? "" : this.#inline.pad;
      if (isClosing(next)) return this.#inline.pad;
    }
    return this.#printed.slice(this.#from, this.tokenStart);
  }

  standOnOneLine(): void {
    this.#inlineDepth = this.#depth;
  }

  /** To the next gap. → how long the token before it is. */
  step(): number {
    const start = this.tokenStart;
    const unit = this.#printed.charCodeAt(start);
    const end = tokenEnd(this.#printed, start);
    if (isOpening(unit)) this.#depth++;
    else if (isClosing(unit)) {
      if (this.#depth === this.#inlineDepth) this.#inlineDepth = 0;
      this.#depth--;
    }
    this.#before = unit;
    this.#from = end;
    this.tokenStart = skipBlanks(this.#printed, end);
    return end - start;
  }
}

const [COMMA, COLON] = [0x2c, 0x3a];

function isOpening(unit: number): boolean {
  return unit === 0x7b || unit === 0x5b;
}

function isClosing(unit: number): boolean {
  return unit === 0x7d || unit === 0x5d;
}

function isSign(unit: number): boolean {
  return unit === COMMA || unit === COLON || isOpening(unit) || isClosing(unit);
}

function tokenEnd(text: string, start: number): number {
  const unit = text.charCodeAt(start);
  if (unit === 0x22) {
    const end = stringEnd(text, start);
    if (end < 0) throw new UnfoldError("not JSON");
    return end;
  }
  if (isSign(unit)) return start + 1;
  let end = start + 1;
  while (end < text.length && !isBlank(text.charCodeAt(end)) && !isSign(text.charCodeAt(end))) end++;
  return end;
}
