// Repeats across the calls of one session: lines that were sent before become one line that says where they stand.
//
//   [bosun:seen 123456789012345678901234 12-47]     lines 12 to 47 of that earlier result
//   [bosun:seen 123456789012345678901234]           all of it
import { createHash } from "node:crypto";

import { UnfoldError } from "./folds/fold.ts";
import { MARK_OPENING } from "./folds/mark.ts";
import { linesOf } from "./lines.ts";

export type RepeatOptions = { maxChars?: number; maxTexts?: number };

export type Repeated = { text: string; seen: Record<string, string> };

type Sent = {
  handle: string;
  digest: string;
  text: string;
  lines: readonly string[];
  windows: Int32Array;
  serial: number;
};

/** Fewer lines than this are not worth looking up. */
const WINDOW = 4;
/** More lines than any text that is remembered. */
const MAX_LINES = 2 ** 24;
/** What a reference costs, in characters of ordinary text. */
const MIN_BLOCK_CHARS = 120;
const MIN_WHOLE_CHARS = 160;
/** What a damaged or hostile text may unfold to. */
const MAX_UNFOLDED_CHARS = 64 << 20;
const DEFAULTS = { maxChars: 4_000_000, maxTexts: 500 };
const LINE = /^\[bosun:seen (\d{24})(?: (\d+)-(\d+))?\]$/;

/** What one client has been sent. Holds a bounded part of it: the latest. */
export class Repeats {
  readonly #limits: { maxChars: number; maxTexts: number };
  readonly #sent = new Map<string, Sent>();
  readonly #bySerial = new Map<number, Sent>();
  /** Hash of four lines → where they stand, as serial number and line in one; the latest wins. */
  readonly #windows = new Map<number, number>();
  #serial = 0;
  readonly #whole = new Map<string, Sent>();
  #chars = 0;

  constructor(limits: RepeatOptions = {}) {
    this.#limits = { ...DEFAULTS, ...limits };
  }

  get chars(): number {
    return this.#chars;
  }

  /** The text with what was sent before replaced; undefined when nothing was. */
  fold(text: string): Repeated | undefined {
    if (this.#sent.size === 0 || text.includes(MARK_OPENING)) return undefined;
    const whole = text.length >= MIN_WHOLE_CHARS ? this.#whole.get(text) : undefined;
    if (whole !== undefined)
      return { text: `${MARK_OPENING}seen ${whole.handle}]`, seen: { [whole.handle]: whole.digest } };
    const lines = linesOf(text);
    if (lines.length < WINDOW) return undefined;
    const hashes = windowHashes(lines);
    const out: string[] = [];
    const seen: Record<string, string> = {};
    for (let i = 0; i < lines.length;) {
      const block = this.#longestBlock(lines, i, hashes[i]);
      if (block === undefined) {
        out.push(lines[i] ?? "");
        i++;
        continue;
      }
      const { sent, line, count } = block;
      out.push(`${MARK_OPENING}seen ${sent.handle} ${line + 1}-${line + count}]`);
      seen[sent.handle] = sent.digest;
      i += count;
    }
    return Object.keys(seen).length === 0 ? undefined : { text: out.join("\n"), seen };
  }

  /** To be called with every text that goes out, as it was before anything was folded. */
  remember(text: string, handle: string): void {
    if (text.length > this.#limits.maxChars || this.#sent.has(handle) || text.includes(MARK_OPENING)) return;
    // Half a surrogate pair has no UTF-8 of its own, and so no digest of its own.
    if (!text.isWellFormed()) return;
    const lines = linesOf(text);
    const sent: Sent = {
      handle,
      digest: digestOf(text),
      text,
      lines,
      windows: windowHashes(lines),
      serial: this.#serial++,
    };
    this.#sent.set(handle, sent);
    this.#whole.set(text, sent);
    this.#bySerial.set(sent.serial, sent);
    for (let line = 0; line < sent.windows.length; line++) {
      this.#windows.set(sent.windows[line] ?? 0, sent.serial * MAX_LINES + line);
    }
    this.#chars += text.length;
    for (const [, oldest] of this.#sent) {
      if (this.#chars <= this.#limits.maxChars && this.#sent.size <= this.#limits.maxTexts) break;
      this.#forget(oldest);
    }
  }

  #forget(sent: Sent): void {
    this.#sent.delete(sent.handle);
    if (this.#whole.get(sent.text) === sent) this.#whole.delete(sent.text);
    this.#bySerial.delete(sent.serial);
    for (const hash of sent.windows) {
      if (Math.floor((this.#windows.get(hash) ?? -1) / MAX_LINES) === sent.serial) this.#windows.delete(hash);
    }
    this.#chars -= sent.text.length;
  }

  #longestBlock(
    lines: readonly string[],
    at: number,
    hash: number | undefined,
  ): { sent: Sent; line: number; count: number } | undefined {
    const place = hash === undefined ? undefined : this.#windows.get(hash);
    const sent = place === undefined ? undefined : this.#bySerial.get(Math.floor(place / MAX_LINES));
    if (place === undefined || sent === undefined) return undefined;
    const line = place % MAX_LINES;
    let count = 0;
    let chars = 0;
    while (
      at + count < lines.length &&
      line + count < sent.lines.length &&
      lines[at + count] === sent.lines[line + count]
    ) {
      chars += (lines[at + count]?.length ?? 0) + 1;
      count++;
    }
    return count >= WINDOW && chars >= MIN_BLOCK_CHARS ? { sent, line, count } : undefined;
  }
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

// One hash per window of lines; lines are hashed once.
function windowHashes(lines: readonly string[]): Int32Array {
  const hashes = new Int32Array(lines.length);
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? "";
    let hash = line.length;
    for (let i = 0; i < line.length; i++) hash = (Math.imul(hash, 0x01000193) + line.charCodeAt(i)) | 0;
    hashes[at] = hash;
  }
  const windows = new Int32Array(Math.max(0, lines.length - WINDOW + 1));
  for (let i = 0; i < windows.length; i++) {
    let hash = 0;
    for (let k = 0; k < WINDOW; k++) hash = (Math.imul(hash, 0x85ebca6b) ^ (hashes[i + k] ?? 0)) | 0;
    windows[i] = hash;
  }
  return windows;
}
