// A text that is larger than the budget: its beginning and its end, and between them what exactly is missing and how
// to have it. The end matters: that is where a build says why it failed.
import { MARK_OPENING } from "./folds/mark.ts";
import { countTokens } from "./tokens/count.ts";

/** Of the budget, for the beginning; the rest is for the end. */
const HEAD_SHARE = 0.5;
const NOTICE_TOKENS = 40;
/** Enough to count; more than any budget. A text of ten megabytes is not counted as a whole. */
const MAX_COUNTED_CHARS = 600_000;

/** undefined: the text is within the budget. */
export function cutToBudget(text: string, budget: number, handle: string): string | undefined {
  // No token is longer than a hundred characters or so, and few are shorter than one.
  if (text.length <= budget || (text.length <= MAX_COUNTED_CHARS && countTokens(text) <= budget)) return undefined;
  const room = Math.max(0, budget - NOTICE_TOKENS);
  const head = fitting(text, Math.floor(room * HEAD_SHARE), true);
  const tail = fitting(text, room - countTokens(head), false);
  const before = linesIn(head);
  const missing = text.slice(head.length, text.length - tail.length);
  const last = before + linesIn(missing);
  const range = head.endsWith("\n") || head === "" ? `lines ${before + 1}-${last}` : "the middle";
  const notice = `${MARK_OPENING}omitted ${range} (${missing.length} characters): read_original ${handle}]`;
  return `${head}${head === "" || head.endsWith("\n") ? "" : "\n"}${notice}\n${tail}`;
}

// Whole lines where there are any; the longest part that fits, by halving.
function fitting(text: string, tokens: number, fromStart: boolean): string {
  const reach = Math.min(text.length, tokens * 24);
  const part = (chars: number) => (fromStart ? text.slice(0, chars) : text.slice(text.length - chars));
  let low = 0;
  let high = reach;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (countTokens(part(middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  const chosen = part(low);
  const at = fromStart ? chosen.lastIndexOf("\n") + 1 : chosen.indexOf("\n") + 1;
  if (fromStart) return wellFormed(at > chosen.length / 2 ? chosen.slice(0, at) : chosen);
  return wellFormed(at > 0 && at < chosen.length / 2 ? chosen.slice(at) : chosen);
}

/** Without half a pair at either end. */
function wellFormed(part: string): string {
  const start = /^[\udc00-\udfff]/.test(part) ? 1 : 0;
  const end = /[\ud800-\udbff]$/.test(part) ? part.length - 1 : part.length;
  return part.slice(start, end);
}

function linesIn(part: string): number {
  let lines = 0;
  for (let at = part.indexOf("\n"); at >= 0; at = part.indexOf("\n", at + 1)) lines++;
  return lines;
}
