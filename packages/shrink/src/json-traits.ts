// What our notation asks about every scalar of a JSON text, answered where it is read: a stretch of a text is cheap to
// keep, but the first look into it makes a string of it.
import { digitsEnd } from "./json-syntax.ts";

/** Nothing has been asked yet: look into it. */
export const UNKNOWN = 0;
export const [KNOWN, STRING, HOLDS_BLANK, BARE, LOOKS_LIKE_LITERAL] = [1, 2, 4, 8, 16] as const;

/** What may stand without quotes between blanks. */
export const BARE_BETWEEN_BLANKS = /^[^\s"{}[\]|\\^']+$/;

const [IS_BLANK, NOT_BARE, NOT_ASCII] = [1, 2, 4];
const UNITS = Uint8Array.from({ length: 128 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  return (/\s/.test(char) ? IS_BLANK : 0) | (BARE_BETWEEN_BLANKS.test(char) ? 0 : NOT_BARE);
});

/** Of the scalar that stands there; UNKNOWN where only patterns can tell. */
export function traitsOf(text: string, start: number, end: number): number {
  if (text.charCodeAt(start) !== 0x22) return KNOWN;
  let seen = 0;
  for (let at = start + 1; at < end - 1; at++) seen |= UNITS[text.charCodeAt(at)] ?? NOT_ASCII;
  if (seen >= NOT_ASCII) return UNKNOWN;
  let traits = KNOWN | STRING;
  if ((seen & IS_BLANK) !== 0) traits |= HOLDS_BLANK;
  if ((seen & NOT_BARE) === 0 && end - start > 2) traits |= BARE;
  return isLiteralWithin(text, start + 1, end - 1) ? traits | LOOKS_LIKE_LITERAL : traits;
}

/** A number, perhaps with more noughts than JSON allows, or true, false or null. Asked of every value: no pattern. */
export function isLiteralWithin(text: string, start: number, end: number): boolean {
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
