// Our JSON notation → the JSON it stands for, printed as it is read: the inverse of json-writer.ts, which shows the
// notation.
import { stringEnd } from "../json-syntax.ts";
import type { JsonStyle } from "../json-syntax.ts";
import { isLiteralWithin } from "../json-traits.ts";
import { UnfoldError } from "./fold.ts";
import type { Column } from "./json-columns.ts";
import { JsonGaps } from "./json-gaps.ts";
import type { ListGaps, RowGaps } from "./json-gaps.ts";
import type { Outlet } from "./outlet.ts";
import type { Delimiter } from "./json-words.ts";
import { ABSENT, DITTO, readWord } from "./json-words.ts";

/** `gaps`: of its rows, by the depth at which they stand. */
type Header = { columns: Column[]; delimiter: Delimiter; gaps: (RowGaps | undefined)[] };

/** Of each cell of the row above, by its place: where its word starts and ends; −1 where there is none. */
type Above = number[];

const MAX_DEPTH = 140;
const [QUOTE, OPEN_BRACKET, OPEN_BRACE] = [0x22, 0x5b, 0x7b];
const [ABSENT_UNIT, DITTO_UNIT] = [ABSENT.charCodeAt(0), DITTO.charCodeAt(0)];
const ENDS_WORD = Uint8Array.from({ length: 128 }, (_, unit) => Number("\n[]{}".includes(String.fromCharCode(unit))));

/** `lines`: of the array that is read, each element is printed as a line of its own. */
export function readNotation(text: string, style: JsonStyle, lines: boolean, out: Outlet): void {
  const reader = new Reader(text, style, out);
  if (lines) reader.lines();
  else {
    out.text(style.lead);
    reader.value(" ", false, 0);
  }
  out.text(style.trail);
  if (reader.at !== text.length) throw new UnfoldError(`unexpected text at ${reader.at}`);
}

class Reader {
  at = 0;
  readonly #text: string;
  readonly #gaps: JsonGaps;
  readonly #out: Outlet;
  #lastHeader: Header | undefined;
  /** Of the cell that is read next, among all of its row. */
  #place = 0;

  constructor(text: string, style: JsonStyle, out: Outlet) {
    this.#text = text;
    this.#gaps = new JsonGaps(style);
    this.#out = out;
  }

  lines(): void {
    if (this.#text.charCodeAt(this.at) !== OPEN_BRACKET) throw new UnfoldError("lines expected");
    this.#array(this.#gaps.lines, 0);
  }

  value(delimiter: Delimiter, stringsOnly: boolean, depth: number): void {
    if (depth > MAX_DEPTH) throw new UnfoldError("nested too deeply");
    const unit = this.#text.charCodeAt(this.at);
    if (unit === OPEN_BRACKET) this.#array(this.#gaps.array(depth), depth + 1);
    else if (unit === OPEN_BRACE) this.#object(depth);
    else {
      const start = this.at;
      this.#skipWord(delimiter);
      this.#print(start, this.at, stringsOnly);
    }
  }

  // The scalar that a word stands for, as readWord has it.
  #print(start: number, end: number, stringsOnly: boolean): void {
    const text = this.#text;
    const isBare = text.charCodeAt(start) !== QUOTE && (stringsOnly || !isLiteralWithin(text, start, end));
    if (isBare) this.#out.text('"');
    this.#out.part(text, start, end);
    if (isBare) this.#out.text('"');
  }

  #word(delimiter: Delimiter, alsoEndsAt = ""): string {
    const start = this.at;
    this.#skipWord(delimiter, alsoEndsAt);
    return this.#text.slice(start, this.at);
  }

  // Up to the delimiter, the end of the row, or a bracket; a quoted string as a whole.
  #skipWord(delimiter: Delimiter, alsoEndsAt = ""): void {
    const text = this.#text;
    const start = this.at;
    if (text.charCodeAt(start) === QUOTE) {
      const end = stringEnd(text, start);
      if (end < 0) throw new UnfoldError(`unterminated string at ${start}`);
      this.at = end;
      return;
    }
    const parting = delimiter.charCodeAt(0);
    let at = start;
    for (; at < text.length; at++) {
      const unit = text.charCodeAt(at);
      if (unit === parting || (unit <= 127 && ENDS_WORD[unit] === 1)) break;
      if (alsoEndsAt !== "" && alsoEndsAt.includes(text[at] ?? "")) break;
    }
    if (at === start) throw new UnfoldError(`a value is missing at ${start}`);
    this.at = at;
  }

  #take(expected: string): void {
    if (!this.#took(expected)) throw new UnfoldError(`expected ${expected} at ${this.at}`);
  }

  // Several times for every value, mostly of one character: startsWith takes as long as all the rest.
  #took(wanted: string): boolean {
    const text = this.#text;
    for (let i = 0; i < wanted.length; i++) {
      if (text.charCodeAt(this.at + i) !== wanted.charCodeAt(i)) return false;
    }
    this.at += wanted.length;
    return true;
  }

  /** `depth`: of its elements. */
  #array(gaps: ListGaps, depth: number): void {
    this.#take("[");
    let count = 0;
    if (this.#took("]")) return this.#out.text(gaps.empty);
    const table = this.#text.charCodeAt(this.at) === OPEN_BRACE ? this.#tableHeader() : undefined;
    if (table !== undefined) {
      const above: Above = [];
      while (this.#took("\n")) {
        this.#out.text(count++ === 0 ? gaps.first : gaps.next);
        this.#row(table, above, this.at, depth);
      }
    } else {
      const stringsOnly = this.#took("'");
      const delimiter: Delimiter = this.#took("|") ? "|" : " ";
      do {
        this.#out.text(count++ === 0 ? gaps.first : gaps.next);
        this.value(delimiter, stringsOnly, depth);
      } while (this.#took(delimiter));
    }
    this.#take("]");
    this.#out.text(count === 0 ? gaps.empty : gaps.close);
  }

  #object(depth: number): void {
    this.#take("{");
    const gaps = this.#gaps.object(depth);
    let count = 0;
    if (this.#took("}")) return this.#out.text(gaps.empty);
    if (this.#text.charCodeAt(this.at) === OPEN_BRACE) {
      const table = this.#tableHeader();
      if (table === undefined) throw new UnfoldError(`expected a header at ${this.at}`);
      const above: Above = [];
      while (this.#took("\n")) {
        const start = this.at;
        this.#out.text(count++ === 0 ? gaps.first : gaps.next);
        this.#key(table.delimiter);
        this.#row(table, above, start, depth + 1);
      }
    } else {
      const stringsOnly = this.#took("'");
      const delimiter: Delimiter = this.#took("|") ? "|" : " ";
      do {
        this.#out.text(count++ === 0 ? gaps.first : gaps.next);
        this.#key(delimiter, ":");
        this.#take(":");
        this.value(delimiter, stringsOnly, depth + 1);
      } while (this.#took(delimiter));
    }
    this.#take("}");
    this.#out.text(count === 0 ? gaps.empty : gaps.close);
  }

  #key(delimiter: Delimiter, alsoEndsAt = ""): void {
    const start = this.at;
    this.#skipWord(delimiter, alsoEndsAt);
    this.#print(start, this.at, true);
    this.#out.text(this.#gaps.colon);
  }

  // A header is followed by a line break; an object that merely comes first in an array is not.
  #tableHeader(): Header | undefined {
    const start = this.at;
    if (this.#took(`{${DITTO}}\n`)) {
      this.at--;
      if (this.#lastHeader === undefined) throw new UnfoldError(`no header above ${start}`);
      return this.#lastHeader;
    }
    this.#take("{");
    const delimiter: Delimiter = this.#took("|") ? "|" : " ";
    const columns = this.#columns(delimiter);
    if (columns === undefined || this.#text[this.at] !== "\n") {
      this.at = start;
      return undefined;
    }
    this.#lastHeader = { columns, delimiter, gaps: [] };
    return this.#lastHeader;
  }

  #columns(delimiter: Delimiter): Column[] | undefined {
    const columns: Column[] = [];
    do {
      const unit = this.#text[this.at];
      if (unit === undefined || "[]{}\n'|".includes(unit)) return undefined;
      const key = readWord(this.#word(delimiter, ":='"), true);
      if (this.#took("'")) columns.push({ kind: "cells", key, stringsOnly: true });
      else if (this.#took("=")) columns.push({ kind: "constant", key, raw: readWord(this.#word(delimiter), false) });
      else if (this.#took("{")) {
        const nested = this.#columns(delimiter);
        if (nested === undefined) return undefined;
        columns.push({ kind: "nested", key, columns: nested });
      } else if (this.#text[this.at] === ":") return undefined;
      else columns.push({ kind: "cells", key, stringsOnly: false });
    } while (this.#took(delimiter));
    return this.#took("}") ? columns : undefined;
  }

  #row({ columns, delimiter, gaps }: Header, above: Above, lineStart: number, depth: number): void {
    this.#place = 0;
    this.#cells(columns, (gaps[depth] ??= this.#gaps.row(columns, depth)), delimiter, above, lineStart, depth);
  }

  #cells(columns: Column[], gaps: RowGaps, delimiter: Delimiter, above: Above, lineStart: number, depth: number): void {
    let before = gaps.first;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as Column;
      if (column.kind === "cells") {
        if (this.at > lineStart) this.#take(delimiter);
        if (!this.#cell(column.stringsOnly, before[i] ?? "", delimiter, above, depth)) continue;
      } else {
        this.#out.text(before[i] ?? "");
        if (column.kind === "constant") this.#out.text(column.raw);
        else this.#cells(column.columns, gaps.inner[i] as RowGaps, delimiter, above, lineStart, depth + 1);
      }
      before = gaps.next;
    }
    this.#out.text(before === gaps.first ? gaps.empty : gaps.close);
  }

  // Whether the row has a value there.
  #cell(stringsOnly: boolean, before: string, delimiter: Delimiter, above: Above, depth: number): boolean {
    const place = this.#place++;
    const text = this.#text;
    const first = text.charCodeAt(this.at);
    if (first === OPEN_BRACKET || first === OPEN_BRACE) {
      this.#out.text(before);
      above[place * 2] = -1;
      this.value(delimiter, false, depth + 1);
      // A table inside has counted its own columns.
      this.#place = place + 1;
      return true;
    }
    let start = this.at;
    this.#skipWord(delimiter);
    let end = this.at;
    if (end - start === 1 && first === ABSENT_UNIT) {
      above[place * 2] = -1;
      return false;
    }
    if (end - start === 1 && first === DITTO_UNIT) {
      start = above[place * 2] ?? -1;
      end = above[place * 2 + 1] ?? -1;
      if (start < 0) throw new UnfoldError(`nothing above to repeat at ${this.at}`);
    }
    above[place * 2] = start;
    above[place * 2 + 1] = end;
    this.#out.text(before);
    this.#print(start, end, stringsOnly);
    return true;
  }
}
