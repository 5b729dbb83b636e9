// Rows of JSON objects → the columns they share: keys in one order, perhaps absent in some rows, perhaps nested.
import type { JsonNode } from "../json-syntax.ts";
import type { Delimiter } from "./json-words.ts";
import { holdsBlank, isString, looksLikeLiteral } from "./json-words.ts";

export type Column =
  | { kind: "cells"; key: string; stringsOnly: boolean }
  /** The same scalar in every row: it stands in the header only. */
  | { kind: "constant"; key: string; raw: string }
  | { kind: "nested"; key: string; columns: Column[] };

export type JsonObject = Extract<JsonNode, { kind: "object" }>;

/** A table with more holes than this is longer than its objects. */
const MIN_FILLED = 0.45;
const MAX_COLUMNS = 200;
const MAX_NESTING = 4;

/** undefined: these rows do not make a table. */
export function columnsOf(rows: JsonObject[], nesting = 0): Column[] | undefined {
  const keys = mergeKeys(rows);
  if (keys === undefined || keys.length === 0) return undefined;
  const cells: (JsonNode | undefined)[][] = keys.map(() => []);
  const places = new Map(keys.map((key, i) => [key, i]));
  let filled = 0;
  for (let row = 0; row < rows.length; row++) {
    const { keys: own, values } = rows[row] as JsonObject;
    for (let i = 0; i < own.length; i++)
      (cells[places.get(own[i] ?? "") ?? 0] as JsonNode[])[row] = values[i] as JsonNode;
    filled += own.length;
  }
  if (filled < MIN_FILLED * keys.length * rows.length) return undefined;
  return keys.map((key, i) => columnOf(key, cells[i] ?? [], rows.length, nesting));
}

/** The value of a row under a key; undefined where the row has none. */
export function cellOf(row: JsonObject, key: string): JsonNode | undefined {
  const at = row.keys.indexOf(key);
  return at < 0 ? undefined : row.values[at];
}

/** What separates values: bars where quotes around those with blanks would cost more. */
export class DelimiterChoice {
  #blanks = 0;
  #all = 0;

  add(raw: string): void {
    this.#all++;
    if (holdsBlank(raw)) this.#blanks++;
  }

  /** The cells of a table that stand in its rows. */
  addRows(rows: readonly JsonObject[], columns: readonly Column[]): void {
    for (const column of columns) {
      if (column.kind === "constant") continue;
      const nested: JsonObject[] = [];
      for (const row of rows) {
        const cell = cellOf(row, column.key);
        if (cell === undefined) continue;
        if (column.kind === "nested") nested.push(cell as JsonObject);
        else if (cell.kind === "scalar") this.add(cell.raw);
      }
      if (column.kind === "nested") this.addRows(nested, column.columns);
    }
  }

  get delimiter(): Delimiter {
    return this.#blanks * 2 > this.#all ? "|" : " ";
  }
}

// One order of keys that every row follows; undefined when rows disagree, or repeat a key.
function mergeKeys(rows: JsonObject[]): string[] | undefined {
  const first = rows[0]?.keys ?? [];
  let index = new Map<string, number>(first.map((name, i) => [name, i]));
  if (index.size < first.length || first.length > MAX_COLUMNS) return undefined;
  const merged = [...first];
  for (const { keys } of rows) {
    // Most rows have the keys of the first.
    if (keys.length === merged.length && keys.every((key, i) => key === merged[i])) continue;
    let from = 0;
    for (const key of keys) {
      const at = index.get(key);
      if (at === undefined) {
        if (merged.length >= MAX_COLUMNS) return undefined;
        merged.splice(from, 0, key);
        index = new Map(merged.map((name, i) => [name, i]));
        from++;
      } else if (at < from) return undefined;
      else from = at + 1;
    }
  }
  return merged;
}

function columnOf(key: string, cells: (JsonNode | undefined)[], rows: number, nesting: number): Column {
  const first = cells[0];
  let present = 0;
  let same = true;
  let objects = true;
  let strings = true;
  let literals = false;
  for (let row = 0; row < rows; row++) {
    const cell = cells[row];
    if (cell === undefined) continue;
    present++;
    if (cell.kind !== "scalar" || first?.kind !== "scalar" || cell.raw !== first.raw) same = false;
    if (cell.kind !== "object" || cell.keys.length === 0) objects = false;
    if (cell.kind !== "scalar" || !isString(cell.raw)) strings = false;
    else if (looksLikeLiteral(cell.raw)) literals = true;
  }
  if (present === rows && same && first?.kind === "scalar") return { kind: "constant", key, raw: first.raw };
  if (present === rows && objects && nesting < MAX_NESTING) {
    const columns = columnsOf(cells as JsonObject[], nesting + 1);
    if (columns !== undefined) return { kind: "nested", key, columns };
  }
  return { kind: "cells", key, stringsOnly: strings && literals };
}
