// The model's words as they stream, lightly styled, line by line: what is on the screen is never restyled. Takes text
// that is safe already and gives it back with our own styling in it; without colour it gives it back as it is.
import { highlight } from "./highlight.ts";
import type { Style } from "./style.ts";

type Line = "undecided" | "text" | "heading" | "fence" | "code";

const OFF = "\u001b[0m";
const LONGEST_START = 64;

export class MarkdownStream {
  readonly #style: Style;
  #line: Line = "undecided";
  #held = "";
  #fence: string | undefined;
  #language = "";
  #inline = { bold: false, code: false };

  constructor(style: Style) {
    this.#style = style;
  }

  push(text: string): string {
    if (!this.#style.hasColor) return text;
    let out = "";
    let rest = text;
    for (;;) {
      const end = rest.indexOf("\n");
      if (end < 0) return out + this.#part(rest);
      out += this.#part(rest.slice(0, end)) + this.#endLine();
      rest = rest.slice(end + 1);
    }
  }

  flush(): string {
    if (!this.#style.hasColor) return "";
    const held = this.#held;
    this.#held = "";
    const shown = this.#line === "code" ? highlight(held, this.#language, this.#style) : this.#inlineText(held);
    const close = this.#line === "heading" || this.#inline.bold || this.#inline.code ? OFF : "";
    this.#inline = { bold: false, code: false };
    this.#line = "undecided";
    return shown + close;
  }

  #part(piece: string): string {
    if (piece === "") return "";
    if (this.#line === "undecided") {
      this.#held += piece;
      const decided = this.#decide();
      if (!decided) return "";
      const held = this.#held;
      this.#held = "";
      return this.#start(held);
    }
    if (this.#line === "code" || this.#line === "fence") {
      this.#held += piece;
      return "";
    }
    return this.#line === "heading" ? piece : this.#inlineText(piece);
  }

  #decide(): boolean {
    const line = this.#held;
    if (this.#fence !== undefined) {
      this.#line = "code"; // shown when the line is whole: it may be the end of the fence
      return true;
    }
    if (/^ {0,3}(`{1,2}|~{1,2}|#{1,6})?$/.test(line) && line.length < LONGEST_START) return false;
    if (/^ {0,3}(`{3}|~{3})/.test(line)) this.#line = "fence";
    else this.#line = /^ {0,3}#{1,6} /.test(line) ? "heading" : "text";
    return true;
  }

  #start(held: string): string {
    if (this.#line === "heading") return `\u001b[1m${held}`;
    if (this.#line === "text") return this.#inlineText(held);
    this.#held = held;
    return "";
  }

  #endLine(): string {
    let held = this.#held;
    this.#held = "";
    let line = this.#line;
    this.#line = "undecided";
    if (line === "undecided" && this.#fence !== undefined) line = "code";
    if (line === "fence" || line === "code") {
      const mark = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(held);
      if (this.#fence === undefined && mark !== null) {
        this.#fence = mark[1] ?? "";
        this.#language = (mark[2] ?? "").toLowerCase();
        return `${this.#style.dim(held)}\n`;
      }
      if (this.#fence !== undefined && mark !== null && (mark[1] ?? "").startsWith(this.#fence) && mark[2] === "") {
        this.#fence = undefined;
        return `${this.#style.dim(held)}\n`;
      }
      return `${highlight(held, this.#language, this.#style)}\n`;
    }
    held = line === "undecided" ? this.#inlineText(held) : held;
    const close = line === "heading" || this.#inline.bold || this.#inline.code ? OFF : "";
    this.#inline = { bold: false, code: false };
    return `${held}${close}\n`;
  }

  // The marks stay: what is copied out is what the model wrote.
  #inlineText(piece: string): string {
    return piece.replace(/\*\*|`/g, (mark) => {
      if (mark === "`") {
        this.#inline.code = !this.#inline.code;
        return this.#inline.code ? "\u001b[36m`" : "`\u001b[39m";
      }
      if (this.#inline.code) return mark;
      this.#inline.bold = !this.#inline.bold;
      return this.#inline.bold ? "\u001b[1m**" : "**\u001b[22m";
    });
  }
}
