// UTF-8 bytes in pieces → the lines of a range. Skips and counts by newline alone; decodes only what is asked for.
import { isAscii } from "node:buffer";
import { EngineError } from "../engine-error.ts";
import { isPlain, PlainLines, visibleEnd } from "./line-run.ts";
import type { LineRun } from "./line-run.ts";

const NEWLINE = 10;
const RETURN = 13;
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

type CollectorOptions = {
  readonly first: number;
  readonly last: number;
  readonly maxLineChars: number;
  readonly maxTextBytes: number;
  readonly describe: { readonly path: string; readonly shown: string };
};

export class LineCollector {
  readonly runs: LineRun[] = [];
  readonly #options: CollectorOptions;
  /** The line the next byte belongs to. */
  #number = 1;
  /** Bytes of that line already seen in earlier pieces. */
  #open = false;
  #long: LongLine | undefined;
  #started = false;
  /** Of the text so far, in UTF-16 units: at most so many, and exactly so many once that was too much. */
  #units = 0;
  #isExact = false;

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

  /** The piece may be overwritten afterwards: what is kept of it is copied. */
  push(piece: Buffer): void {
    const { first, last } = this.#options;
    let at = 0;
    if (!this.#started && piece.length > 0) {
      this.#started = true;
      if (BYTE_ORDER_MARK.every((byte, i) => piece[i] === byte)) at = BYTE_ORDER_MARK.length;
    }
    while (at < piece.length) {
      const wanted = this.#number >= first && this.#number <= last;
      if (wanted && this.#long === undefined) at = this.#takePlain(piece, at);
      if (at >= piece.length) break;
      const newline = piece.indexOf(NEWLINE, at);
      const end = newline < 0 ? piece.length : newline;
      if (this.#number >= first && this.#number <= last) this.#takeLong(piece, at, end, newline >= 0);
      this.#open = newline < 0;
      if (newline < 0) break;
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

  /** The common case: whole lines, too short to be cut. Returns where the next one starts that is not. */
  #takePlain(piece: Buffer, start: number): number {
    const { last, maxLineChars } = this.#options;
    const most = last - this.#number + 1;
    const ends: number[] = [];
    let from = start;
    while (ends.length < most) {
      const newline = piece.indexOf(NEWLINE, from);
      if (newline < 0 || newline - from > maxLineChars) break;
      ends.push(newline - start);
      from = newline + 1;
    }
    if (ends.length === 0) return start;
    const run = new PlainLines(this.#number, Buffer.from(piece.subarray(start, from)), ends);
    this.runs.push(run);
    this.#open = false;
    this.#number += ends.length;
    // No byte becomes more than one unit: as long as there are few enough of them, nobody has to look.
    this.#count(this.#isExact ? unitsOf(run) : from - start - ends.length);
    return from;
  }

  #takeLong(piece: Buffer, from: number, to: number, ends: boolean): void {
    this.#long ??= new LongLine(this.#options.maxLineChars);
    this.#long.add(piece.subarray(from, to));
    if (ends) this.#finish(this.#long, true);
  }

  #finish(line: LongLine, hasNewline: boolean): void {
    this.#long = undefined;
    const { text, totalChars } = line.finish(hasNewline);
    this.runs.push({ number: this.#number, text, ...(totalChars === undefined ? {} : { totalChars }) });
    this.#count(text.length);
  }

  #count(units: number): void {
    this.#units += units;
    if (this.#units <= this.#options.maxTextBytes) return;
    if (!this.#isExact) {
      this.#isExact = true;
      this.#units = this.runs.reduce((sum, run) => sum + (isPlain(run) ? unitsOf(run) : run.text.length), 0);
      if (this.#units <= this.#options.maxTextBytes) return;
    }
    const { path, shown } = this.#options.describe;
    throw new EngineError("TOO_LARGE", `the requested lines of ${shown} are too much at once; ask for fewer`, {
      path,
      requested: shown,
      what: "result",
      bytes: this.#units,
      maxBytes: this.#options.maxTextBytes,
    });
  }
}

/** Of the text that will be shown, in UTF-16 units, as text is. */
function unitsOf(run: PlainLines): number {
  const { bytes, ends } = run;
  let units = (isAscii(bytes) ? bytes.length : bytes.toString().length) - ends.length;
  if (!bytes.includes(RETURN)) return units;
  let from = 0;
  for (const newline of ends) {
    units -= newline - visibleEnd(bytes, from, newline);
    from = newline + 1;
  }
  return units;
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
