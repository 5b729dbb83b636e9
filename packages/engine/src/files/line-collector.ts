// UTF-8 bytes in pieces → the lines of a range. Skips and counts by newline alone; decodes only what is asked for.
import { EngineError } from "../failure.ts";

const NEWLINE = 10;
const RETURN = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

export type NumberedLine = {
  readonly number: number;
  /** Without its line ending; at most `maxLineChars` code points. */
  readonly text: string;
  /** Code points of the whole line, given when `text` is only its beginning. */
  readonly totalChars?: number;
};

type CollectorOptions = {
  readonly first: number;
  readonly last: number;
  readonly maxLineChars: number;
  readonly maxTextBytes: number;
  readonly describe: { readonly path: string; readonly shown: string };
};

export class LineCollector {
  readonly lines: NumberedLine[] = [];
  readonly #options: CollectorOptions;
  /** The line the next byte belongs to. */
  #number = 1;
  /** Bytes of that line already seen in earlier pieces. */
  #open = false;
  #long: LongLine | undefined;
  #started = false;
  #textBytes = 0;

  constructor(options: CollectorOptions) {
    this.#options = options;
  }

  /** All lines of the range are in. */
  get complete(): boolean {
    return this.#number > this.#options.last;
  }

  /** Valid after `end`. A final newline makes no extra line. */
  get totalLines(): number {
    return this.#number - 1;
  }

  push(piece: Buffer): void {
    let at = 0;
    if (!this.#started && piece.length > 0) {
      this.#started = true;
      if (BYTE_ORDER_MARK.every((byte, i) => piece[i] === byte)) at = BYTE_ORDER_MARK.length;
    }
    while (at < piece.length) {
      const wanted = this.#number >= this.#options.first && this.#number <= this.#options.last;
      const newline = piece.indexOf(NEWLINE, at);
      const end = newline < 0 ? piece.length : newline;
      if (wanted) this.#take(piece, at, end, newline >= 0);
      this.#open = newline < 0;
      if (newline < 0) return;
      this.#number += 1;
      at = newline + 1;
    }
  }

  end(): void {
    if (!this.#open) return;
    if (this.#long !== undefined) this.#finish(this.#long, false);
    this.#open = false;
    this.#number += 1;
  }

  #take(piece: Buffer, from: number, to: number, ends: boolean): void {
    const { maxLineChars } = this.#options;
    // The common case: a whole line, too short to be cut.
    if (ends && this.#long === undefined && to - from <= maxLineChars) {
      const visible = to > from && piece[to - 1] === RETURN ? to - 1 : to;
      this.#add({ number: this.#number, text: piece.toString("utf8", from, visible) });
      return;
    }
    this.#long ??= new LongLine(maxLineChars);
    this.#long.add(piece.subarray(from, to));
    if (ends) this.#finish(this.#long, true);
  }

  #finish(line: LongLine, hasNewline: boolean): void {
    this.#long = undefined;
    this.#add({ number: this.#number, ...line.finish(hasNewline) });
  }

  #add(line: NumberedLine): void {
    this.#textBytes += line.text.length;
    if (this.#textBytes > this.#options.maxTextBytes) {
      const { path, shown } = this.#options.describe;
      throw new EngineError("TOO_LARGE", `the requested lines of ${shown} are too much at once; ask for fewer`, {
        path,
        requested: shown,
        what: "result",
        bytes: this.#textBytes,
        maxBytes: this.#options.maxTextBytes,
      });
    }
    this.lines.push(line);
  }
}

/** A line that spans pieces or may have to be cut: keeps its beginning, counts the rest. */
class LongLine {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  readonly #maxChars: number;
  #kept = "";
  #keptChars = 0;
  #chars = 0;
  #endsInReturn = false;

  constructor(maxChars: number) {
    this.#maxChars = maxChars;
  }

  add(bytes: Uint8Array): void {
    this.#count(this.#decoder.decode(bytes, { stream: true }));
  }

  finish(hasNewline: boolean): { text: string; totalChars?: number } {
    this.#count(this.#decoder.decode());
    const hidden = hasNewline && this.#endsInReturn ? 1 : 0;
    const total = this.#chars - hidden;
    if (total > this.#maxChars) return { text: this.#kept, totalChars: total };
    return { text: hidden === 1 && this.#keptChars > total ? this.#kept.slice(0, -1) : this.#kept };
  }

  #count(text: string): void {
    if (text === "") return;
    this.#endsInReturn = text.endsWith("\r");
    if (this.#keptChars < this.#maxChars) {
      const beginning = firstChars(text, this.#maxChars - this.#keptChars);
      this.#kept += beginning;
      this.#keptChars += countChars(beginning);
    }
    this.#chars += countChars(text);
  }
}

/** The first `max` code points; a surrogate pair is never cut. */
export function firstChars(text: string, max: number): string {
  if (text.length <= max) return text;
  let units = 0;
  for (let chars = 0; chars < max && units < text.length; chars += 1) {
    units += (text.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return text.slice(0, units);
}

/** Code points. */
export function countChars(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    if (unit >= 0xd800 && unit <= 0xdbff) count -= 1; // the decoder makes only whole pairs
  }
  return count;
}
