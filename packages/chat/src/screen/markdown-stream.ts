// The model's words as they stream: headings, lists, bold, code and tables with their marks turned into looks, broken between
// words. What is on the screen is never restyled. Takes text that is safe already; without colour it gives it back as it is.
import { highlight } from "./highlight.ts";
import { tableRows } from "./markdown-table.ts";
import type { Style } from "./style.ts";
import { WordWrap } from "./word-wrap.ts";

type Line = "undecided" | "text" | "heading" | "verbatim" | "code" | "table";

const OFF = "\u001b[0m";
const BOLD = "\u001b[1m";
const BOLD_OFF = "\u001b[22m";
const CODE_OFF = "\u001b[39m";
/** So much of a line may be held until it is clear what it is. */
const LONGEST_START = 64;
/** A word that is written before it is whole needs this much room for its rest. */
const ROOM_FOR_REST = 20;
const LONGEST_WORD = 200;
const MOST_TABLE_LINES = 300;

export class MarkdownStream {
  readonly #style: Style;
  readonly #columns: () => number;
  readonly #isUtf8: boolean;
  readonly #codeOn: string;
  readonly #wrap: WordWrap;
  #line: Line = "undecided";
  /** The beginning of a line, a line of code, or a word. */
  #held = "";
  /** The beginning of this word is on the screen already. */
  #isContinued = false;
  #fence: string | undefined;
  #language = "";
  #isBold = false;
  #isCode = false;
  #table: string[] = [];

  constructor(style: Style, columns: () => number, isUtf8 = true) {
    this.#style = style;
    this.#isUtf8 = isUtf8;
    this.#codeOn = style.hasColor ? (style.cyan(" ").split(" ")[0] ?? "") : "";
    this.#columns = columns;
    this.#wrap = new WordWrap(columns);
  }

  push(text: string): string {
    if (!this.#style.hasColor) return text;
    let out = "";
    let rest = text;
    for (;;) {
      const end = rest.indexOf("\n");
      if (end < 0) return out + this.#part(rest) + this.#early();
      out += this.#part(rest.slice(0, end)) + this.#endLine();
      rest = rest.slice(end + 1);
    }
  }

  /** Nothing came for a moment: what is held of a word is shown as it is. */
  pause(): string {
    if (this.#line !== "text" && this.#line !== "heading") return "";
    const shown = this.#word();
    this.#isContinued = shown !== "";
    return shown;
  }

  flush(): string {
    if (!this.#style.hasColor) return "";
    const isOpen = this.#held !== "" || this.#line === "text" || this.#line === "heading";
    const out = isOpen ? this.#endLine().replace(/\n$/, "") : "";
    return out + this.#endTable();
  }

  #part(piece: string): string {
    if (piece === "") return "";
    if (this.#line === "undecided") {
      this.#held += piece;
      if (!this.#decide()) return "";
      const held = this.#held;
      this.#held = "";
      return this.#start(held);
    }
    if (this.#line === "code" || this.#line === "table" || this.#line === "verbatim") {
      this.#held += piece;
      return "";
    }
    return this.#words(piece);
  }

  /** What this line is, from its beginning; false while that can still change. */
  #decide(): boolean {
    const line = this.#held;
    if (this.#fence !== undefined || /^ {0,3}(?:`{3}|~{3})/.test(line)) this.#line = "code";
    else if (line.length < LONGEST_START && /^ *(?:`{1,2}|~{1,2}|#{1,6}|[-*+]|\d{1,3}[.)]?|C|CM|CMD)?$/.test(line))
      return false;
    else if (/^ {0,3}CMD:/.test(line))
      this.#line = "verbatim"; // what would run is shown to the letter
    else if (/^ {0,3}\|/.test(line)) this.#line = "table";
    else this.#line = /^ {0,3}#{1,6} /.test(line) ? "heading" : "text";
    return true;
  }

  #start(held: string): string {
    if (this.#line !== "text" && this.#line !== "heading") {
      this.#held = held;
      return this.#line === "table" ? "" : this.#endTable();
    }
    const before = this.#endTable();
    if (this.#line === "heading") return before + BOLD + this.#words(held.replace(/^ {0,3}#{1,6} +/, ""));
    const [whole = "", blanks = "", mark = ""] = /^( *)([-*+]|\d{1,3}[.)]) +/.exec(held) ?? [];
    if (mark === "") {
      const [lead = ""] = /^ */.exec(held) ?? [];
      this.#wrap.indent = lead.length;
      return before + this.#words(held);
    }
    const shown = /^\d/.test(mark) || !this.#isUtf8 ? mark : "•";
    this.#wrap.blank(blanks.length);
    const first = this.#wrap.word(shown, shown);
    this.#wrap.blank(1);
    this.#wrap.indent = blanks.length + shown.length + 1;
    return before + first + this.#words(held.slice(whole.length));
  }

  #words(piece: string): string {
    let out = "";
    for (const [token] of piece.matchAll(/[ \t]+|[^ \t]+/g)) {
      if (/^[ \t]/.test(token)) {
        out += this.#word();
        this.#wrap.blank(token.replaceAll("\t", "    ").length);
      } else {
        this.#held += token;
        if (this.#held.length <= LONGEST_WORD) continue;
        out += this.#word();
        this.#isContinued = true;
      }
    }
    return out;
  }

  /** What is held, as a word that ends here. */
  #word(): string {
    const raw = this.#held;
    this.#held = "";
    const isContinued = this.#isContinued;
    this.#isContinued = false;
    if (raw === "") return "";
    const { styled, plain } = this.#inline(raw);
    return plain === "" ? styled : this.#wrap.word(styled, plain, isContinued);
  }

  /** A word is shown while it is still coming where there is room for its rest, and no mark in it that may go on. */
  #early(): string {
    if (this.#line !== "text" && this.#line !== "heading") return "";
    if (this.#held === "" || /[*`]/.test(this.#held) || !this.#wrap.fits(this.#held.length + ROOM_FOR_REST)) return "";
    const shown = this.#word();
    this.#isContinued = true;
    return shown;
  }

  /** `**` and backticks become looks, where they open or close something. */
  #inline(raw: string): { styled: string; plain: string } {
    let styled = "";
    let plain = "";
    const parts = raw.split(/(\*\*|`)/);
    for (const [at, part] of parts.entries()) {
      const opens = (parts[at + 1] ?? "") !== "";
      if (part === "`") {
        this.#isCode = !this.#isCode;
        styled += this.#isCode ? this.#codeOn : CODE_OFF;
      } else if (part === "**" && !this.#isCode && (this.#isBold || opens)) {
        this.#isBold = !this.#isBold;
        styled += this.#isBold ? BOLD : BOLD_OFF;
      } else {
        styled += part;
        plain += part;
      }
    }
    return { styled, plain };
  }

  #endLine(): string {
    const line = this.#line;
    if (line === "code" || (line === "undecided" && this.#fence !== undefined)) return this.#codeLine();
    if (line === "table") return this.#tableLine();
    let out = "";
    if (line === "undecided") {
      // Too short to be anything but text.
      const held = this.#held;
      this.#held = "";
      this.#line = "text";
      out = this.#endTable() + (held === "" ? "" : this.#words(held));
    }
    if (line === "verbatim") {
      out = this.#held;
      this.#held = "";
    } else out += this.#word();
    const close = line === "heading" || this.#isBold || this.#isCode ? OFF : "";
    this.#isBold = false;
    this.#isCode = false;
    this.#isContinued = false;
    this.#line = "undecided";
    return out + close + this.#wrap.newLine();
  }

  #codeLine(): string {
    const held = this.#held;
    this.#held = "";
    this.#line = "undecided";
    this.#wrap.newLine();
    const [, mark = "", language = ""] = /^ {0,3}(`{3,}|~{3,})\s*([^\s`]*)/.exec(held) ?? [];
    if (this.#fence === undefined && mark !== "") {
      this.#fence = mark;
      this.#language = language.toLowerCase();
      return `${this.#style.dim(held)}\n`;
    }
    if (this.#fence !== undefined && mark.startsWith(this.#fence) && language === "") {
      this.#fence = undefined;
      return `${this.#style.dim(held)}\n`;
    }
    return `${highlight(held, this.#language, this.#style)}\n`;
  }

  #tableLine(): string {
    this.#table.push(this.#held);
    this.#held = "";
    this.#line = "undecided";
    this.#wrap.newLine();
    return this.#table.length >= MOST_TABLE_LINES ? this.#endTable() : "";
  }

  #endTable(): string {
    if (this.#table.length === 0) return "";
    const lines = this.#table;
    this.#table = [];
    const rows = tableRows(lines, { columns: this.#columns(), style: this.#style, isUtf8: this.#isUtf8 }) ?? lines;
    return `${rows.join("\n")}\n`;
  }
}
