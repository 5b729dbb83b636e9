// Where a text goes that is being put back: gathered, or held against the text that it must be. The second is how results
// are proven; the text itself, and the strings it is made of, would be thrown away at once.

export interface Outlet {
  text(part: string): void;
  /** Part of a longer text. */
  part(of: string, start: number, end: number): void;
}

export class GatheredText implements Outlet {
  readonly #out: string[] = [];

  text(part: string): void {
    this.#out.push(part);
  }

  part(of: string, start: number, end: number): void {
    this.#out.push(of.slice(start, end));
  }

  toString(): string {
    return this.#out.join("");
  }
}

export class ComparedText implements Outlet {
  readonly #wanted: string;
  #at = 0;
  #isSame = true;

  constructor(wanted: string) {
    this.#wanted = wanted;
  }

  /** All that has come is all of the text. */
  get isSame(): boolean {
    return this.#isSame && this.#at === this.#wanted.length;
  }

  text(part: string): void {
    this.part(part, 0, part.length);
  }

  part(of: string, start: number, end: number): void {
    const wanted = this.#wanted;
    let at = this.#at;
    this.#at += end - start;
    // Beyond its end there is nothing, which no character equals.
    for (let i = start; i < end; i++, at++) {
      if (of.charCodeAt(i) === wanted.charCodeAt(at)) continue;
      this.#isSame = false;
      return;
    }
  }
}
