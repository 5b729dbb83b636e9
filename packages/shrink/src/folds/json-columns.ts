// Rows of JSON objects → the columns they share: keys in one order, perhaps absent in some rows, perhaps nested.
import type { JsonNode, JsonScalar } from "../json-syntax.ts";
import type { Delimiter } from "./json-words.ts";
import { holdsBlank, isStringScalar, looksLikeLiteral, scalarHoldsBlank } from "./json-words.ts";

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
  const merged = mergeKeys(rows);
  if (merged === undefined || merged.keys.length === 0) return undefined;
  const { keys, isUniform } = merged;
  const cells = isUniform ? undefined : cellsOf(rows, keys);
  let filled = 0;
  for (const row of rows) filled += row.keys.length;
  if (filled < MIN_FILLED * keys.length * rows.length) return undefined;
  return keys.map((key, i) => columnOf(key, cells?.[i] ?? rows.map(({ values }) => values[i]), rows.length, nesting));
}

// The cells of each key; undefined where a row has none.
function cellsOf(rows: JsonObject[], keys: string[]): (JsonNode | undefined)[][] {
  const cells: (JsonNode | undefined)[][] = keys.map(() => []);
  const places = new Map(keys.map((key, i) => [key, i]));
  for (let row = 0; row < rows.length; row++) {
    const { keys: own, values } = rows[row] as JsonObject;
    for (let i = 0; i < own.length; i++)
      (cells[places.get(own[i] ?? "") ?? 0] as JsonNode[])[row] = values[i] as JsonNode;
  }
  return cells;
}

/** The value of a row under a key; undefined where the row has none. Most rows have it at the place of its column. */
export function cellOf(row: JsonObject, key: string, column: number): JsonNode | undefined {
  const at = row.keys[column] === key ? column : row.keys.indexOf(key);
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

  addScalar(scalar: JsonScalar): void {
    this.#all++;
    if (scalarHoldsBlank(scalar)) this.#blanks++;
  }

  /** The cells of a table that stand in its rows. */
  addRows(rows: readonly JsonObject[], columns: readonly Column[]): void {
    for (const [at, column] of columns.entries()) {
      if (column.kind === "constant") continue;
      const nested: JsonObject[] = [];
      for (const row of rows) {
        const cell = cellOf(row, column.key, at);
        if (cell === undefined) continue;
        if (column.kind === "nested") nested.push(cell as JsonObject);
        else if (cell.kind === "scalar") this.addScalar(cell);
      }
      if (column.kind === "nested") this.addRows(nested, column.columns);
    }
  }

  get delimiter(): Delimiter {
    return this.#blanks * 2 > this.#all ? "|" : " ";
  }
}

// One order of keys that every row follows; undefined when rows disagree, or repeat a key.
function mergeKeys(rows: JsonObject[]): { keys: string[]; isUniform: boolean } | undefined {
  const first = rows[0]?.keys ?? [];
  if (first.length > MAX_COLUMNS || new Set(first).size < first.length) return undefined;
  let merged = first;
  let index: Map<string, number> | undefined;
  for (const { keys } of rows) {
    // Most rows have the keys of the first, often the very same list.
    if (keys === merged || (keys.length === merged.length && keys.every((key, i) => key === merged[i]))) continue;
    if (index === undefined) {
      merged = [...first];
      index = new Map(merged.map((name, i) => [name, i]));
    }
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
  return { keys: merged, isUniform: index === undefined };
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
    if (same && (cell.kind !== "scalar" || first?.kind !== "scalar" || cell.raw !== first.raw)) same = false;
    if (cell.kind !== "object" || cell.keys.length === 0) objects = false;
    if (cell.kind !== "scalar" || !isStringScalar(cell)) strings = false;
    else if (!literals && looksLikeLiteral(cell)) literals = true;
  }
  if (present === rows && same && first?.kind === "scalar") return { kind: "constant", key, raw: first.raw };
  if (present === rows && objects && nesting < MAX_NESTING) {
    const columns = columnsOf(cells as JsonObject[], nesting + 1);
    if (columns !== undefined) return { kind: "nested", key, columns };
  }
  return { kind: "cells", key, stringsOnly: strings && literals };
}
