// The way back from json-writer.ts. The order of members that moved below a heading is restored elsewhere.
import type { JsonNode } from "../json-syntax.ts";
import { UnfoldError } from "./form.ts";
import { readScalar, WordReader } from "./json-words.ts";

type ObjectNode = Extract<JsonNode, { kind: "object" }>;

const NAME = String.raw`(?:[^\s",=]|"(?:[^"\\]|\\.)*")+`;
/** Where it stands, how many rows, in lists of how many, by key or not, in which column the key stands once more, … */
const HEADING = new RegExp(
  String.raw`^(?:(${NAME}): )?(\d{1,9}) (rows|objects)(?: in lists of (\d{1,9}))?( by key)?(?:, which is also (${NAME}))?` +
    String.raw`(, one per line)?(?:, (all strings|strings in (${NAME}(?: ${NAME})*)))?(?:, all with (.*))?$`,
);
const MAX_DEPTH = 150;

export function readNotation(body: string): JsonNode {
  const lines = body.split("\n");
  const top: ObjectNode = { kind: "object", keys: [], values: [] };
  for (let i = 0; i < lines.length;) {
    const line = lines[i] ?? "";
    const heading = HEADING.exec(line);
    if (heading === null) {
      if (i > 0) throw new UnfoldError(`no heading: ${line.slice(0, 80)}`);
      if (line.startsWith("[") && lines.length === 1) return onlyValue(line);
      readMembers(new WordReader(line), "", top, 0);
      i++;
      continue;
    }
    const [, name, count, kind, , , , perLine] = heading;
    const length = Number(count) + (perLine === undefined ? 1 : 0);
    if ((kind === "objects") !== (perLine !== undefined) || i + 1 + length > lines.length)
      throw new UnfoldError("rows are missing");
    const rows = lines.slice(i + 1, i + 1 + length).map((row) => {
      if (!row.startsWith(" ")) throw new UnfoldError(`no row: ${row.slice(0, 80)}`);
      return row.slice(1);
    });
    const node = readRecords(heading, rows);
    i += 1 + length;
    if (name === undefined) {
      if (i !== lines.length || i !== 1 + length) throw new UnfoldError("more than one value");
      return node;
    }
    place(top, readSteps(new WordReader(name)), node);
  }
  return top;
}

function onlyValue(line: string): JsonNode {
  const words = new WordReader(line);
  const node = readValue(words, false, 0);
  if (!words.isOver) throw new UnfoldError("more behind a value");
  return node;
}

function readRecords(
  [, , , , size, byKey, also, perLine, strings, named, shared]: RegExpExecArray,
  rows: readonly string[],
): JsonNode {
  const common: ObjectNode = { kind: "object", keys: [], values: [] };
  if (shared !== undefined) readMembers(new WordReader(shared), "", common, 0);
  const isNamed = byKey !== undefined;
  const stringColumns =
    strings === "all strings" ? undefined : new Set(named === undefined ? [] : columnsIn(named).map(nameOf));
  const records =
    perLine === undefined
      ? readTable(rows, isNamed, common, stringColumns)
      : rows.map((row) => readObject(row, isNamed));
  if (also !== undefined) {
    const steps = readSteps(new WordReader(also));
    for (const { key, node } of records) place(node, steps, { kind: "scalar", raw: key });
  }
  const values: JsonNode[] = records.map(({ node }) => node);
  if (size !== undefined) return { kind: "array", items: inLists(values, Number(size)) };
  return isNamed ? { kind: "object", keys: records.map(({ key }) => key), values } : { kind: "array", items: values };
}

function inLists(items: readonly JsonNode[], size: number): JsonNode[] {
  if (size === 0 || items.length % size !== 0) throw new UnfoldError("the lists are not of one size");
  return Array.from({ length: items.length / size }, (_, i) => ({
    kind: "array",
    items: items.slice(i * size, (i + 1) * size),
  }));
}

type Named = { key: string; node: ObjectNode };

function readObject(row: string, isNamed: boolean): Named {
  const words = new WordReader(row);
  let key = "";
  if (isNamed) {
    key = words.next === '"' ? words.quoted() : `"${words.word(" ").slice(0, -1)}"`;
    if (row[words.at - 1] !== ":") words.expect(":");
    if (!words.isOver) words.expect(" ");
  }
  const node: ObjectNode = { kind: "object", keys: [], values: [] };
  readMembers(words, "", node, 0);
  return { key, node };
}

function readTable(
  [header = "", ...rows]: readonly string[],
  isNamed: boolean,
  common: ObjectNode,
  strings: ReadonlySet<string> | undefined,
): Named[] {
  const columns = columnsIn(header);
  if (isNamed) columns.shift();
  const flags = columns.map((steps) => strings?.has(nameOf(steps)) ?? true);
  return rows.map((row) => {
    const words = new WordReader(row);
    const node: ObjectNode = { kind: "object", keys: [...common.keys], values: [...common.values] };
    const key = isNamed ? words.key(' "') : "";
    for (const [i, steps] of columns.entries()) {
      if (words.at > 0) words.expect(" ");
      if (words.next === "-" && (row[words.at + 1] ?? " ") === " ") words.at++;
      else place(node, steps, readValue(words, flags[i] ?? true, 0));
    }
    if (!words.isOver) throw new UnfoldError(`more cells than columns: ${row.slice(0, 80)}`);
    return { key, node };
  });
}

function columnsIn(header: string): string[][] {
  const words = new WordReader(header);
  const columns: string[][] = [];
  while (!words.isOver) {
    if (columns.length > 0) words.expect(" ");
    columns.push(readSteps(words));
  }
  return columns;
}

function nameOf(steps: readonly string[]): string {
  return steps.join(".");
}

function readSteps(words: WordReader): string[] {
  const steps = [words.key(' ".=[]{}')];
  while (words.took(".")) steps.push(words.key(' ".=[]{}'));
  return steps;
}

// Up to the sign that closes, or the end of the line.
function readMembers(words: WordReader, close: string, into: ObjectNode, depth: number): void {
  for (let isFirst = true; close === "" ? !words.isOver : !words.took(close); isFirst = false) {
    if (!isFirst) words.expect(" ");
    into.keys.push(words.key());
    words.expect("=");
    into.values.push(readValue(words, false, depth));
  }
}

function readValue(words: WordReader, asString: boolean, depth: number): JsonNode {
  if (depth > MAX_DEPTH) throw new UnfoldError("too deep");
  if (words.took("{")) {
    const node: ObjectNode = { kind: "object", keys: [], values: [] };
    readMembers(words, "}", node, depth + 1);
    return node;
  }
  if (words.took("[")) {
    const items: JsonNode[] = [];
    while (!words.took("]")) {
      if (items.length > 0) words.expect(" ");
      items.push(readValue(words, false, depth + 1));
    }
    return { kind: "array", items };
  }
  if (words.next === '"') return { kind: "scalar", raw: words.quoted() };
  return { kind: "scalar", raw: readScalar(words.word(' "[]{}'), asString) };
}

function place(into: ObjectNode, [first = "", ...rest]: readonly string[], node: JsonNode): void {
  if (rest.length === 0) {
    into.keys.push(first);
    into.values.push(node);
    return;
  }
  const at = into.keys.lastIndexOf(first);
  let inner = into.values[at];
  if (inner === undefined) {
    inner = { kind: "object", keys: [], values: [] };
    into.keys.push(first);
    into.values.push(inner);
  }
  if (inner.kind !== "object") throw new UnfoldError(`${first} is no object`);
  place(inner, rest, node);
}
