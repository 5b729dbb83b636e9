// Repeats across the calls of one session: lines that were sent before become one line that says where they stand.
//
//   [bosun:seen 123456789012345678901234 12-47 of read_file a.ts]   lines 12 to 47 of what that call gave
//   [bosun:seen 123456789012345678901234 60-80]                     of the same: its call has been named above
//   [bosun:seen 123456789012345678901234]                           all of a result whose call is not known
import { createHash } from "node:crypto";

import { UnfoldError } from "./folds/fold.ts";
import { holdsMark, MARK_OPENING } from "./folds/mark.ts";
import type { HashedLines } from "./hashed-lines.ts";
import { hashLines, sameLines, WINDOW } from "./hashed-lines.ts";
import { LineWindows } from "./line-windows.ts";

export type RepeatOptions = { maxChars?: number; maxTexts?: number };

export type Repeated = { text: string; seen: Record<string, string> };

type Sent = {
  handle: string;
  /** The call that gave it, as its caller will remember it. */
  call: string | undefined;
  digest: string;
  lines: HashedLines;
  serial: number;
};

/** What a reference costs, in characters of ordinary text. */
const MIN_BLOCK_CHARS = 120;
const MIN_WHOLE_CHARS = 160;
/** What a damaged or hostile text may unfold to. */
const MAX_UNFOLDED_CHARS = 64 << 20;
const DEFAULTS = { maxChars: 4_000_000, maxTexts: 500 };
const NO_WINDOWS = new Int32Array(0);
const LINE = /^\[bosun:seen (\d{24})(?: (\d+)-(\d+))?(?: of [^\]]*)?\]$/;

/** What one client has been sent. Holds a bounded part of it: the latest. */
export class Repeats {
  readonly #limits: { maxChars: number; maxTexts: number };
  readonly #sent = new Map<string, Sent>();
  readonly #bySerial = new Map<number, Sent>();
  readonly #windows = new LineWindows((serial) => this.#bySerial.has(serial));
  #serial = 0;
  readonly #whole = new Map<string, Sent>();
  readonly #isThere: (handle: string) => boolean;
  #chars = 0;

  /** `isThere`: whether an earlier result can still be read back under its handle. */
  constructor(limits: RepeatOptions = {}, isThere: (handle: string) => boolean = () => true) {
    this.#limits = { ...DEFAULTS, ...limits };
    this.#isThere = isThere;
  }

  get chars(): number {
    return this.#chars;
  }

  /** The text with what was sent before replaced; undefined when nothing was. */
  fold(text: string): Repeated | undefined {
    if (this.#sent.size === 0 || holdsMark(text)) return undefined;
    const whole = text.length >= MIN_WHOLE_CHARS ? this.#whole.get(text) : undefined;
    if (whole !== undefined) return { text: reference(whole, "", true), seen: { [whole.handle]: whole.digest } };
    const lines = hashLines(text);
    const { starts, windows } = lines;
    const out: string[] = [];
    const seen: Record<string, string> = {};
    let from = 0;
    for (let i = 0; i < windows.length;) {
      const block = this.#windows.find(windows[i] ?? 0) ? this.#longestBlock(lines, i) : undefined;
      if (block === undefined) {
        i++;
        continue;
      }
      const { sent, line, count } = block;
      const start = starts[i] ?? 0;
      if (from < start) out.push(text.slice(from, start - 1));
      out.push(reference(sent, ` ${line + 1}-${line + count}`, seen[sent.handle] === undefined));
      seen[sent.handle] = sent.digest;
      i += count;
      from = starts[i] ?? 0;
    }
    if (out.length === 0) return undefined;
    if (from <= text.length) out.push(text.slice(from));
    return { text: out.join("\n"), seen };
  }

  /** To be called with every text that goes out, as it was before anything was folded. */
  remember(text: string, handle: string, call?: string): void {
    if (text.length > this.#limits.maxChars || this.#sent.has(handle) || holdsMark(text)) return;
    const first = this.#whole.get(text);
    // Where it was seen first it stands in full; here there may be a reference.
    if (first !== undefined && this.#isThere(first.handle)) return;
    if (first !== undefined) this.#forget(first);
    // Half a surrogate pair has no UTF-8 of its own, and so no digest of its own.
    if (!text.isWellFormed()) return;
    const lines = hashLines(text);
    const sent: Sent = { handle, call, digest: digestOf(text), lines: withoutWindows(lines), serial: this.#serial++ };
    this.#sent.set(handle, sent);
    this.#whole.set(text, sent);
    this.#bySerial.set(sent.serial, sent);
    this.#windows.add(lines.windows, sent.serial);
    this.#chars += text.length;
    for (const [, oldest] of this.#sent) {
      if (this.#chars <= this.#limits.maxChars && this.#sent.size <= this.#limits.maxTexts) break;
      this.#forget(oldest);
    }
  }

  #forget(sent: Sent): void {
    this.#sent.delete(sent.handle);
    const { text } = sent.lines;
    if (this.#whole.get(text) === sent) this.#whole.delete(text);
    this.#bySerial.delete(sent.serial);
    this.#chars -= text.length;
  }

  // From the window that was found last.
  #longestBlock(lines: HashedLines, at: number): { sent: Sent; line: number; count: number } | undefined {
    const { text, line } = this.#windows;
    const sent = this.#bySerial.get(text);
    if (sent === undefined) return undefined;
    const { count } = sameLines(lines, at, sent.lines, line, MIN_BLOCK_CHARS);
    return count >= WINDOW ? { sent, line, count } : undefined;
  }
}

function reference({ handle, call }: Sent, lines: string, isFirst: boolean): string {
  return `${MARK_OPENING}seen ${handle}${lines}${isFirst && call !== undefined ? ` of ${call}` : ""}]`;
}

// They stand in the table of all windows from now on.
function withoutWindows(lines: HashedLines): HashedLines {
  return { ...lines, windows: NO_WINDOWS };
}

/** Puts back what `Repeats.fold` took out. `find` gives an earlier text by its handle. */
export function unfoldRepeats(text: string, find: (handle: string) => string | undefined): string {
  const known = new Map<string, readonly string[]>();
  const out: string[] = [];
  let chars = 0;
  for (const line of text.split("\n")) {
    const match = line.startsWith(MARK_OPENING) ? LINE.exec(line) : null;
    if (match === null) {
      out.push(line);
      continue;
    }
    const [, handle = "", from, to] = match;
    const lines = known.get(handle) ?? find(handle)?.split("\n");
    if (lines === undefined) throw new UnfoldError(`the earlier result ${handle} is not known here`);
    known.set(handle, lines);
    const block = (from === undefined ? lines : lines.slice(Number(from) - 1, Number(to))).join("\n");
    chars += block.length;
    if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the references would unfold to too much");
    out.push(block);
  }
  return out.join("\n");
}

export function digestOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 32);
}
