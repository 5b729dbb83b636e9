// JSON for reading: members as key=value on a line, lists of like objects as rows under a header, each below its heading.
//
//   destination=google.com packets=4 pattern=null times=[1 2.5] address={city=Bonn zip="53113"}
//   responses: 4 rows, all with type=reply ttl=42
//    icmp_seq time_ms
//    0 1.331
import type { JsonNode } from "../json-syntax.ts";
import { countTokens } from "../tokens/count.ts";
import { tableOf } from "./json-table.ts";
import type { Column, Table } from "./json-table.ts";
import { writeKey, writeScalar, writeStep } from "./json-words.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;

/** Deeper than this, values stand in braces. */
const MAX_HEADED_DEPTH = 6;

export function writeNotation(node: JsonNode): string {
  const out: string[] = [];
  const records = recordsOf(node);
  if (records !== undefined) writeRecords([], records, out);
  else if (node.kind === "object") {
    const own: string[] = [];
    const later: [path: string[], Records][] = [];
    for (let i = 0; i < node.keys.length; i++) member([], node.keys[i] ?? "", node.values[i] as JsonNode, own, later);
    if (own.length > 0) out.push(own.join(" "));
    for (const [path, list] of later) writeRecords(path, list, out);
  } else out.push(inline(node));
  return out.join("\n");
}

/** Objects in a list, or by name. */
export type Records = { objects: ObjectNode[]; keys?: readonly string[]; listsOf?: number };

function recordsOf(node: JsonNode): Records | undefined {
  if (node.kind === "scalar") return undefined;
  const inside = node.kind === "array" ? node.items : node.values;
  if (node.kind === "array" && inside.length > 1) {
    const lists = listsOf(node.items);
    if (lists !== undefined) return lists;
  }
  if (inside.length < 2 || !inside.every((one): one is ObjectNode => one.kind === "object" && one.keys.length > 0))
    return undefined;
  return node.kind === "array" ? { objects: inside } : { objects: inside, keys: node.keys };
}

// Lists of as many objects each: one table for all.
function listsOf(lists: readonly JsonNode[]): Records | undefined {
  const [first] = lists;
  if (first?.kind !== "array" || first.items.length === 0) return undefined;
  const size = first.items.length;
  const objects: ObjectNode[] = [];
  for (const list of lists) {
    if (list.kind !== "array" || list.items.length !== size) return undefined;
    for (const item of list.items) {
      if (item.kind !== "object" || item.keys.length === 0) return undefined;
      objects.push(item);
    }
  }
  return tableOf(objects) === undefined ? undefined : { objects, listsOf: size };
}

// On the line of its object, or below a heading of its own.
function member(path: string[], key: string, node: JsonNode, own: string[], later: [string[], Records][]): void {
  const records = recordsOf(node);
  const steps = [...path, key];
  if (records !== undefined && steps.length <= MAX_HEADED_DEPTH) later.push([steps, records]);
  else if (node.kind !== "object" || steps.length >= MAX_HEADED_DEPTH || !hasRecords(node))
    own.push(`${writeKey(key)}=${inline(node)}`);
  else {
    const inner: string[] = [];
    for (let i = 0; i < node.keys.length; i++)
      member(steps, node.keys[i] ?? "", node.values[i] as JsonNode, inner, later);
    if (inner.length > 0) own.push(`${writeKey(key)}={${inner.join(" ")}}`);
  }
}

function hasRecords(node: ObjectNode, depth = 0): boolean {
  if (depth > MAX_HEADED_DEPTH) return false;
  return node.values.some(
    (own) => recordsOf(own) !== undefined || (own.kind === "object" && hasRecords(own, depth + 1)),
  );
}

export function inline(node: JsonNode): string {
  if (node.kind === "scalar") return writeScalar(node.raw);
  if (node.kind === "array") return `[${node.items.map(inline).join(" ")}]`;
  return `{${members(node)}}`;
}

function members({ keys, values }: ObjectNode): string {
  return keys.map((key, i) => `${writeKey(key)}=${inline(values[i] as JsonNode)}`).join(" ");
}

function writeRecords(path: readonly string[], records: Records, out: string[]): void {
  const { objects, keys, listsOf: size } = records;
  const name = path.length === 0 ? "" : `${path.map(writeStep).join(".")}: `;
  const named = keys === undefined ? "" : " by key";
  const single = [
    `${name}${objects.length} objects${named}, one per line`,
    ...objects.map((one, i) => ` ${keys === undefined ? "" : `${writeStep(keys[i] ?? "")}: `}${members(one)}`),
  ].join("\n");
  const table = tableOf(objects);
  const alias = table === undefined || keys === undefined ? undefined : keyColumn(table, keys);
  const lists = size === undefined ? "" : ` in lists of ${size}`;
  const also = alias === undefined ? "" : `, which is also ${headerOf(alias)}`;
  const rows =
    table && printed(withoutColumn(table, alias), `${name}${objects.length} rows${lists}${named}${also}`, keys);
  out.push(rows !== undefined && (size !== undefined || countTokens(rows) <= countTokens(single)) ? rows : single);
}

function printed(table: Table, heading: string, keys: readonly string[] | undefined): string {
  const { columns, shared } = table;
  const flagged = columns.filter(({ isStrings }) => isStrings);
  const all = flagged.length > 0 && columns.every(({ cells, isStrings }) => isStrings || cells.every(isStringCell));
  const strings = flagged.length === 0 ? "" : all ? ", all strings" : `, strings in ${flagged.map(headerOf).join(" ")}`;
  const common =
    shared.length === 0
      ? ""
      : `, all with ${shared.map(([key, node]) => `${writeKey(key)}=${inline(node)}`).join(" ")}`;
  const lines = [heading + strings + common];
  lines.push(` ${[...(keys === undefined ? [] : ["key"]), ...columns.map(headerOf)].join(" ")}`);
  const rows = columns[0]?.cells.length ?? 0;
  for (let row = 0; row < rows; row++) {
    const cells = columns.map(({ cells: own, isStrings }) => {
      const cell = own[row];
      if (cell === undefined) return "-";
      return cell.kind === "scalar" ? writeScalar(cell.raw, isStrings || all) : inline(cell);
    });
    lines.push(` ${[...(keys === undefined ? [] : [writeStep(keys[row] ?? "")]), ...cells].join(" ")}`);
  }
  return lines.join("\n");
}

// A record often says its own name once more.
function keyColumn({ columns }: Table, keys: readonly string[]): Column | undefined {
  if (columns.length < 2) return undefined;
  return columns.find(
    ({ steps, cells }) =>
      steps.length === 1 && cells.every((cell, i) => cell?.kind === "scalar" && cell.raw === keys[i]),
  );
}

function withoutColumn(table: Table, column: Column | undefined): Table {
  return column === undefined ? table : { ...table, columns: table.columns.filter((one) => one !== column) };
}

function isStringCell(cell: JsonNode | undefined): boolean {
  return cell === undefined || (cell.kind === "scalar" && cell.raw.startsWith('"'));
}

function headerOf({ steps }: { steps: readonly string[] }): string {
  return steps.map(writeStep).join(".");
}
