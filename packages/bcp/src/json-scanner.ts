// Whether bytes are JSON, and where they stop being it.

import type { Steps } from "./cooperative-work.ts";

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OBJECT = 0x7b;
export const ARRAY = 0x5b;
export const COMMA = 0x2c;
const COLON = 0x3a;
const MINUS = 0x2d;
const PLUS = 0x2b;
const POINT = 0x2e;
const ZERO = 0x30;
const UPPER_E = 0x45;
const LOWER_E = 0x65;
const LOWER_U = 0x75;
const STEP_BYTES = 64 * 1024;
const ESCAPES = new Set([...'"\\/bfnrt'].map((letter) => letter.charCodeAt(0)));
const LITERALS = new Map(["true", "false", "null"].map((word) => [word.charCodeAt(0), word]));

/** Throws JsonError unless all of `bytes`, which are UTF-8, is one JSON value. No recursion: nesting is as deep as it says. */
export function* checkJson(bytes: Uint8Array): Steps<void> {
  const scanner = new JsonScanner(bytes);
  const open = new OpenContainers();
  let stepEnd = STEP_BYTES;
  for (;;) {
    if (scanner.pos >= stepEnd) {
      stepEnd = scanner.pos + STEP_BYTES;
      yield;
    }
    const first = scanner.next();
    if (first === OBJECT || first === ARRAY) {
      if (!scanner.opens(first)) {
        open.push(first);
        continue;
      }
    } else scanner.scalar();
    while (open.depth > 0 && !scanner.comma(open.innermost())) open.depth--;
    if (open.depth === 0) return scanner.finish();
  }
}

// One bit each: there may be as many as there are bytes.
class OpenContainers {
  private isObject = new Uint8Array(16);
  depth = 0;

  push(opener: number): void {
    const at = this.depth >> 3;
    if (at >= this.isObject.length) {
      const larger = new Uint8Array(this.isObject.length * 2);
      larger.set(this.isObject);
      this.isObject = larger;
    }
    const bit = 1 << (this.depth & 7);
    const bits = this.isObject[at] ?? 0;
    this.isObject[at] = opener === OBJECT ? bits | bit : bits & ~bit;
    this.depth++;
  }

  innermost(): number {
    const last = this.depth - 1;
    return ((this.isObject[last >> 3] ?? 0) >> (last & 7)) & 1 ? OBJECT : ARRAY;
  }
}

class JsonScanner {
  private readonly bytes: Uint8Array;
  pos = 0;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
  }

  /** The byte that the next word begins with. */
  next(): number | undefined {
    for (;;) {
      const byte = this.bytes[this.pos];
      if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return byte;
      this.pos++;
    }
  }

  /** Moves behind a value that is no container. */
  scalar(): void {
    const first = this.bytes[this.pos];
    if (first === undefined) throw new JsonError("EOF while parsing a value", this.pos);
    if (first === QUOTE) return this.string();
    const word = LITERALS.get(first);
    if (word === undefined) return this.number();
    for (let i = 0; i < word.length; i++) {
      if (this.bytes[this.pos + i] !== word.charCodeAt(i)) throw new JsonError("expected ident", this.pos);
    }
    this.pos += word.length;
  }

  /** Moves into a container, to its first value; or behind it, if there is none. Then it is true. */
  opens(opener: number): boolean {
    this.pos++;
    if (this.closes(opener)) return true;
    if (opener === OBJECT) this.key();
    return false;
  }

  /** After a member: true for a comma and whatever stands before the next value, false for the closing bracket. */
  comma(opener: number): boolean {
    if (this.closes(opener)) return false;
    if (this.bytes[this.pos] !== COMMA) {
      throw this.unexpected(`expected \`,\` or \`${String.fromCharCode(closerOf(opener))}\``);
    }
    this.pos++;
    if (this.next() === closerOf(opener)) throw new JsonError("trailing comma", this.pos);
    if (opener === OBJECT) this.key();
    return true;
  }

  finish(): void {
    if (this.next() !== undefined) throw new JsonError("trailing characters", this.pos);
  }

  // Takes the closing bracket if the container ends here.
  private closes(opener: number): boolean {
    if (this.next() !== closerOf(opener)) return false;
    this.pos++;
    return true;
  }

  private key(): void {
    if (this.next() !== QUOTE) throw this.unexpected("key must be a string");
    this.string();
    if (this.next() !== COLON) throw this.unexpected("expected `:`");
    this.pos++;
  }

  private string(): void {
    const { bytes } = this;
    for (let pos = this.pos + 1; ; pos++) {
      const byte = bytes[pos];
      if (byte === QUOTE) {
        this.pos = pos + 1;
        return;
      }
      if (byte === BACKSLASH) pos = this.escape(pos);
      else if (byte === undefined) throw new JsonError("EOF while parsing a string", pos);
      else if (byte < 0x20) throw new JsonError("control character found while parsing a string", pos);
    }
  }

  // The last byte of the escape that begins at `at`.
  private escape(at: number): number {
    const letter = this.bytes[at + 1];
    if (letter === undefined) throw new JsonError("EOF while parsing a string", at);
    if (letter !== LOWER_U) {
      if (!ESCAPES.has(letter)) throw new JsonError("invalid escape", at);
      return at + 1;
    }
    const unit = this.hexUnit(at + 2, at);
    if (unit < 0xd800 || unit > 0xdfff) return at + 5;
    // UTF-8 has no half pairs.
    const paired = this.bytes[at + 6] === BACKSLASH && this.bytes[at + 7] === LOWER_U;
    if (unit > 0xdbff || !paired) throw new JsonError("lone surrogate in escape", at);
    const low = this.hexUnit(at + 8, at);
    if (low < 0xdc00 || low > 0xdfff) throw new JsonError("lone surrogate in escape", at);
    return at + 11;
  }

  private hexUnit(start: number, at: number): number {
    const unit = hexUnit(this.bytes, start);
    if (unit === undefined) throw new JsonError("invalid escape", at);
    return unit;
  }

  private number(): void {
    const start = this.pos;
    let pos = start;
    if (this.bytes[pos] === MINUS) pos++;
    if (!this.isDigit(pos)) throw new JsonError("expected value", start);
    pos = this.bytes[pos] === ZERO ? pos + 1 : this.digits(pos);
    if (this.bytes[pos] === POINT && this.isDigit(pos + 1)) pos = this.digits(pos + 1);
    if (this.bytes[pos] === LOWER_E || this.bytes[pos] === UPPER_E) {
      const sign = this.bytes[pos + 1];
      const power = sign === PLUS || sign === MINUS ? pos + 2 : pos + 1;
      if (this.isDigit(power)) pos = this.digits(power);
    }
    this.pos = pos;
  }

  private digits(start: number): number {
    let pos = start;
    while (this.isDigit(pos)) pos++;
    return pos;
  }

  private isDigit(pos: number): boolean {
    const byte = this.bytes[pos] ?? 0;
    return byte >= 0x30 && byte <= 0x39;
  }

  private unexpected(expected: string): JsonError {
    const atEnd = this.pos >= this.bytes.length;
    return new JsonError(atEnd ? `EOF while parsing: ${expected}` : expected, this.pos);
  }
}

/** The number that four hex digits spell, or undefined. */
export function hexUnit(bytes: Uint8Array, start: number): number | undefined {
  let unit = 0;
  for (let i = start; i < start + 4; i++) {
    const digit = hexDigit(bytes[i] ?? 0);
    if (digit < 0) return undefined;
    unit = unit * 16 + digit;
  }
  return unit;
}

/** What a byte is as a hex digit, or -1. */
export function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}

function closerOf(opener: number): number {
  return opener === OBJECT ? 0x7d : 0x5d;
}

/** Text that is not JSON, and at which byte. */
export class JsonError extends Error {
  override readonly name = "JsonError";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}
