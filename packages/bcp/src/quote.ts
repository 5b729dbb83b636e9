// Text in double quotes, as the reference prints it: what cannot be seen is spelled out.

const UNSEEN = /[\p{C}\p{Z}\p{Grapheme_Extend}]/u;
const NEEDS_CARE = /["\\\p{C}\p{Z}\p{Grapheme_Extend}]/u;
const SHORT = new Map([
  ['"', '\\"'],
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
  ["\0", "\\0"],
]);

export function quote(text: string): string {
  if (!NEEDS_CARE.test(text)) return `"${text}"`;
  let quoted = '"';
  for (const char of text) quoted += SHORT.get(char) ?? (char === " " || !UNSEEN.test(char) ? char : escaped(char));
  return `${quoted}"`;
}

function escaped(char: string): string {
  return `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`;
}
