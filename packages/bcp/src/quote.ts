// Text for a screen: in double quotes as the reference prints it, where what cannot be seen is spelled out; or as it is, but for
// what a terminal would obey.

const NEEDS_CARE = /["\\\p{C}\p{Z}\p{Grapheme_Extend}]/u;
const EACH_UNSEEN = new RegExp(NEEDS_CARE, "gu");
// Control characters, which move the cursor or begin a command, and those that reverse the direction of what follows.
const OBEYED = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
const SHORT = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\0", "\\0"],
]);

// Long texts go in slices: a path of ten million control characters must not take ten million strings at once.
const SLICE_CHARS = 8192;

export function quote(text: string): string {
  return NEEDS_CARE.test(text) ? [...quoted([text])].join("") : `"${text}"`;
}

/** The same in pieces, of a text that comes in pieces of whole characters. */
export function* quoted(texts: Iterable<string>): Generator<string, void> {
  yield '"';
  for (const text of texts) {
    for (let start = 0; start < text.length;) {
      let end = Math.min(start + SLICE_CHARS, text.length);
      if (isHighSurrogate(text.charCodeAt(end - 1))) end = Math.min(end + 1, text.length);
      yield text.slice(start, end).replaceAll(EACH_UNSEEN, escaped);
      start = end;
    }
  }
  yield '"';
}

/** The text itself, line feeds and tabs included, with every other control character spelled out. */
export function escapeControls(text: string): string {
  return text.replaceAll(OBEYED, escaped);
}

function escaped(char: string): string {
  if (char === " ") return char;
  return SHORT.get(char) ?? `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}

function isHighSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
