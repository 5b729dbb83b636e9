// JSON tree → our notation: quotes only where needed, blanks for commas, and one header for rows of the same keys.
//
//   {id:7 name:Ann tags:[a b]}            an object; {'zip:01234} holds strings only, {|k:v|k:v} is parted by bars
//   [{id name' city{x y} kind=user}       a table: name' is a column of strings, city holds two, kind is the same in
//   7 Ann 1 2                             all rows; - is an absent key, ^ the value above, {^} the header above
//   8 12 ^ 5]
//   {{x y}                                an object whose values are rows: each starts with its key
//   a 1 2
//   b 3 4}
import type { JsonNode } from "../json-syntax.ts";
import type { Column, JsonObject } from "./json-columns.ts";
import { cellOf, columnsOf, DelimiterChoice } from "./json-columns.ts";
import type { Delimiter } from "./json-words.ts";
import {
  ABSENT,
  DITTO,
  holdsBlank,
  isStringScalar,
  looksLikeLiteral,
  writeKey,
  writeScalar,
  writeWord,
} from "./json-words.ts";

/** Shorter values are as cheap as the mark that repeats them. */
const DITTO_FROM = 6;

export function writeNotation(node: JsonNode): string {
  return new Writer().write(node);
}

class Writer {
  #lastHeader = "";
  readonly #out: string[] = [];

  write(node: JsonNode): string {
    this.#value(node, " ", false);
    return this.#out.join("");
  }

  #value(node: JsonNode, delimiter: Delimiter, stringsOnly: boolean): void {
    if (node.kind === "scalar") this.#out.push(writeScalar(node, delimiter, stringsOnly));
    else if (node.kind === "array") this.#array(node.items);
    else this.#object(node);
  }

  #array(items: JsonNode[]): void {
    const columns = items.length >= 2 && items.every(isRow) ? columnsOf(items as JsonObject[]) : undefined;
    if (columns !== undefined) {
      const delimiter = this.#header("[{", items as JsonObject[], columns, []);
      this.#rows(items as JsonObject[], columns, delimiter, undefined);
      this.#out.push("]");
      return;
    }
    const choice = new DelimiterChoice();
    let strings = 0;
    let literals = 0;
    for (const item of items) {
      if (item.kind !== "scalar") continue;
      choice.addScalar(item);
      if (isStringScalar(item)) strings++;
      if (looksLikeLiteral(item)) literals++;
    }
    const { delimiter } = choice;
    const stringsOnly = strings === items.length && literals > 0;
    this.#out.push("[", stringsOnly ? "'" : "", delimiter === "|" ? "|" : "");
    for (let i = 0; i < items.length; i++) {
      if (i > 0) this.#out.push(delimiter);
      this.#value(items[i] as JsonNode, delimiter, stringsOnly);
    }
    this.#out.push("]");
  }

  #object(node: JsonObject): void {
    const { keys, values } = node;
    if (keys.length >= 2 && values.every(isRow)) {
      const columns = columnsOf(values as JsonObject[]);
      if (columns !== undefined) {
        const delimiter = this.#header("{{", values as JsonObject[], columns, keys);
        this.#rows(values as JsonObject[], columns, delimiter, keys);
        this.#out.push("}");
        return;
      }
    }
    const choice = new DelimiterChoice();
    let others = 0;
    let literals = 0;
    for (let i = 0; i < keys.length; i++) {
      const value = values[i] as JsonNode;
      const key = keys[i] ?? "";
      if (value.kind !== "scalar") {
        choice.add("");
        continue;
      }
      if (holdsBlank(key)) choice.add(key);
      else choice.addScalar(value);
      if (!isStringScalar(value)) others++;
      if (looksLikeLiteral(value)) literals++;
    }
    const { delimiter } = choice;
    const stringsOnly = others === 0 && literals > 1;
    this.#out.push("{", stringsOnly ? "'" : "", delimiter === "|" ? "|" : "");
    for (let i = 0; i < keys.length; i++) {
      if (i > 0) this.#out.push(delimiter);
      this.#out.push(writeKey(keys[i] ?? "", delimiter), ":");
      this.#value(values[i] as JsonNode, delimiter, stringsOnly);
    }
    this.#out.push("}");
  }

  #header(open: string, rows: JsonObject[], columns: Column[], keys: string[]): Delimiter {
    const choice = new DelimiterChoice();
    for (const key of keys) choice.add(key);
    choice.addRows(rows, columns);
    const { delimiter } = choice;
    const header = (delimiter === "|" ? "|" : "") + writeColumns(columns, delimiter);
    this.#out.push(open, header === this.#lastHeader ? DITTO : header, "}");
    this.#lastHeader = header;
    return delimiter;
  }

  #rows(rows: JsonObject[], columns: Column[], delimiter: Delimiter, keys: string[] | undefined): void {
    const above: (string | undefined)[] = [];
    for (let row = 0; row < rows.length; row++) {
      this.#out.push("\n");
      const before = this.#out.length;
      if (keys !== undefined) this.#out.push(writeWord(keys[row] ?? "", delimiter, true));
      this.#cells(rows[row] as JsonObject, columns, delimiter, above, 0, before);
    }
  }

  // `place`: of the first of these columns among all of the table, nested ones counted. Gives that of the next.
  #cells(
    row: JsonObject,
    columns: Column[],
    delimiter: Delimiter,
    above: (string | undefined)[],
    place: number,
    lineStart: number,
  ): number {
    let next = place;
    for (let i = 0; i < columns.length; i++) {
      const column = columns[i] as Column;
      if (column.kind === "constant") continue;
      const cell = cellOf(row, column.key, i);
      if (column.kind === "nested") {
        next = this.#cells(cell as JsonObject, column.columns, delimiter, above, next, lineStart);
        continue;
      }
      if (this.#out.length > lineStart) this.#out.push(delimiter);
      if (cell === undefined) this.#out.push(ABSENT);
      else if (cell.kind !== "scalar") this.#value(cell, delimiter, false);
      else if (cell.raw.length >= DITTO_FROM && above[next] === cell.raw) this.#out.push(DITTO);
      else this.#out.push(writeScalar(cell, delimiter, column.stringsOnly));
      above[next++] = cell?.kind === "scalar" ? cell.raw : undefined;
    }
    return next;
  }
}

function writeColumns(columns: Column[], delimiter: Delimiter): string {
  const parts = columns.map((column) => {
    const key = writeKey(column.key, delimiter);
    if (column.kind === "constant") return `${key}=${writeWord(column.raw, delimiter, false)}`;
    if (column.kind === "nested") return `${key}{${writeColumns(column.columns, delimiter)}}`;
    return column.stringsOnly ? `${key}'` : key;
  });
  return parts.join(delimiter);
}

function isRow(node: JsonNode): boolean {
  return node.kind === "object" && node.keys.length > 0;
}
