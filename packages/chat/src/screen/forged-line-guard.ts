// The model's words run to the edge of the screen and go on at its beginning, where our own lines stand. What would look
// like one of ours there gets a backslash, as it does at the start of a line. Frames drawn in ASCII are guarded here at the
// start of a line, too: the guard of foreign text knows only the others.
import { widthOf } from "./text-layout.ts";
import type { Frames } from "./style.ts";

const OURS = ["[aish]", "[bosun]", "┌", "└", "├", "│", "╭", "╰"];
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
// eslint-disable-next-line no-control-regex -- our own styling, which takes no room
const STYLE = /^\u001b\[[0-9;]*m/;

export class ForgedLineGuard {
  readonly #own: readonly string[];
  #column = 0;

  constructor(frames: Frames) {
    this.#own = Object.values(frames).filter((mark) => !OURS.includes(mark.trim()));
  }

  /** `columns`: how wide the screen is now. */
  push(text: string, columns: number): string {
    return text
      .split("\n")
      .map((line, place) => {
        if (place > 0) this.#column = 0;
        return this.#line(line, columns);
      })
      .join("\n");
  }

  lineEnded(): void {
    this.#column = 0;
  }

  #line(line: string, columns: number): string {
    if (line === "") return "";
    if (this.#column === 0 && imitates(line, this.#own)) {
      this.#column = 1;
      return `\\${this.#line(line, columns)}`;
    }
    const width = widthOf(line);
    if (this.#column + width <= columns) {
      this.#column += width;
      return line;
    }
    let out = "";
    for (let rest = line; rest !== "";) {
      const style = STYLE.exec(rest)?.[0];
      const [first] = style === undefined ? segmenter.segment(rest) : [];
      const piece = style ?? first?.segment ?? rest;
      const wide = style === undefined ? widthOf(piece) : 0;
      if (this.#column + wide > columns) {
        const isForged = imitates(rest, OURS) || imitates(rest, this.#own);
        this.#column = isForged ? 1 : 0;
        if (isForged) out += "\\";
      }
      out += piece;
      this.#column += wide;
      rest = rest.slice(piece.length);
    }
    return out;
  }
}

/** Does this text begin as a line of ours does? */
export function imitatesOwnLine(text: string): boolean {
  return imitates(text, OURS);
}

// What comes next is not known yet: the beginning of a mark of ours counts as one.
function imitates(text: string, marks: readonly string[]): boolean {
  return marks.some((mark) => text.startsWith(mark) || (text.length < mark.length && mark.startsWith(text)));
}
