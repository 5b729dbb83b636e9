// Our JSON notation → tree: the inverse of json-writer.ts, which shows the notation.
import { stringEnd } from "../json-syntax.ts";
import type { JsonNode } from "../json-syntax.ts";
import { UnfoldError } from "./fold.ts";
import type { Column, JsonObject } from "./json-columns.ts";
import type { Delimiter } from "./json-words.ts";
import { ABSENT, DITTO, readWord } from "./json-words.ts";

type Header = { columns: Column[]; delimiter: Delimiter };

const MAX_DEPTH = 140;
const ENDS_WORD = Uint8Array.from({ length: 128 }, (_, unit) => Number("\n[]{}".includes(String.fromCharCode(unit))));

export function readNotation(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value(" ", false, 0);
  if (reader.at !== text.length) throw new UnfoldError(`unexpected text at ${reader.at}`);
  return node;
}

class Reader {
  at = 0;
  readonly #text: string;
  #lastHeader: Header | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  value(delimiter: Delimiter, stringsOnly: boolean, depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new UnfoldError("nested too deeply");
    const unit = this.#text[this.at];
    if (unit === "[") return this.#array(depth);
    if (unit === "{") return this.#object(depth);
    return { kind: "scalar", raw: readWord(this.#word(delimiter), stringsOnly) };
  }

  // Up to the delimiter, the end of the row, or a bracket; a quoted string as a whole.
  #word(delimiter: Delimiter, alsoEndsAt = ""): string {
    const text = this.#text;
    const start = this.at;
    if (text[start] === '"') {
      const end = stringEnd(text, start);
      if (end < 0) throw new UnfoldError(`unterminated string at ${start}`);
      this.at = end;
      return text.slice(start, end);
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
    return text.slice(start, at);
  }

  #take(expected: string): void {
    if (!this.#text.startsWith(expected, this.at)) throw new UnfoldError(`expected ${expected} at ${this.at}`);
    this.at += expected.length;
  }

  #took(wanted: string): boolean {
    if (!this.#text.startsWith(wanted, this.at)) return false;
    this.at += wanted.length;
    return true;
  }

  #array(depth: number): JsonNode {
    this.#take("[");
    const items: JsonNode[] = [];
    if (this.#took("]")) return { kind: "array", items };
    const table = this.#text[this.at] === "{" ? this.#tableHeader() : undefined;
    if (table !== undefined) {
      const above = new Map<Column, string>();
      while (this.#took("\n")) items.push(this.#row(table, above, this.at, depth));
      this.#take("]");
      return { kind: "array", items };
    }
    const stringsOnly = this.#took("'");
    const delimiter: Delimiter = this.#took("|") ? "|" : " ";
    do items.push(this.value(delimiter, stringsOnly, depth + 1));
    while (this.#took(delimiter));
    this.#take("]");
    return { kind: "array", items };
  }

  #object(depth: number): JsonNode {
    this.#take("{");
    const keys: string[] = [];
    const values: JsonNode[] = [];
    if (this.#took("}")) return { kind: "object", keys, values };
    if (this.#text[this.at] === "{") {
      const table = this.#tableHeader();
      if (table === undefined) throw new UnfoldError(`expected a header at ${this.at}`);
      const above = new Map<Column, string>();
      while (this.#took("\n")) {
        const start = this.at;
        keys.push(readWord(this.#word(table.delimiter), true));
        values.push(this.#row(table, above, start, depth));
      }
      this.#take("}");
      return { kind: "object", keys, values };
    }
    const stringsOnly = this.#took("'");
    const delimiter: Delimiter = this.#took("|") ? "|" : " ";
    do {
      keys.push(readWord(this.#word(delimiter, ":"), true));
      this.#take(":");
      values.push(this.value(delimiter, stringsOnly, depth + 1));
    } while (this.#took(delimiter));
    this.#take("}");
    return { kind: "object", keys, values };
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
    this.#lastHeader = { columns, delimiter };
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

  #row({ columns, delimiter }: Header, above: Map<Column, string>, lineStart: number, depth: number): JsonNode {
    const row: JsonObject = { kind: "object", keys: [], values: [] };
    this.#cells(row, columns, delimiter, above, lineStart, depth);
    return row;
  }

  #cells(
    row: JsonObject,
    columns: Column[],
    delimiter: Delimiter,
    above: Map<Column, string>,
    lineStart: number,
    depth: number,
  ): void {
    for (const column of columns) {
      if (column.kind === "constant") {
        row.keys.push(column.key);
        row.values.push({ kind: "scalar", raw: column.raw });
        continue;
      }
      if (column.kind === "nested") {
        const nested: JsonObject = { kind: "object", keys: [], values: [] };
        this.#cells(nested, column.columns, delimiter, above, lineStart, depth + 1);
        row.keys.push(column.key);
        row.values.push(nested);
        continue;
      }
      if (this.at > lineStart) this.#take(delimiter);
      const value = this.#cell(column, delimiter, above, depth);
      if (value === undefined) continue;
      row.keys.push(column.key);
      row.values.push(value);
    }
  }

  #cell(
    column: Extract<Column, { kind: "cells" }>,
    delimiter: Delimiter,
    above: Map<Column, string>,
    depth: number,
  ): JsonNode | undefined {
    const first = this.#text[this.at];
    if (first === "[" || first === "{") {
      above.delete(column);
      return this.value(delimiter, false, depth + 1);
    }
    const word = this.#word(delimiter);
    if (word === ABSENT) {
      above.delete(column);
      return undefined;
    }
    const raw = word === DITTO ? above.get(column) : readWord(word, column.stringsOnly);
    if (raw === undefined) throw new UnfoldError(`nothing above to repeat at ${this.at}`);
    above.set(column, raw);
    return { kind: "scalar", raw };
  }
}
