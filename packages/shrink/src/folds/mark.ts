// The marks at the head of a folded text, such as [bosun:paths /a/b/], and what keeps foreign text from forging them.

export const MARK_OPENING = "[bosun:";

/** What it begins with: two characters are found in a fifth of the time that more of them take. */
const BEGINNING = "[b";
const [BEGINNING_FIRST, BEGINNING_SECOND] = [BEGINNING.charCodeAt(0), BEGINNING.charCodeAt(1)];
/** Where there is one there may be many: the engine is not asked again at once. */
const READ_CLOSELY = 32;

export type Marked = { name: string; argument: string; body: string };

export function withMark(name: string, argument: string, body: string): string {
  return `${MARK_OPENING}${name}${argument === "" ? "" : ` ${argument}`}]\n${body}`;
}

/** The mark in the first line of a text; undefined where there is none. */
export function readMark(text: string): Marked | undefined {
  if (!text.startsWith(MARK_OPENING)) return undefined;
  const end = text.indexOf("]\n");
  if (end < 0 || text.lastIndexOf("\n", end) >= 0) return undefined;
  const inside = text.slice(MARK_OPENING.length, end);
  const blank = inside.indexOf(" ");
  const name = blank < 0 ? inside : inside.slice(0, blank);
  return { name, argument: blank < 0 ? "" : inside.slice(blank + 1), body: text.slice(end + 2) };
}

/** Can this stand inside a mark, and be read back from it? */
export function fitsInMark(argument: string): boolean {
  return !/[\]\n\r]/.test(argument) && argument === argument.trim();
}

/** Is there anything in this text that looks like a mark? */
export function holdsMark(text: string): boolean {
  return placeOf(MARK_OPENING, text, 0) >= 0;
}

/** Where this stands in a text, which begins like a mark; −1: nowhere from there on. */
export function placeOf(what: string, text: string, from: number): number {
  for (let at = beginningFrom(text, from); at >= 0; at = beginningFrom(text, at + BEGINNING.length)) {
    let i = BEGINNING.length;
    while (i < what.length && text.charCodeAt(at + i) === what.charCodeAt(i)) i++;
    if (i >= what.length) return at;
  }
  return -1;
}

/** Where something begins like a mark. */
export function beginningFrom(text: string, from: number): number {
  const near = Math.min(text.length, from + READ_CLOSELY);
  for (let at = from; at < near; at++) {
    if (text.charCodeAt(at) === BEGINNING_FIRST && text.charCodeAt(at + 1) === BEGINNING_SECOND) return at;
  }
  return text.indexOf(BEGINNING, near);
}
