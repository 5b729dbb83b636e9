// The values of TOML: strings, numbers, dates, lists and inline tables.
import { MAX_NESTING, type Cursor, type ListNode, type Node, type TableNode } from "./settings-document.ts";

/** Reads `key = value` into a table: the part of the grammar that an inline table shares with the file. */
export type ReadKeyed = (table: TableNode, depth: number) => void;

const DATE =
  /\d{4}-\d{2}-\d{2}(?:[Tt ]\d{2}:\d{2}:\d{2}(?:\.\d+)?(?:[Zz]|[+-]\d{2}:\d{2})?)?|\d{2}:\d{2}:\d{2}(?:\.\d+)?/y;
const NUMBER =
  /[+-]?(?:inf|nan|0x[0-9A-Fa-f_]+|0o[0-7_]+|0b[01_]+|[0-9][0-9_]*(?:\.[0-9][0-9_]*)?(?:[eE][+-]?[0-9][0-9_]*)?)/y;
const ESCAPES: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  e: "\u001b",
  '"': '"',
  "\\": "\\",
};

export function readValue(cursor: Cursor, depth: number, keyed: ReadKeyed): Node {
  if (depth > MAX_NESTING) cursor.fail("nested too deeply");
  const at = cursor.position();
  const first = cursor.peek();
  if (first === '"') return { kind: "string", value: readBasic(cursor), at };
  if (first === "'") return { kind: "string", value: readLiteral(cursor), at };
  if (first === "[") return readList(cursor, depth, keyed);
  if (first === "{") return readInlineTable(cursor, depth, keyed);
  if (isWord(cursor, "true")) return { kind: "boolean", value: cursor.accept("true"), at };
  if (isWord(cursor, "false")) return { kind: "boolean", value: !cursor.accept("false"), at };
  const date = cursor.take(DATE);
  if (date !== "")
    return isDate(date)
      ? { kind: "date", value: date, at }
      : cursor.fail(`${date} is not a date`, cursor.offset - date.length);
  return readNumber(cursor);
}

export function readSpaces(cursor: Cursor): void {
  cursor.take(/[ \t]*/y);
}

/** Blank lines and comments. */
export function readBlankLines(cursor: Cursor): void {
  for (;;) {
    cursor.take(/(?:[ \t]|\r?\n)*/y);
    if (cursor.peek() !== "#") return;
    const comment = cursor.take(/[^\n\r]*/y);
    const control = comment.split("").findIndex((character) => character < " " && character !== "\t");
    if (control >= 0) cursor.fail("a comment cannot hold control characters", cursor.offset - comment.length + control);
  }
}

function isWord(cursor: Cursor, word: string): boolean {
  return cursor.startsWith(word) && !/[A-Za-z0-9_-]/.test(cursor.peek(word.length));
}

function readNumber(cursor: Cursor): Node {
  const offset = cursor.offset;
  const at = cursor.position();
  const text = cursor.take(NUMBER);
  if (text === "" || /[A-Za-z0-9_.+-]/.test(cursor.peek())) return cursor.fail(notAValue(cursor, offset), offset);
  const digits = text.replaceAll("_", "");
  if (/^_|__|_$|_[.eE]|[.eE]_|[xob]_/.test(text)) cursor.fail("an underscore must stand between digits", offset);
  if (/^[+-]?(?:inf|nan)$/.test(text)) return { kind: "float", value: Number(digits.replace("inf", "Infinity")), at };
  if (/^[+-]?0[0-9]/.test(text)) cursor.fail("a number cannot begin with 0", offset);
  if (/^[+-]0[xob]/.test(text)) cursor.fail("only decimal numbers have a sign", offset);
  if (/^[+-]?\d+$/.test(digits) || /^0[xob]/.test(digits)) {
    const value = Number(digits);
    return Number.isSafeInteger(value) ? { kind: "integer", value, at } : cursor.fail(`${text} is too large`, offset);
  }
  return { kind: "float", value: Number(digits), at };
}

function notAValue(cursor: Cursor, offset: number): string {
  const end = cursor.text.slice(offset).search(/[\s,\]}#]/);
  const found = cursor.text.slice(offset, end < 0 ? undefined : offset + end).slice(0, 40);
  if (found === "") return "expected a value";
  return /^[A-Za-z]/.test(found) ? `${found} is not a value: text needs quotes` : `${found} is not a value`;
}

function isDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})/.exec(text) ?? [];
  const [, hour, minute, second] = /(\d{2}):(\d{2}):(\d{2})/.exec(text) ?? [];
  if (year !== undefined) {
    const days = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
    if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > days) return false;
  }
  return hour === undefined || (Number(hour) < 24 && Number(minute) < 60 && Number(second) <= 60);
}

function readBasic(cursor: Cursor): string {
  return cursor.accept('"""') ? readMultiLine(cursor, '"""') : readOneLine(cursor, '"');
}

function readLiteral(cursor: Cursor): string {
  return cursor.accept("'''") ? readMultiLine(cursor, "'''") : readOneLine(cursor, "'");
}

function readOneLine(cursor: Cursor, quote: string): string {
  const start = cursor.offset;
  cursor.accept(quote);
  const parts: string[] = [];
  for (;;) {
    parts.push(cursor.take(quote === '"' ? /[^"\\\n\r]*/y : /[^'\n\r]*/y));
    refuseControls(cursor, parts.at(-1) ?? "");
    if (cursor.accept(quote)) return parts.join("");
    if (cursor.peek() !== "\\" || quote !== '"') return cursor.fail("this text is never closed", start);
    parts.push(readEscape(cursor));
  }
}

function readMultiLine(cursor: Cursor, quotes: string): string {
  const start = cursor.offset - 3;
  cursor.take(/\r?\n/y); // a line end right after the quotes is not part of the text
  const parts: string[] = [];
  const quote = quotes.charAt(0);
  for (;;) {
    parts.push(cursor.take(quote === '"' ? /[^"\\]*/y : /[^']*/y));
    refuseControls(cursor, parts.at(-1) ?? "");
    if (cursor.ended) return cursor.fail("this text is never closed", start);
    if (cursor.accept(quotes)) {
      // Up to two more quotes belong to the text: """a"""" is a"
      for (let extra = 0; extra < 2 && cursor.accept(quote); extra += 1) parts.push(quote);
      return parts.join("");
    }
    if (cursor.accept(quote)) parts.push(quote);
    else if (cursor.take(/\\[ \t]*\r?\n(?:[ \t]|\r?\n)*/y) === "") parts.push(readEscape(cursor));
  }
}

function readEscape(cursor: Cursor): string {
  const start = cursor.offset;
  cursor.accept("\\");
  const letter = cursor.take(/[\s\S]?/y);
  const plain = ESCAPES[letter];
  if (plain !== undefined) return plain;
  const digits = letter === "u" ? cursor.take(/[0-9A-Fa-f]{4}/y) : letter === "U" ? cursor.take(/[0-9A-Fa-f]{8}/y) : "";
  const point = Number.parseInt(digits, 16);
  if (digits === "" || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) {
    return cursor.fail(`\\${letter} is not an escape: write \\\\ for a backslash, or use 'single quotes'`, start);
  }
  return String.fromCodePoint(point);
}

function refuseControls(cursor: Cursor, text: string): void {
  for (let i = 0; i < text.length; i += 1) {
    const unit = text.charCodeAt(i);
    const isLineEnd = unit === 0x0a || (unit === 0x0d && text.charCodeAt(i + 1) === 0x0a);
    if ((unit < 0x20 && unit !== 0x09 && !isLineEnd) || unit === 0x7f) {
      cursor.fail("a control character must be written as an escape", cursor.offset - text.length + i);
    }
  }
}

function readList(cursor: Cursor, depth: number, keyed: ReadKeyed): ListNode {
  const start = cursor.offset;
  const list: ListNode = { kind: "list", items: [], at: cursor.position() };
  cursor.accept("[");
  for (;;) {
    readBlankLines(cursor);
    if (cursor.accept("]")) return list;
    if (cursor.ended) return cursor.fail("this list is never closed", start);
    list.items.push(readValue(cursor, depth + 1, keyed));
    readBlankLines(cursor);
    if (!cursor.accept(",") && cursor.peek() !== "]") cursor.fail('expected "," or "]" in the list');
  }
}

function readInlineTable(cursor: Cursor, depth: number, keyed: ReadKeyed): TableNode {
  const table: TableNode = { kind: "table", members: new Map(), at: cursor.position() };
  cursor.accept("{");
  readSpaces(cursor);
  if (cursor.accept("}")) return table;
  for (;;) {
    keyed(table, depth + 1);
    readSpaces(cursor);
    if (cursor.accept("}")) return table;
    if (!cursor.accept(",")) cursor.fail('expected "," or "}" in the inline table');
  }
}
