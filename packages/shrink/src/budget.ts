// A text that is larger than the budget: its beginning and its end, and between them what exactly is missing and how
// to have it. The end matters: that is where a build says why it failed.
import { MARK_OPENING } from "./forms/marks.ts";
import { countTokens, splitPieces } from "./tokens/count.ts";

/** Where the text stands in the original that the handle names: text before it, of other blocks. */
export type Place = { handle: string; textBefore: string };

/** Of the budget, for the beginning; the rest is for the end. */
const HEAD_SHARE = 0.5;
const NOTICE_TOKENS = 44;
/** More characters than this per token are blanks, and not worth counting. */
const CHARS_PER_TOKEN = 12;
/** Counted in slices, so that only as much of a long text is counted as is needed to know. */
const SLICE_CHARS = 16 * 1024;

/** undefined: the text is within the budget, or the notice alone would cost more than all of it. */
export function cutToBudget(text: string, budget: number, { handle, textBefore }: Place): string | undefined {
  if (text.length <= budget) return undefined;
  if (!costsMoreThan(text, budget)) return undefined;
  const room = Math.max(0, budget - NOTICE_TOKENS);
  const head = beginning(text, Math.floor(room * HEAD_SHARE));
  const tail = end(text.slice(head.length), room - countTokens(head));
  const missing = text.slice(head.length, text.length - tail.length);
  const notice = `${MARK_OPENING}omitted ${rangeOf(textBefore + head, missing)}: read_original ${handle}]`;
  const cut = `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${notice}\n${tail}`;
  const cost = countTokens(cut);
  return cost <= budget || costsMoreThan(text, cost) ? cut : undefined;
}

function costsMoreThan(text: string, tokens: number): boolean {
  let least = 0;
  for (let from = 0; from < text.length; from += SLICE_CHARS) {
    // A cut may have made two tokens of one.
    least += countTokens(text.slice(from, from + SLICE_CHARS)) - 1;
    if (least > tokens) return true;
  }
  return countTokens(text) > tokens;
}

// Whole lines by their numbers; anything else by its bytes. Both are what read_original takes.
function rangeOf(before: string, missing: string): string {
  const wholeLines = (before === "" || before.endsWith("\n")) && missing.endsWith("\n");
  if (wholeLines) {
    const first = linesIn(before) + 1;
    const count = linesIn(missing);
    return `lines ${first}-${first + count - 1} (${count} lines, ${missing.length} characters)`;
  }
  const from = Buffer.byteLength(before);
  return `bytes ${from}-${from + Buffer.byteLength(missing)} (${missing.length} characters)`;
}

// As many pieces as fit, then back to the end of a line if one is near.
function beginning(text: string, tokens: number): string {
  const { count, ends, costs } = splitPieces(text.slice(0, tokens * CHARS_PER_TOKEN));
  let at = 0;
  let left = tokens;
  for (let i = 0; i < count; i++) {
    left -= costs[i] ?? 0;
    if (left < 0) break;
    at = ends[i] ?? 0;
  }
  const line = text.lastIndexOf("\n", at - 1) + 1;
  return text.slice(0, line > at / 2 ? line : wholeCharacter(text, at));
}

function end(text: string, tokens: number): string {
  const from = Math.max(0, text.length - tokens * CHARS_PER_TOKEN);
  const { count, ends, costs } = splitPieces(text.slice(from));
  let at = text.length;
  let left = tokens;
  for (let i = count - 1; i >= 0; i--) {
    left -= costs[i] ?? 0;
    if (left < 0) break;
    at = from + (i === 0 ? 0 : (ends[i - 1] ?? 0));
  }
  const line = text.indexOf("\n", at) + 1;
  return text.slice(line > 0 && line - at < (text.length - at) / 2 ? line : wholeCharacter(text, at));
}

/** Not between the halves of a pair. */
function wholeCharacter(text: string, at: number): number {
  return /[\udc00-\udfff]/.test(text[at] ?? "") ? at + 1 : at;
}

function linesIn(part: string): number {
  let lines = 0;
  for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) lines++;
  return lines;
}
