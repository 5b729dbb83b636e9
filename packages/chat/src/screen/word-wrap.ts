// Words as they come → rows that break between words. Nothing that was written is ever taken back: a word near the edge is
// held until it is known whether it fits.
import { imitatesOwnLine } from "./forged-line-guard.ts";
import { widthOf } from "./text-layout.ts";

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

export class WordWrap {
  readonly #columns: () => number;
  #column = 0;
  /** Blanks that are written with the next word, or not at all when it goes to the next row. */
  #blanks = 0;
  /** Where rows after the first begin. */
  indent = 0;

  constructor(columns: () => number) {
    this.#columns = columns;
  }

  /** Would so much still fit into this row? */
  fits(width: number): boolean {
    return this.#column + this.#blanks + width < this.#columns();
  }

  blank(many: number): void {
    this.#blanks += many;
  }

  /** A word, whole or its beginning; `plain` is what a person reads of it. */
  word(styled: string, plain: string, isContinued = false): string {
    const width = widthOf(plain);
    if (!isContinued && !this.fits(width) && this.#column > this.indent)
      return this.#nextRow() + this.#placed(styled, plain);
    if (!this.fits(width) && width > plain.length) return this.#letterByLetter(plain);
    return this.#placed(styled, plain);
  }

  newLine(): string {
    this.#column = 0;
    this.#blanks = 0;
    this.indent = 0;
    return "\n";
  }

  // What stands at the beginning of a row must not look like a line of ours.
  #placed(styled: string, plain: string): string {
    const guard = this.#column === 0 && this.#blanks === 0 && imitatesOwnLine(plain) ? "\\" : "";
    const out = " ".repeat(this.#blanks) + guard + styled;
    this.#column += this.#blanks + guard.length + widthOf(plain);
    this.#blanks = 0;
    return out;
  }

  #nextRow(): string {
    this.#column = 0;
    this.#blanks = this.indent;
    return "\n";
  }

  // Scripts without blanks between words break anywhere.
  #letterByLetter(plain: string): string {
    let out = "";
    for (const { segment } of segmenter.segment(plain)) {
      if (!this.fits(widthOf(segment)) && this.#column > this.indent) out += this.#nextRow();
      out += this.#placed(segment, segment);
    }
    return out;
  }
}
