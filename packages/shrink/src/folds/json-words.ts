// How a JSON string may stand without its quotes: only where nobody can take it for anything else.
import type { JsonScalar } from "../json-syntax.ts";
import {
  BARE as BARE_SCALAR,
  BARE_BETWEEN_BLANKS,
  HOLDS_BLANK,
  isLiteralWithin,
  KNOWN,
  LOOKS_LIKE_LITERAL,
  STRING,
} from "../json-traits.ts";

/** Between the parts of one object, array or table: a blank, or a bar where many values hold blanks themselves. */
export type Delimiter = " " | "|";

const BARE_BETWEEN_BARS = /^[^\s"{}[\]|\\^'](?:[^\n\r\t"{}[\]|\\^]*[^\s"{}[\]|\\^])?$/;
/** Stands for a key that a row does not have. */
export const ABSENT = "-";
/** Stands for the value of the row above, or for the header of the table above. */
export const DITTO = "^";

// There are several questions about every value: where the characters are ASCII, tables answer instead of patterns.
const BARE = Uint8Array.from({ length: 128 }, (_, unit) => Number(BARE_BETWEEN_BLANKS.test(String.fromCharCode(unit))));
const BLANK = Uint8Array.from({ length: 128 }, (_, unit) => Number(/\s/.test(String.fromCharCode(unit))));

export function isString(raw: string): boolean {
  return raw.charCodeAt(0) === 0x22;
}

/** A scalar as it stands in our notation. In a place of strings only, what looks like a number needs no quotes. */
export function writeWord(raw: string, delimiter: Delimiter, stringsOnly: boolean): string {
  if (!isString(raw) || !isBare(raw, delimiter)) return raw;
  const inside = raw.slice(1, -1);
  return inside === ABSENT || (!stringsOnly && isLiteral(inside)) ? raw : inside;
}

/** The scalar that a word stands for. */
export function readWord(word: string, stringsOnly: boolean): string {
  if (isString(word)) return word;
  return !stringsOnly && isLiteral(word) ? word : `"${word}"`;
}

export function writeKey(raw: string, delimiter: Delimiter): string {
  const word = writeWord(raw, delimiter, true);
  return isString(word) || word.includes(":") || word.includes("=") ? raw : word;
}

/** The same of a scalar, mostly without a look into it. */
export function writeScalar({ raw, traits }: JsonScalar, delimiter: Delimiter, stringsOnly: boolean): string {
  if ((traits & KNOWN) === 0 || ((traits & BARE_SCALAR) === 0 && delimiter === "|"))
    return writeWord(raw, delimiter, stringsOnly);
  if ((traits & BARE_SCALAR) === 0 || (!stringsOnly && (traits & LOOKS_LIKE_LITERAL) !== 0)) return raw;
  const inside = raw.slice(1, -1);
  return inside.length === ABSENT.length && inside === ABSENT ? raw : inside;
}

export function isStringScalar({ raw, traits }: JsonScalar): boolean {
  return (traits & KNOWN) === 0 ? isString(raw) : (traits & STRING) !== 0;
}

/** Is it a string of which one may think, without its quotes, that it is something else? */
export function looksLikeLiteral({ raw, traits }: JsonScalar): boolean {
  if ((traits & KNOWN) !== 0) return (traits & LOOKS_LIKE_LITERAL) !== 0;
  return isString(raw) && isLiteralWithin(raw, 1, raw.length - 1);
}

export function scalarHoldsBlank({ raw, traits }: JsonScalar): boolean {
  return (traits & KNOWN) === 0 ? holdsBlank(raw) : (traits & HOLDS_BLANK) !== 0;
}

export function holdsBlank(raw: string): boolean {
  if (!isString(raw)) return false;
  for (let at = 1; at < raw.length; at++) {
    const unit = raw.charCodeAt(at);
    if (unit > 127) return /\s/.test(raw);
    if (BLANK[unit] === 1) return true;
  }
  return false;
}

function isBare(raw: string, delimiter: Delimiter): boolean {
  const end = raw.length - 1;
  for (let at = 1; at < end; at++) {
    const unit = raw.charCodeAt(at);
    if (unit <= 127 && BARE[unit] === 1) continue;
    // Between bars, blanks and apostrophes may stand inside.
    const mayBe = unit > 127 || (delimiter === "|" && (unit === 0x20 || unit === 0x27));
    return mayBe && (delimiter === " " ? BARE_BETWEEN_BLANKS : BARE_BETWEEN_BARS).test(raw.slice(1, -1));
  }
  return end > 1;
}

function isLiteral(word: string): boolean {
  return isLiteralWithin(word, 0, word.length);
}
