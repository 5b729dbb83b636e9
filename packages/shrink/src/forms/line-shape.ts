// A line as words and what stands between them. Lines of one shape can share a pattern.

/** Dates and times of day stay in one piece; so does everything else without a blank or one of = , ; ( ) [ ] " ' < > | : @ { }. */
const WORD = /\d{4}-\d\d-\d\d|T(?=\d\d:\d\d)|\d{1,2}:\d\d:\d\d(?:[.,]\d+)?Z?|[^\s=,;()[\]"'<>|:@{}]+/y;
const MAX_WORDS = 80;
/** A longer line keeps to itself. */
const MAX_CHARS = 2000;

export type LineShape = {
  words: string[];
  /** What stands before each word, and behind the last. */
  gaps: string[];
  /** Equal for lines that differ in nothing but their words. */
  key: string;
};

/** undefined: too long, or too many words. */
export function shapeOf(line: string): LineShape | undefined {
  if (line.length > MAX_CHARS) return undefined;
  const words: string[] = [];
  const gaps: string[] = [];
  let at = 0;
  let gapFrom = 0;
  while (at < line.length) {
    WORD.lastIndex = at;
    const word = WORD.exec(line)?.[0];
    if (word === undefined) {
      at++;
      continue;
    }
    if (words.length === MAX_WORDS) return undefined;
    gaps.push(line.slice(gapFrom, at));
    words.push(word);
    at += word.length;
    gapFrom = at;
  }
  gaps.push(line.slice(gapFrom));
  return { words, gaps, key: gaps.join("\u0000") };
}
