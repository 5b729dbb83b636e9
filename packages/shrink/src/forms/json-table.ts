// Like objects as a table: which columns they have, what all share, and which columns hold nothing but strings.
import type { JsonNode } from "../json-syntax.ts";
import { needsStringColumn } from "./json-words.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;

export type Column = { steps: string[]; cells: (JsonNode | undefined)[]; isStrings: boolean };
export type Table = { columns: Column[]; shared: [key: string, node: JsonNode][] };

const MAX_COLUMNS = 60;
const MAX_NESTING = 4;
/** So many of all cells must exist. */
const MIN_FILLED = 0.6;

/** undefined: the objects are too unlike, or do not keep their keys in one order. */
export function tableOf(objects: readonly ObjectNode[]): Table | undefined {
  const columns = columnsOf(objects, [], 0);
  if (columns === undefined || columns.length > MAX_COLUMNS) return undefined;
  const shared: [string, JsonNode][] = [];
  const own = columns.filter(({ steps, cells }) => {
    const [first] = cells;
    const isShared =
      steps.length === 1 &&
      first?.kind === "scalar" &&
      cells.every((cell) => cell?.kind === "scalar" && cell.raw === first.raw);
    if (isShared) shared.push([steps[0] ?? "", first]);
    return !isShared;
  });
  if (own.length === 0) return undefined;
  const filled = own.reduce((sum, { cells }) => sum + cells.filter((cell) => cell !== undefined).length, 0);
  if (filled < own.length * objects.length * MIN_FILLED) return undefined;
  return { columns: own, shared };
}

function columnsOf(objects: readonly (ObjectNode | undefined)[], path: string[], depth: number): Column[] | undefined {
  const keys = keysInOrder(objects);
  if (keys === undefined || keys.length > MAX_COLUMNS) return undefined;
  const columns: Column[] = [];
  for (const key of keys) {
    const cells = objects.map((one) => (one === undefined ? undefined : valueOf(one, key)));
    const steps = [...path, key];
    // An object in every row, with the same keys in each: its members are columns. An absent one would look like an empty one.
    const inner = cells.filter((cell) => cell?.kind === "object");
    const nested =
      inner.length === objects.length &&
      depth < MAX_NESTING &&
      inner.every(({ keys: own }) => own.length > 0) &&
      hasSameKeys(inner)
        ? columnsOf(inner, steps, depth + 1)
        : undefined;
    if (nested !== undefined) columns.push(...nested);
    else {
      const present = cells.filter((cell) => cell !== undefined);
      const isStrings =
        present.every((cell) => cell.kind === "scalar" && cell.raw.startsWith('"')) &&
        present.some((cell) => cell.kind === "scalar" && needsStringColumn(cell.raw));
      columns.push({ steps, cells, isStrings });
    }
    if (columns.length > MAX_COLUMNS) return undefined;
  }
  return columns;
}

function hasSameKeys(objects: readonly ObjectNode[]): boolean {
  const [first] = objects;
  return objects.every(
    ({ keys }) => keys.length === first?.keys.length && keys.every((key, i) => key === first.keys[i]),
  );
}

// The keys of all, in an order that each of them keeps; undefined where there is none, or a key comes twice.
function keysInOrder(objects: readonly (ObjectNode | undefined)[]): string[] | undefined {
  const order: string[] = [];
  const known = new Set<string>();
  let latest: readonly string[] | undefined;
  for (const one of objects) {
    if (one === undefined || one.keys === latest) continue;
    latest = one.keys;
    let at = 0;
    for (const key of one.keys) {
      if (!known.has(key)) {
        order.splice(at, 0, key);
        known.add(key);
        at++;
        if (order.length > MAX_COLUMNS) return undefined;
        continue;
      }
      const place = order.indexOf(key);
      if (place < at) return undefined;
      at = place + 1;
    }
  }
  return objects.every((one) => one === undefined || followsOrder(one.keys, order)) ? order : undefined;
}

function followsOrder(keys: readonly string[], order: readonly string[]): boolean {
  let at = 0;
  for (const key of keys) {
    while (at < order.length && order[at] !== key) at++;
    if (at === order.length) return false;
    at++;
  }
  return true;
}

function valueOf({ keys, values }: ObjectNode, key: string): JsonNode | undefined {
  const at = keys.indexOf(key);
  return at < 0 ? undefined : values[at];
}
