// Two growing buffers: one that appends, and one that prepends so that a length can follow what it measures.

import { encodeText } from "./utf8.ts";

const FIRST_CAPACITY = 1024;
const SHORT_CHARS = 48;

/** Appends: the header and the frames of a payload. */
export class Writer {
  private buffer = new Uint8Array(FIRST_CAPACITY);
  length = 0;

  u8(value: number): void {
    this.reserve(1);
    this.buffer[this.length++] = value;
  }

  varint(value: number): void {
    this.reserve(10);
    this.length += varintInto(this.buffer.subarray(this.length), value);
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.buffer.set(bytes, this.length);
    this.length += bytes.length;
  }

  /** What was written, without a copy: valid until the next write. */
  view(): Uint8Array {
    return this.buffer.subarray(0, this.length);
  }

  private reserve(more: number): void {
    if (this.length + more <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + more));
    larger.set(this.view());
    this.buffer = larger;
  }
}

/**
 * Prepends. A body is written from its last field to its first: when a nested record's length is due, the record
 * stands already there. That keeps any depth of nesting linear, with neither recursion nor a second pass to measure.
 */
export class BackWriter {
  private buffer = new Uint8Array(FIRST_CAPACITY);
  private start = FIRST_CAPACITY;
  private readonly scratch = new Uint8Array(10);

  get length(): number {
    return this.buffer.length - this.start;
  }

  varint(value: number | bigint): void {
    if (value < 0x80) {
      this.reserve(1);
      this.buffer[--this.start] = Number(value);
      return;
    }
    const size = varintInto(this.scratch, value);
    this.bytes(size === this.scratch.length ? this.scratch : this.scratch.subarray(0, size));
  }

  bytes(bytes: Uint8Array): void {
    this.reserve(bytes.length);
    this.start -= bytes.length;
    this.buffer.set(bytes, this.start);
  }

  /** Writes the UTF-8 of `text` and returns how many bytes it took. */
  text(text: string): number {
    if (text.length <= SHORT_CHARS && this.shortAscii(text)) return text.length;
    this.reserve(text.length * 3); // the most that UTF-16 can become
    const room = this.start - text.length * 3;
    const written = encodeText(text, this.buffer.subarray(room, this.start));
    this.buffer.copyWithin(this.start - written, room, room + written);
    this.start -= written;
    return written;
  }

  /** What was written, without a copy: valid until the next write. */
  view(): Uint8Array {
    return this.buffer.subarray(this.start);
  }

  // Most names are short and plain, and then a loop is several times as fast as the encoder.
  private shortAscii(text: string): boolean {
    this.reserve(text.length);
    const start = this.start - text.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit >= 0x80) return false;
      this.buffer[start + i] = unit;
    }
    this.start = start;
    return true;
  }

  clear(): void {
    this.start = this.buffer.length;
  }

  private reserve(more: number): void {
    if (more <= this.start) return;
    const length = this.length;
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, length + more));
    larger.set(this.view(), larger.length - length);
    this.start = larger.length - length;
    this.buffer = larger;
  }
}

// A number is exact up to 2^53 - 1; only the size of a file may need more, and comes as a bigint then.
function varintInto(target: Uint8Array, value: number | bigint): number {
  let size = 0;
  if (typeof value === "bigint") {
    let rest = value;
    for (; rest >= 0x80n; rest >>= 7n) target[size++] = Number(rest & 0x7fn) | 0x80;
    target[size++] = Number(rest);
  } else {
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) target[size++] = (rest % 0x80) | 0x80;
    target[size++] = rest;
  }
  return size;
}
