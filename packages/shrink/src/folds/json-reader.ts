// Our JSON notation → tree: the inverse of json-writer.ts, which shows the notation.
import { stringEnd } from "../json-syntax.ts";
import type { JsonNode } from "../json-syntax.ts";
import { UNKNOWN } from "../json-traits.ts";
import { UnfoldError } from "./fold.ts";
import type { Column, JsonObject } from "./json-columns.ts";
import type { Delimiter } from "./json-words.ts";
import { ABSENT, DITTO, readWord } from "./json-words.ts";

type Header = { columns: Column[]; keys: Keys; delimiter: Delimiter };

const MAX_DEPTH = 140;
const [QUOTE, OPEN_BRACKET, OPEN_BRACE] = [0x22, 0x5b, 0x7b];
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
  /** Of the cell that is read next, among all of its row. */
  #place = 0;

  constructor(text: string) {
    this.#text = text;
  }

  value(delimiter: Delimiter, stringsOnly: boolean, depth: number): JsonNode {
    if (depth > MAX_DEPTH) throw new UnfoldError("nested too deeply");
    const unit = this.#text.charCodeAt(this.at);
    if (unit === OPEN_BRACKET) return this.#array(depth);
    if (unit === OPEN_BRACE) return this.#object(depth);
    return { kind: "scalar", raw: readWord(this.#word(delimiter), stringsOnly), traits: UNKNOWN };
  }

  // Up to the delimiter, the end of the row, or a bracket; a quoted string as a whole.
  #word(delimiter: Delimiter, alsoEndsAt = ""): string {
    const text = this.#text;
    const start = this.at;
    if (text.charCodeAt(start) === QUOTE) {
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

  #array(depth: number): JsonNode {
    this.#take("[");
    const items: JsonNode[] = [];
    if (this.#took("]")) return { kind: "array", items };
    const table = this.#text[this.at] === "{" ? this.#tableHeader() : undefined;
    if (table !== undefined) {
      const above: (string | undefined)[] = [];
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
      const above: (string | undefined)[] = [];
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
    this.#lastHeader = { columns, keys: keysOf(columns), delimiter };
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

  #row(table: Header, above: (string | undefined)[], lineStart: number, depth: number): JsonNode {
    const { columns, keys, delimiter } = table;
    this.#place = 0;
    return this.#cells(columns, keys, delimiter, above, lineStart, depth);
  }

  #cells(
    columns: Column[],
    allKeys: Keys,
    delimiter: Delimiter,
    above: (string | undefined)[],
    lineStart: number,
    depth: number,
  ): JsonObject {
    const values: JsonNode[] = [];
    // Rows that have all keys share the list of them.
    let own: string[] | undefined;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as Column;
      let value: JsonNode | undefined;
      if (column.kind === "constant") value = { kind: "scalar", raw: column.raw, traits: UNKNOWN };
      else if (column.kind === "nested") {
        value = this.#cells(column.columns, allKeys.inner[i] as Keys, delimiter, above, lineStart, depth + 1);
      } else {
        if (this.at > lineStart) this.#take(delimiter);
        value = this.#cell(column, delimiter, above, depth);
      }
      if (value === undefined) own ??= allKeys.names.slice(0, i);
      else {
        own?.push(column.key);
        values.push(value);
      }
    }
    return { kind: "object", keys: own ?? allKeys.names, values };
  }

  #cell(
    column: Extract<Column, { kind: "cells" }>,
    delimiter: Delimiter,
    above: (string | undefined)[],
    depth: number,
  ): JsonNode | undefined {
    const place = this.#place++;
    const first = this.#text.charCodeAt(this.at);
    if (first === OPEN_BRACKET || first === OPEN_BRACE) {
      above[place] = undefined;
      const value = this.value(delimiter, false, depth + 1);
      // A table inside has counted its own columns.
      this.#place = place + 1;
      return value;
    }
    const word = this.#word(delimiter);
    if (word === ABSENT) {
      above[place] = undefined;
      return undefined;
    }
    const raw = word === DITTO ? above[place] : readWord(word, column.stringsOnly);
    if (raw === undefined) throw new UnfoldError(`nothing above to repeat at ${this.at}`);
    above[place] = raw;
    return { kind: "scalar", raw, traits: UNKNOWN };
  }
}

/** The keys of a row, and of what is nested under some of them. */
type Keys = { names: string[]; inner: (Keys | undefined)[] };

function keysOf(columns: readonly Column[]): Keys {
  return {
    names: columns.map(({ key }) => key),
    inner: columns.map((column) => (column.kind === "nested" ? keysOf(column.columns) : undefined)),
  };
}
