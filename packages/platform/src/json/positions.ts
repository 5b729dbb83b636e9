// Offsets of a text → lines and columns, both from 1; columns count UTF-16 units.

export type Position = { readonly line: number; readonly column: number };

/** For many offsets of one text that mostly come in their order: what was counted is not counted again. */
export class Positions {
  readonly #text: string;
  #line = 1;
  #lineStart = 0;
  #counted = 0;

  constructor(text: string) {
    this.#text = text;
  }

  of(offset: number): Position {
    if (offset < this.#counted) {
      this.#line = 1;
      this.#lineStart = 0;
      this.#counted = 0;
    }
    for (let next = this.#text.indexOf("\n", this.#counted); next >= 0 && next < offset;) {
      this.#line += 1;
      this.#lineStart = next + 1;
      this.#counted = next + 1;
      next = this.#text.indexOf("\n", this.#counted);
    }
    return { line: this.#line, column: offset - this.#lineStart + 1 };
  }
}
