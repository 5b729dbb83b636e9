// How a JSON string may stand without its quotes: only where nobody can take it for anything else.
import { digitsEnd } from "../json-syntax.ts";

/** Between the parts of one object, array or table: a blank, or a bar where many values hold blanks themselves. */
export type Delimiter = " " | "|";

const BARE_BETWEEN_BLANKS = /^[^\s"{}[\]|\\^']+$/;
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

export function looksLikeLiteral(raw: string): boolean {
  return isString(raw) && isLiteralWithin(raw, 1, raw.length - 1);
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

// A number, perhaps with more noughts than JSON allows, or true, false or null. Asked of every value: no pattern.
function isLiteralWithin(text: string, start: number, end: number): boolean {
  const first = text.charCodeAt(start);
  if (first === 0x74 || first === 0x66 || first === 0x6e) {
    const word = end - start <= 5 ? text.slice(start, end) : "";
    return word === "true" || word === "false" || word === "null";
  }
  const whole = first === 0x2d ? start + 1 : start;
  let at = digitsEnd(text, whole);
  if (at === whole) return false;
  if (at < end && text.charCodeAt(at) === 0x2e) {
    const fraction = at + 1;
    at = digitsEnd(text, fraction);
    if (at === fraction) return false;
  }
  if (at < end && (text.charCodeAt(at) | 0x20) === 0x65) {
    const sign = text.charCodeAt(at + 1);
    const power = sign === 0x2b || sign === 0x2d ? at + 2 : at + 1;
    at = digitsEnd(text, power);
    if (at === power) return false;
  }
  return at === end;
}
