// Repeats across the calls of one session: lines that were sent before become one line that says where they stand.
//
//   [bosun:seen 123456789012345678901234 12-47]     lines 12 to 47 of that earlier result
//   [bosun:seen 123456789012345678901234]           all of it
import { createHash } from "node:crypto";

import { UnfoldError } from "./folds/fold.ts";
import { MARK_OPENING } from "./folds/mark.ts";
import { LineWindows, WINDOW, windowHashes } from "./line-windows.ts";
import { linesOf } from "./lines.ts";

export type RepeatOptions = { maxChars?: number; maxTexts?: number };

export type Repeated = { text: string; seen: Record<string, string> };

type Sent = {
  handle: string;
  digest: string;
  text: string;
  lines: readonly string[];
  serial: number;
};

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
  readonly #windows = new LineWindows((serial) => this.#bySerial.has(serial));
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
    let from = 0;
    for (let i = 0; i < hashes.length;) {
      const block = this.#windows.find(hashes[i] ?? 0) ? this.#longestBlock(lines, i) : undefined;
      if (block === undefined) {
        i++;
        continue;
      }
      const { sent, line, count } = block;
      for (; from < i; from++) out.push(lines[from] ?? "");
      out.push(`${MARK_OPENING}seen ${sent.handle} ${line + 1}-${line + count}]`);
      seen[sent.handle] = sent.digest;
      i += count;
      from = i;
    }
    if (out.length === 0) return undefined;
    for (; from < lines.length; from++) out.push(lines[from] ?? "");
    return { text: out.join("\n"), seen };
  }

  /** To be called with every text that goes out, as it was before anything was folded. */
  remember(text: string, handle: string): void {
    if (text.length > this.#limits.maxChars || this.#sent.has(handle) || text.includes(MARK_OPENING)) return;
    // Half a surrogate pair has no UTF-8 of its own, and so no digest of its own.
    if (!text.isWellFormed()) return;
    const lines = linesOf(text);
    const sent: Sent = { handle, digest: digestOf(text), text, lines, serial: this.#serial++ };
    this.#sent.set(handle, sent);
    this.#whole.set(text, sent);
    this.#bySerial.set(sent.serial, sent);
    this.#windows.add(windowHashes(lines), sent.serial);
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
    this.#chars -= sent.text.length;
  }

  // From the window that was found last.
  #longestBlock(lines: readonly string[], at: number): { sent: Sent; line: number; count: number } | undefined {
    const { text, line } = this.#windows;
    const sent = this.#bySerial.get(text);
    if (sent === undefined) return undefined;
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
