// JSON text → the same document with positions, for people who keep their settings in config.json.
import { Cursor, MAX_NESTING, type Node, type TableNode } from "./document.ts";

export function readJson(file: string, text: string): TableNode {
  const cursor = new Cursor(file, text);
  readBlanks(cursor);
  const node = readNode(cursor, 0);
  readBlanks(cursor);
  if (!cursor.ended) cursor.fail("there is something after the end");
  return node.kind === "table" ? node : cursor.fail("settings must be an object { … }", 0);
}

function readNode(cursor: Cursor, depth: number): Node {
  if (depth > MAX_NESTING) cursor.fail("nested too deeply");
  const at = cursor.position();
  if (cursor.peek() === "{") return readObject(cursor, depth);
  if (cursor.peek() === "[") return readArray(cursor, depth);
  if (cursor.peek() === '"') return { kind: "string", value: readString(cursor), at };
  if (cursor.accept("true")) return { kind: "boolean", value: true, at };
  if (cursor.accept("false")) return { kind: "boolean", value: false, at };
  if (cursor.accept("null")) return { kind: "null", at };
  const offset = cursor.offset;
  const number = cursor.take(/-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y);
  if (number === "" || number === "-") return cursor.fail("expected a value", offset);
  const value = Number(number);
  if (!/[.eE]/.test(number)) {
    return Number.isSafeInteger(value) ? { kind: "integer", value, at } : cursor.fail(`${number} is too large`, offset);
  }
  return { kind: "float", value, at };
}

function readObject(cursor: Cursor, depth: number): TableNode {
  const start = cursor.offset;
  const table: TableNode = { kind: "table", members: new Map(), at: cursor.position() };
  cursor.accept("{");
  readBlanks(cursor);
  if (cursor.accept("}")) return table;
  for (;;) {
    readBlanks(cursor);
    const offset = cursor.offset;
    const at = cursor.position();
    if (cursor.peek() !== '"')
      cursor.fail(cursor.ended ? "this object is never closed" : 'expected a "key"', cursor.ended ? start : offset);
    const key = readString(cursor);
    readBlanks(cursor);
    if (!cursor.accept(":")) cursor.fail('expected ":" after the key');
    readBlanks(cursor);
    const value = readNode(cursor, depth + 1);
    const existing = table.members.get(key);
    if (existing !== undefined) cursor.fail(`${key} is set twice (first on line ${existing.at.line})`, offset);
    table.members.set(key, { key, at, value });
    readBlanks(cursor);
    if (cursor.accept("}")) return table;
    if (!cursor.accept(",")) cursor.fail('expected "," or "}"');
  }
}

function readArray(cursor: Cursor, depth: number): Node {
  const items: Node[] = [];
  const at = cursor.position();
  cursor.accept("[");
  readBlanks(cursor);
  if (cursor.accept("]")) return { kind: "list", items, at };
  for (;;) {
    readBlanks(cursor);
    items.push(readNode(cursor, depth + 1));
    readBlanks(cursor);
    if (cursor.accept("]")) return { kind: "list", items, at };
    if (!cursor.accept(",")) cursor.fail('expected "," or "]"');
  }
}

function readString(cursor: Cursor): string {
  const start = cursor.offset;
  const text = cursor.take(/"(?:[^"\\\n\r]|\\.)*"/y);
  if (text === "") cursor.fail("this text is never closed", start);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === "string") return value;
  } catch {
    // said below, with its place
  }
  return cursor.fail("this text has an escape or a control character that JSON does not know", start);
}

function readBlanks(cursor: Cursor): void {
  cursor.take(/[ \t\r\n]*/y);
}
