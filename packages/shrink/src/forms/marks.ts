// The marks: one line of English before what it explains, and what keeps foreign text from forging them.

export const MARK_OPENING = "[bosun:";
export const END_MARK = "[bosun: end]";

/** What it begins with: two characters are found in a fifth of the time that more of them take. */
const BEGINNING = "[b";
const [BEGINNING_FIRST, BEGINNING_SECOND] = [BEGINNING.charCodeAt(0), BEGINNING.charCodeAt(1)];
/** Where there is one there may be many: the engine is not asked again at once. */
const READ_CLOSELY = 32;
const WAY_BACK = /; (?:repeat the call for the original|original: read_original \d+)$/;

/** How a reader gets the original: the same call again, or by its number. undefined: no mark says so. */
export type WayBack = "repeat" | { handle: string } | undefined;

/** `isFirst`: only the first mark of a result says how to get the original. */
export function markOf(phrases: readonly string[], wayBack: WayBack): string {
  const back =
    wayBack === undefined
      ? ""
      : wayBack === "repeat"
        ? "; repeat the call for the original"
        : `; original: read_original ${wayBack.handle}`;
  return `${MARK_OPENING} ${phrases.filter((phrase) => phrase !== "").join("; ")}${back}]`;
}

/** What a mark says, without the way back; undefined: the line is no mark. */
export function phraseIn(line: string): string | undefined {
  if (!line.startsWith(`${MARK_OPENING} `) || !line.endsWith("]")) return undefined;
  return line.slice(MARK_OPENING.length + 1, -1).replace(WAY_BACK, "");
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
