// The lines of a text. Many folds look at the same text one after the other, so the last answer is kept.

let latest: { text: string; lines: readonly string[] } = { text: "", lines: [""] };
/** A longer text is not kept alive for it. */
const MAX_KEPT_CHARS = 300_000;

export function linesOf(text: string): readonly string[] {
  if (latest.text === text) return latest.lines;
  const lines = text.split("\n");
  if (text.length <= MAX_KEPT_CHARS) latest = { text, lines };
  return lines;
}
