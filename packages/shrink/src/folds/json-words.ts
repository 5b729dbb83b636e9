// How a JSON string may stand without its quotes: only where nobody can take it for anything else.

/** Between the parts of one object, array or table: a blank, or a bar where many values hold blanks themselves. */
export type Delimiter = " " | "|";

const BARE_BETWEEN_BLANKS = /^[^\s"{}[\]|\\^']+$/;
const BARE_BETWEEN_BARS = /^[^\s"{}[\]|\\^'](?:[^\n\r\t"{}[\]|\\^]*[^\s"{}[\]|\\^])?$/;
const LITERAL = /^(?:-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)$/;
/** Stands for a key that a row does not have. */
export const ABSENT = "-";
/** Stands for the value of the row above, or for the header of the table above. */
export const DITTO = "^";

export function isString(raw: string): boolean {
  return raw.charCodeAt(0) === 0x22;
}

/** A scalar as it stands in our notation. In a place of strings only, what looks like a number needs no quotes. */
export function writeWord(raw: string, delimiter: Delimiter, stringsOnly: boolean): string {
  if (!isString(raw)) return raw;
  const inside = raw.slice(1, -1);
  if (inside === ABSENT || !(delimiter === " " ? BARE_BETWEEN_BLANKS : BARE_BETWEEN_BARS).test(inside)) return raw;
  return !stringsOnly && LITERAL.test(inside) ? raw : inside;
}

/** The scalar that a word stands for. */
export function readWord(word: string, stringsOnly: boolean): string {
  if (isString(word)) return word;
  return !stringsOnly && LITERAL.test(word) ? word : `"${word}"`;
}

export function writeKey(raw: string, delimiter: Delimiter): string {
  const word = writeWord(raw, delimiter, true);
  return isString(word) || /[:=]/.test(word) ? raw : word;
}

export function looksLikeLiteral(raw: string): boolean {
  return isString(raw) && LITERAL.test(raw.slice(1, -1));
}

export function holdsBlank(raw: string): boolean {
  return isString(raw) && /\s/.test(raw);
}
