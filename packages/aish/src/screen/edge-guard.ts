// The model's words run to the edge of the screen and go on at its beginning, where our own lines stand. What would look
// like one of ours there gets a backslash, as it does at the start of a line.
import { widthOf } from "./layout.ts";

const OURS = ["[aish]", "[bosun]", "┌", "└", "├", "│", "╭", "╰"];
const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });
// eslint-disable-next-line no-control-regex -- our own styling, which takes no room
const STYLE = /^\u001b\[[0-9;]*m/;

export class EdgeGuard {
  #column = 0;

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
        const isForged = imitates(rest);
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

// What comes next is not known yet: the beginning of a mark of ours counts as one.
function imitates(text: string): boolean {
  return OURS.some((mark) => text.startsWith(mark) || (text.length < mark.length && mark.startsWith(text)));
}
