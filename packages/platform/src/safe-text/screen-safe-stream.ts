// The same as screen-safe, for text that arrives in pieces: nothing is shown that the next piece could change.
import { COLOUR_OFF, escapeAll, freshState, unforged, type ScreenSafeOptions } from "./screen-safe.ts";

export type ScreenSafeStream = {
  /** What can be shown now. */
  push(chunk: string): string;
  /** The rest, at the end. */
  flush(): string;
};

export type ScreenSafeStreamOptions = Omit<ScreenSafeOptions, "maxChars"> & {
  /** Model text has no frame: lines that imitate ours get a backslash. */
  unforged?: boolean;
};

const LONGEST_BLANK = 64; // blanks before a doubtful line start; further in, nothing looks like a line of ours
const LONGEST_SGR = 64;

/** Holds back a few characters at most: half a line end or character, a joiner, a colour, a doubtful line start. */
export function createScreenSafeStream(options: ScreenSafeStreamOptions = {}): ScreenSafeStream {
  const state = freshState();
  let held = "";
  let atLineStart = true;

  function show(text: string): string {
    if (text === "") return "";
    const safe = escapeAll(text, options, state).text;
    // A piece that goes on a line already begun cannot start one: the letter in front makes the first ^ miss.
    const shown = !options.unforged ? safe : atLineStart ? unforged(safe) : unforged(`x${safe}`).slice(1);
    atLineStart = text.endsWith("\n");
    return shown;
  }

  return {
    push(chunk) {
      const text = held + chunk;
      const end = settledEnd(text, options, atLineStart);
      held = text.slice(end);
      return show(text.slice(0, end));
    },
    flush() {
      const rest = show(held);
      held = "";
      const off = state.coloured ? COLOUR_OFF : "";
      state.coloured = false;
      return rest + off;
    },
  };
}

function settledEnd(text: string, options: ScreenSafeStreamOptions, atLineStart: boolean): number {
  let end = options.unforged ? beforeDoubtfulLine(text, atLineStart) : text.length;
  if (options.colors) {
    const escape = text.lastIndexOf("\u001b", end - 1);
    if (escape >= Math.max(0, end - LONGEST_SGR) && !text.slice(escape, end).includes("m")) end = escape;
  }
  // CR may become CR LF, a high surrogate is half a character, a joiner waits for the emoji it joins.
  if (isOneOf(text, end, (unit) => unit === 0x0d || (unit >= 0xd800 && unit <= 0xdbff))) end -= 1;
  if (isOneOf(text, end, (unit) => unit === 0x200d)) end -= 1;
  return end;
}

function isOneOf(text: string, end: number, kind: (unit: number) => boolean): boolean {
  return end > 0 && kind(text.charCodeAt(end - 1));
}

function beforeDoubtfulLine(text: string, atLineStart: boolean): number {
  const start = text.lastIndexOf("\n") + 1;
  if (start === 0 && !atLineStart) return text.length;
  const line = text.slice(start);
  return line.length < LONGEST_BLANK && /^[^\S\n]*(?:\[[a-z]{0,5})?$/.test(line) ? start : text.length;
}
