// Foreign text that looks like our marks is changed so that no model takes it for ours, and costs no token more.
// "[bosun:" becomes "[b1:", with the first number that the text does not hold already; the number travels beside
// the text, so that the way back is exact.
import { beginningFrom, holdsMark, MARK_OPENING, placeOf } from "./forms/marks.ts";

/** Only a text made to spite us holds more of them. */
const MAX_VARIANT = 100_000;

export type Escaped = { text: string; variant: number };

/** undefined: there is nothing to escape. */
export function escapeMarks(text: string): Escaped | undefined {
  const variant = variantFor(text);
  return variant === undefined ? undefined : { text: disguised(text, variant), variant };
}

/** The disguise that marks in this text would get; undefined: there are none. */
export function variantFor(text: string): number | undefined {
  return holdsMark(text) ? unusedVariant(text) : undefined;
}

export function disguised(text: string, variant: number): string {
  return replaced(text, MARK_OPENING, disguise(variant));
}

export function lengthInDisguise(text: string, variant: number): number {
  let marks = 0;
  for (let at = placeOf(MARK_OPENING, text, 0); at >= 0; at = placeOf(MARK_OPENING, text, at + MARK_OPENING.length))
    marks++;
  return text.length + marks * (disguise(variant).length - MARK_OPENING.length);
}

/**
 * Whether taking this disguise off again is certain to give the text, without trying: it is when the text itself holds
 * no such disguise. A disguise begins with a sign that it has nowhere else, so what is put in cannot make another one
 * together with what stands beside it: those put in are all there are to take off.
 */
export function canBeTakenOff(text: string, variant: number): boolean {
  return placeOf(disguise(variant), text, 0) < 0;
}

// One pass, whatever the text holds: a search per number would be a gift to whoever wrote them all.
function unusedVariant(text: string): number {
  const taken = new Uint8Array(MAX_VARIANT);
  for (let at = beginningFrom(text, 0); at >= 0; at = beginningFrom(text, at + 2)) {
    let number = 0;
    for (let i = at + 2; i < at + 9; i++) {
      const unit = text.charCodeAt(i);
      if (!(unit >= 0x30 && unit <= 0x39)) break;
      number = number * 10 + unit - 0x30;
    }
    if (number < MAX_VARIANT) taken[number] = 1;
  }
  const free = taken.indexOf(0);
  return free >= 0 ? free : MAX_VARIANT + text.length;
}

export function unescapeMarks({ text, variant }: Escaped): string {
  return replaced(text, disguise(variant), MARK_OPENING);
}

/** Whether taking the disguise off gives `before`. Compared piece by piece: a second text of that size takes longer. */
export function isDisguiseOf({ text, variant }: Escaped, before: string): boolean {
  const put = disguise(variant);
  let from = 0;
  let there = 0;
  for (let at = text.indexOf(put); at >= 0; at = text.indexOf(put, from)) {
    if (!before.startsWith(text.slice(from, at), there)) return false;
    there += at - from;
    if (!before.startsWith(MARK_OPENING, there)) return false;
    there += MARK_OPENING.length;
    from = at + put.length;
  }
  return before.length - there === text.length - from && before.startsWith(text.slice(from), there);
}

/** More pieces than this take longer to send than to put together. */
const MAX_PIECES = 1000;

/**
 * The same disguise in a JSON string as it was sent, in pieces, because the whole would be another text of that size.
 * undefined where a mark may be written in other characters there, or where the disguise could not be taken off again.
 */
export function disguisedJson(json: string, variant: number): readonly string[] | undefined {
  if (spellsOutMarks(json) || !canBeTakenOff(json, variant)) return undefined;
  const pieces: string[] = [];
  let from = 0;
  for (let at = placeOf(MARK_OPENING, json, 0); at >= 0; at = placeOf(MARK_OPENING, json, from)) {
    pieces.push(json.slice(from, at), disguise(variant));
    from = at + MARK_OPENING.length;
  }
  pieces.push(json.slice(from));
  return pieces.length > MAX_PIECES ? [pieces.join("")] : pieces;
}

// Whether a character of our marks is written as an escape. No shorter one stands for any of them.
function spellsOutMarks(json: string): boolean {
  const escape = String.raw`\u`;
  for (let at = json.indexOf(escape); at >= 0; at = json.indexOf(escape, at + escape.length)) {
    if (json.charCodeAt(at + 2) !== ZERO || json.charCodeAt(at + 3) !== ZERO) continue;
    const code = Number.parseInt(json.slice(at + 4, at + 6), 16);
    if (!MARK_OPENING.includes(String.fromCharCode(code))) continue;
    let backslashes = 1;
    while (json[at - backslashes] === "\\") backslashes++;
    if (backslashes % 2 === 1) return true;
  }
  return false;
}

const ZERO = 0x30;

/** In half the time that replaceAll takes. */
function replaced(text: string, what: string, by: string): string {
  return text.split(what).join(by);
}

function disguise(variant: number): string {
  return `[b${variant}:`;
}

/** Keys of ours that a downstream server put into `_meta`: kept, but under a name that we do not read. */
export function escapeMeta(meta: unknown): Record<string, unknown> | undefined {
  if (typeof meta !== "object" || meta === null) return undefined;
  const keys = Object.keys(meta);
  if (!keys.some((key) => OURS.test(key))) return undefined;
  return Object.fromEntries(Object.entries(meta).map(([key, value]) => [foreignKey(key), value as unknown]));
}

/** Under which a key of a server's `_meta` is passed on. */
export function foreignKey(key: string): string {
  return key.replace(OURS, "bosun$1.inner/");
}

/** The way back. */
export function unescapeMeta(meta: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(meta).map(([key, value]) => [key.replace(INNER, "bosun$1/"), value]));
}

const OURS = /^bosun((?:\.inner)*)\//;
const INNER = /^bosun((?:\.inner)*)\.inner\//;
