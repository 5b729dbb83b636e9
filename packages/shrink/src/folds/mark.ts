// The marks at the head of a folded text, such as [bosun:paths /a/b/], and what keeps foreign text from forging them.

export const MARK_OPENING = "[bosun:";

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
