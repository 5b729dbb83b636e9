// One page of output: skip so many lines, show so many, and never more text than a client takes at once.

export type PageLimits = {
  readonly offset: number;
  /** 0 is no limit. */
  readonly limit: number;
  /** Of the lines as text, newlines included, in code points. */
  readonly maxChars: number;
};

export type PageEnd = {
  /** There is more than was returned; `nextOffset` continues. */
  readonly more: boolean;
  readonly nextOffset: number | undefined;
  /** The text cap ended the page, not the limit the caller set. */
  readonly cutByChars: boolean;
};

export class Page<T> {
  readonly items: T[] = [];
  readonly #limits: PageLimits;
  #seen = 0;
  #chars = 0;
  #more = false;
  #cutByChars = false;

  constructor(limits: PageLimits) {
    this.#limits = limits;
  }

  /** Nothing more will be taken: it is known that there is more. */
  get full(): boolean {
    return this.#more;
  }

  /** Whether the next item will be skipped, so that its text need not be made. */
  get skipping(): boolean {
    return this.#seen < this.#limits.offset;
  }

  add(item: T, chars: number): void {
    if (this.#more) return;
    const { offset, limit, maxChars } = this.#limits;
    if (this.#seen >= offset) {
      const overLimit = limit > 0 && this.items.length >= limit;
      // One item always fits: else paging could never get past it.
      this.#cutByChars = !overLimit && this.items.length > 0 && this.#chars + chars > maxChars;
      this.#more = overLimit || this.#cutByChars;
      if (this.#more) return;
      this.items.push(item);
      this.#chars += chars;
    }
    this.#seen += 1;
  }

  get end(): PageEnd {
    return {
      more: this.#more,
      nextOffset: this.#more ? this.#limits.offset + this.items.length : undefined,
      cutByChars: this.#cutByChars,
    };
  }
}
