// Foreign text → text that cannot move the cursor, set a title, reach the clipboard, hide or reorder anything.
// What would act or be invisible is shown as an escape (\x1b, \u202e). Applied last, before output; logs keep the original.
import {
  classOf,
  isPlain,
  isEmojiBase,
  isEmojiModifier,
  isJoinable,
  VISIBLE,
  MARK,
  SELECTOR,
  JOINER,
} from "./characters.ts";

export type ScreenSafeOptions = {
  /** For names and prompts: line feed and tab are shown as \n and \t too. */
  oneLine?: boolean;
  /** Longest result in characters of input; the rest is counted, never silently dropped. */
  maxChars?: number;
  /** Put around each run of escapes, e.g. reverse video on and off. Trusted: it is ours. */
  mark?: { open: string; close: string };
  /** Lets plain colour sequences (SGR) pass, for the output of a command the person typed. */
  colors?: boolean;
};

export type ScreenSafe = {
  text: string;
  /** How many characters were shown as escapes. A question whose text has any needs more than "y". */
  escaped: number;
  /** How many characters of the input were left out at the end. */
  cut: number;
};

const CLEAN = /^[\n\t\x20-\x7e]*$/;
const CLEAN_LINE = /^[\x20-\x7e]*$/;
// More marks than any script stacks: beyond it they paint over the lines above and below.
const MAX_STACKED_MARKS = 6;
const LONGEST_SGR = 64;
/** Foreign colour must not run into our own lines. */
export const COLOUR_OFF = "\u001b[0m";

/** The safe text alone. */
export function screenSafe(text: string, options: ScreenSafeOptions = {}): string {
  const limit = options.maxChars;
  if ((limit === undefined || text.length <= limit) && (options.oneLine ? CLEAN_LINE : CLEAN).test(text)) return text;
  return makeScreenSafe(text, options).text;
}

/** The safe text, and what was done to get it. */
export function makeScreenSafe(text: string, options: ScreenSafeOptions = {}): ScreenSafe {
  const { shown, cut } = bounded(text, options.maxChars);
  const state = freshState();
  const result = !options.oneLine && isPlain(shown) ? { text: shown, escaped: 0 } : escapeAll(shown, options, state);
  if (state.coloured) result.text += COLOUR_OFF;
  if (cut > 0) result.text += `… ${cut.toLocaleString("en-US")} more characters`;
  return { ...result, cut };
}

/** One line of foreign text per framed line: nothing in it can stand at column 0. */
export function framed(text: string, options: ScreenSafeOptions & { frame?: string } = {}): string {
  const { frame = "│ ", ...rest } = options;
  return frame + screenSafe(text, { ...rest, oneLine: false }).replaceAll("\n", `\n${frame}`);
}

/** Model text has no frame: a line that imitates ours gets a backslash in front. Call on whole lines. */
export function unforged(safeText: string): string {
  return safeText.replace(/^(?=[^\S\n]*(?:\[aish\]|\[bosun\]|[┌└├│╭╰]))/gm, "\\");
}

/** For the model: invisible tag characters removed and counted, everything else kept. */
export function withoutTagCharacters(text: string): { text: string; removed: number } {
  let removed = 0;
  const kept = text.replace(/[\u{e0000}-\u{e007f}]/gu, () => {
    removed += 1;
    return "";
  });
  return { text: kept, removed };
}

/** What the characters so far mean for the next one. */
export type EscapeState = {
  before: number; // the last visible character, for joiners and selectors
  marks: number; // combining marks stacked on it
  selected: boolean; // it has its selector: a second one would only carry hidden bits
  coloured: boolean; // a foreign colour is on
};

export function freshState(): EscapeState {
  return { before: -1, marks: 0, selected: false, coloured: false };
}

function bounded(text: string, maxChars: number | undefined): { shown: string; cut: number } {
  if (maxChars === undefined || text.length <= maxChars) return { shown: text, cut: 0 };
  // Not between the halves of a surrogate pair: half a character would be shown as damage that was not there.
  const end = isHigh(text.charCodeAt(maxChars - 1)) ? maxChars - 1 : maxChars;
  return { shown: text.slice(0, end), cut: text.length - end };
}

export function escapeAll(
  text: string,
  options: ScreenSafeOptions,
  state: EscapeState,
): { text: string; escaped: number } {
  const open = options.mark?.open ?? "";
  const close = options.mark?.close ?? "";
  const parts: string[] = [];
  let plainFrom = 0;
  let escaped = 0;
  let inRun = false;
  for (let at = 0; at < text.length;) {
    const point = text.codePointAt(at) ?? 0;
    const size = point > 0xffff ? 2 : 1;
    const kind = classOf(point);
    let passes = kind === VISIBLE;
    if (kind === MARK) passes = ++state.marks <= MAX_STACKED_MARKS;
    else state.marks = 0;
    if (point === 0x0a || point === 0x09) passes = !options.oneLine;
    else if (point === 0x0d && text.charCodeAt(at + 1) === 0x0a) {
      // CR LF is one line end: the CR is dropped, or shown where line ends are shown.
      if (!options.oneLine) {
        if (inRun) parts.push(close);
        inRun = false;
        parts.push(text.slice(plainFrom, at));
        plainFrom = at + 1;
        at += 1;
        continue;
      }
    } else if (kind === JOINER) passes = isJoinable(state.before) && isJoinable(text.codePointAt(at + 1) ?? 0);
    else if (kind === SELECTOR) passes = isEmojiBase(state.before) && point === 0xfe0f && !state.selected;
    else if (point === 0x1b && options.colors) {
      const end = endOfColour(text, at);
      if (end > at) {
        if (inRun) parts.push(close);
        inRun = false;
        parts.push(text.slice(plainFrom, end));
        plainFrom = end;
        at = end;
        state.coloured = true;
        continue;
      }
    }
    if (passes) {
      if (inRun) {
        parts.push(close);
        inRun = false;
      }
      // A selector or a skin tone belongs to the emoji before it; a mark ends it.
      if (kind === JOINER || kind === MARK) state.before = -1;
      else if (kind === SELECTOR) state.selected = true;
      else if (!isEmojiModifier(point)) {
        state.before = point;
        state.selected = false;
      }
      at += size;
      continue;
    }
    if (plainFrom < at) parts.push(text.slice(plainFrom, at));
    if (!inRun) parts.push(open);
    inRun = true;
    parts.push(escapeOf(point));
    escaped += 1;
    state.before = -1;
    at += size;
    plainFrom = at;
  }
  if (inRun) parts.push(close);
  if (plainFrom < text.length) parts.push(text.slice(plainFrom));
  return { text: parts.join(""), escaped };
}

// ESC [ digits ; : m and nothing else; a longer one is not a colour anybody needs.
function endOfColour(text: string, at: number): number {
  if (text.charCodeAt(at + 1) !== 0x5b) return at;
  const last = Math.min(text.length, at + LONGEST_SGR);
  for (let i = at + 2; i < last; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit === 0x6d) return i + 1;
    if (!((unit >= 0x30 && unit <= 0x39) || unit === 0x3b || unit === 0x3a)) return at;
  }
  return at;
}

export function escapeOf(point: number): string {
  if (point === 0x0a) return "\\n";
  if (point === 0x0d) return "\\r";
  if (point === 0x09) return "\\t";
  if (point < 0x100) return `\\x${point.toString(16).padStart(2, "0")}`;
  if (point < 0x10000) return `\\u${point.toString(16).padStart(4, "0")}`;
  return `\\u{${point.toString(16)}}`;
}

function isHigh(unit: number): boolean {
  return unit >= 0xd800 && unit <= 0xdbff;
}
