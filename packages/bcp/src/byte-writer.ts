// Two growing buffers: one that appends, and one that prepends so that a length can follow what it measures.

import { encodeText } from "./utf8-text.ts";

const FIRST_CAPACITY = 1024;
const PIECE_BYTES = 1024 * 1024;
const NOTHING: readonly Uint8Array[] = [];

/** Appends: the header and the frames of a payload. */
export class Writer {
  private full: Uint8Array[] = [];
  private buffer = new Uint8Array(FIRST_CAPACITY);
  private filled = 0;

  u8(value: number): void {
    this.reserve(1);
    this.buffer[this.filled++] = value;
  }

  varint(value: number): void {
    this.reserve(10);
    this.filled += varintInto(this.buffer.subarray(this.filled), value);
  }

  bytes(bytes: Uint8Array): void {
    if (this.filled + bytes.length > this.buffer.length) this.grow(bytes.length);
    const fits = Math.min(this.buffer.length - this.filled, bytes.length);
    this.buffer.set(fits < bytes.length ? bytes.subarray(0, fits) : bytes, this.filled);
    this.filled += fits;
    for (let at = fits; at < bytes.length; at += this.filled) {
      this.next();
      this.filled = Math.min(PIECE_BYTES, bytes.length - at);
      this.buffer.set(bytes.subarray(at, at + this.filled));
    }
  }

  /** The pieces that are full. They are the caller's, and not in `pieces` any more. */
  take(): readonly Uint8Array[] {
    if (this.full.length === 0) return NOTHING;
    const full = this.full;
    this.full = [];
    return full;
  }

  /** What was written, in pieces, without a copy: valid until the next write. */
  pieces(): readonly Uint8Array[] {
    return [...this.full, this.buffer.subarray(0, this.filled)];
  }

  private reserve(more: number): void {
    if (this.filled + more <= this.buffer.length) return;
    this.grow(more);
    if (this.filled + more > this.buffer.length) this.next();
  }

  // Doubles up to a piece, and then begins another: a buffer that grows is there twice while it does.
  private grow(more: number): void {
    if (this.buffer.length >= PIECE_BYTES) return;
    const larger = new Uint8Array(Math.min(Math.max(this.buffer.length * 2, this.filled + more), PIECE_BYTES));
    larger.set(this.buffer.subarray(0, this.filled));
    this.buffer = larger;
  }

  private next(): void {
    this.full.push(this.buffer.subarray(0, this.filled));
    this.buffer = new Uint8Array(PIECE_BYTES);
    this.filled = 0;
  }
}

/** All of them in one. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
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

  /** Writes a text, which may be UTF-8 already, and returns how many bytes it took. */
  text(text: string | Uint8Array): number {
    if (typeof text !== "string") {
      this.bytes(text);
      return text.length;
    }
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

  clear(): void {
    this.start = this.buffer.length;
  }

  private reserve(more: number): void {
    if (more <= this.start) return;
    const length = this.length;
    // With room for what stands before a large content, so that not all of it has to move for that.
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, length + more + (more >> 6)));
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
