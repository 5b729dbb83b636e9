// JSON with positions, read where it stands. JSON.parse knows neither where a value stood nor that a key came twice, it
// rounds numbers, and it makes objects and strings of everything, wanted or not.

import type { Steps } from "./cooperative-work.ts";
import { ARRAY, BACKSLASH, checkJson, COMMA, hexUnit, OBJECT, QUOTE } from "./json-scanner.ts";
import { decodeLossy } from "./utf8-text.ts";

export { JsonError } from "./json-scanner.ts";

/** A value or a key, by the byte it begins with. */
export type JsonNode = number;
export type JsonKind = "object" | "array" | "string" | "number" | "true" | "false" | "null";

/** What there is instead of another value in a container. */
export const NO_NODE = -1;

const OBJECT_END = 0x7d;
const MINUS = 0x2d;
const ZERO = 0x30;
const MAX_DIGITS = 100;
const ARRAY_END = 0x5d;
const SHORT_ESCAPES = new Map(
  Object.entries({ b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" }).map(([letter, char]) => [
    letter.charCodeAt(0),
    char.charCodeAt(0),
  ]),
);

/** JSON that is known to be whole. Nothing of it is held but its bytes: what a value is, is found out when somebody asks. */
export class JsonText {
  readonly bytes: Uint8Array;
  readonly root: JsonNode;

  /** For `jsonSteps`, which has checked them. */
  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.root = this.skipSpace(0);
  }

  kind(node: JsonNode): JsonKind {
    switch (this.bytes[node]) {
      case OBJECT:
        return "object";
      case ARRAY:
        return "array";
      case QUOTE:
        return "string";
      case 0x74:
        return "true";
      case 0x66:
        return "false";
      case 0x6e:
        return "null";
      default:
        return "number";
    }
  }

  /** The first value of an array or key of an object. */
  first(container: JsonNode): JsonNode {
    const at = this.skipSpace(container + 1);
    return this.isCloser(at) ? NO_NODE : at;
  }

  /** The value or key that follows what ends at `end`. */
  next(end: number): JsonNode {
    const at = this.skipSpace(end);
    return this.bytes[at] === COMMA ? this.skipSpace(at + 1) : NO_NODE;
  }

  /** The byte behind the container whose last value ends at `end`. */
  closed(end: number): number {
    return this.skipSpace(end) + 1;
  }

  /** The value of a key. */
  valueOf(key: JsonNode): JsonNode {
    return this.skipSpace(this.skipSpace(this.end(key)) + 1);
  }

  /** The byte behind a value. */
  end(node: JsonNode): number {
    const first = this.bytes[node];
    if (first === QUOTE) return this.stringEnd(node);
    return first === OBJECT || first === ARRAY ? this.containerEnd(node) : this.wordEnd(node);
  }

  /** An integer: a number while that is exact, and what nothing can be compared with where it has too many digits. */
  integer(node: JsonNode): number | bigint | undefined {
    if (this.kind(node) !== "number") return undefined;
    const end = this.end(node);
    let value = 0;
    for (let at = this.bytes[node] === MINUS ? node + 1 : node; at < end; at++) {
      const digit = (this.bytes[at] ?? 0) - ZERO;
      if (digit < 0 || digit > 9) return undefined;
      value = value * 10 + digit;
    }
    if (value <= Number.MAX_SAFE_INTEGER) return this.bytes[node] === MINUS ? 0 - value : value;
    return end - node > MAX_DIGITS ? Number.NaN : BigInt(decodeLossy(this.bytes, node, end));
  }

  /** A number as it is written. */
  source(node: JsonNode, mostBytes: number): string {
    const end = this.end(node);
    return end - node > mostBytes
      ? `${decodeLossy(this.bytes, node, node + mostBytes)}…`
      : decodeLossy(this.bytes, node, end);
  }

  /** What a string says; of a long one its beginning, if that is all that is asked for. */
  text(node: JsonNode, mostBytes = Number.POSITIVE_INFINITY): string {
    const utf8 = this.utf8(node);
    return utf8.length > mostBytes ? `${decodeLossy(utf8, 0, mostBytes)}…` : decodeLossy(utf8);
  }

  /** The same as UTF-8: a view of the JSON where that has no escapes. */
  utf8(node: JsonNode): Uint8Array {
    const written = this.bytes.subarray(node + 1, this.stringEnd(node) - 1);
    const escape = written.indexOf(BACKSLASH);
    return escape < 0 ? written : unescaped(written, escape);
  }

  private stringEnd(node: JsonNode): number {
    const { bytes } = this;
    for (let quote = bytes.indexOf(QUOTE, node + 1); ; quote = bytes.indexOf(QUOTE, quote + 1)) {
      let before = quote - 1;
      while (bytes[before] === BACKSLASH) before--;
      if ((quote - before) % 2 === 1) return quote + 1;
    }
  }

  private containerEnd(node: JsonNode): number {
    let depth = 0;
    for (let at = node; at < this.bytes.length; at++) {
      const byte = this.bytes[at];
      if (byte === QUOTE) at = this.stringEnd(at) - 1;
      else if (byte === OBJECT || byte === ARRAY) depth++;
      else if ((byte === OBJECT_END || byte === ARRAY_END) && --depth === 0) return at + 1;
    }
    return this.bytes.length;
  }

  private wordEnd(node: JsonNode): number {
    let at = node;
    while (at < this.bytes.length && this.bytes[at] !== COMMA && !this.isCloser(at) && !this.isSpace(at)) at++;
    return at;
  }

  private isCloser(at: number): boolean {
    return this.bytes[at] === OBJECT_END || this.bytes[at] === ARRAY_END;
  }

  private isSpace(at: number): boolean {
    const byte = this.bytes[at];
    return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
  }

  private skipSpace(from: number): number {
    let at = from;
    while (this.isSpace(at)) at++;
    return at;
  }
}

/** Bytes are UTF-8. Throws JsonError. */
export function* jsonSteps(bytes: Uint8Array): Steps<JsonText> {
  yield* checkJson(bytes);
  return new JsonText(bytes);
}

/** Line and column of a byte, both from 1; columns count as JavaScript counts characters. */
export function lineAndColumn(bytes: Uint8Array, at: number): { line: number; column: number } {
  let line = 1;
  let column = 1;
  for (let i = 0; i < at; i++) {
    const byte = bytes[i] ?? 0;
    if (byte === 0x0a) {
      line++;
      column = 1;
    } else if ((byte & 0xc0) !== 0x80) column += byte >= 0xf0 ? 2 : 1;
  }
  return { line, column };
}

// No escape is shorter than what it stands for.
function unescaped(written: Uint8Array, firstEscape: number): Uint8Array {
  const plain = new Uint8Array(written.length);
  plain.set(written.subarray(0, firstEscape));
  let length = firstEscape;
  for (let at = firstEscape; at < written.length;) {
    const byte = written[at] ?? 0;
    if (byte !== BACKSLASH) {
      plain[length++] = byte;
      at++;
      continue;
    }
    const letter = written[at + 1] ?? 0;
    if (letter !== 0x75) {
      plain[length++] = SHORT_ESCAPES.get(letter) ?? letter;
      at += 2;
      continue;
    }
    const unit = hexUnit(written, at + 2) ?? 0;
    const isPair = unit >= 0xd800 && unit <= 0xdbff;
    const low = isPair ? (hexUnit(written, at + 8) ?? 0) : 0;
    length += utf8Into(plain, length, isPair ? 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00) : unit);
    at += isPair ? 12 : 6;
  }
  return plain.subarray(0, length);
}

// Not by an encoder, which takes a string and a view for each: there may be millions.
function utf8Into(target: Uint8Array, at: number, code: number): number {
  if (code < 0x80) {
    target[at] = code;
    return 1;
  }
  const size = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  let rest = code;
  for (let i = at + size - 1; i > at; i--) {
    target[i] = 0x80 | (rest & 0x3f);
    rest >>= 6;
  }
  target[at] = (0xf00 >> size) | rest;
  return size;
}
