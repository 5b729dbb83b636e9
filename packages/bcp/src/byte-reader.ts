// Bounds-checked reading of bytes: varints, lengths, slices (FORMAT.md, "Varints").

import { DecodeError, locate } from "./bcp-errors.ts";
import type { Place } from "./bcp-errors.ts";

const MAX_VARINT_BYTES = 10;
const TWO_32 = 4294967296;

/** Reads `bytes` from `pos` up to `end`. Everything it throws is a DecodeError with the file offset. */
export class Reader {
  readonly bytes: Uint8Array;
  readonly place: Place;
  pos: number;
  end: number;
  /** The last varint, exactly: its two 32-bit halves. `varint()` itself is exact only up to 2^53 - 1. */
  low = 0;
  high = 0;

  constructor(bytes: Uint8Array, place: Place, pos = 0, end = bytes.length) {
    this.bytes = bytes;
    this.place = place;
    this.pos = pos;
    this.end = end;
  }

  varint(): number {
    const first = this.bytes[this.pos] ?? 0;
    if (first >= 0x80 || this.pos >= this.end) return this.longVarint();
    this.pos++;
    this.low = first;
    this.high = 0;
    return first;
  }

  /** The last varint without loss. */
  exact(): number | bigint {
    return this.high < 0x200000 ? this.high * TWO_32 + this.low : (BigInt(this.high) << 32n) | BigInt(this.low);
  }

  /** A length, and then that many bytes; `pos` is left at the first of them and the end is returned. */
  span(): number {
    const start = this.pos;
    const length = this.varint();
    // The reference counts its offset from the length, which is why the message says how long the varint was.
    if (length > this.end - this.pos) throw this.endOfInput(this.pos - start, start);
    return this.pos + length;
  }

  u8(): number {
    const value = this.bytes[this.pos] ?? 0;
    this.pos++;
    return value;
  }

  endOfInput(relative: number, at: number): DecodeError {
    return this.error("UnexpectedEof", `unexpected end of input at offset ${relative}`, at);
  }

  error(code: DecodeError["code"], message: string, at: number): DecodeError {
    return new DecodeError(code, message, locate(this.place, at));
  }

  private longVarint(): number {
    const { bytes, pos: start, end } = this;
    let low = 0;
    let high = 0;
    for (let i = 0; i < MAX_VARINT_BYTES; i++) {
      if (start + i >= end) throw this.endOfInput(end - start, start);
      const byte = bytes[start + i] ?? 0;
      const bits = byte & 0x7f;
      if (i < 4) low |= bits << (7 * i);
      else if (i > 4) high |= bits << (7 * i - 32);
      else {
        low |= bits << 28;
        high = bits >>> 4;
      }
      if (byte < 0x80) {
        this.pos = start + i + 1;
        this.low = low >>> 0;
        this.high = high >>> 0;
        return this.high * TWO_32 + this.low;
      }
    }
    // Ten continuation bytes: too long, unless the input happens to stop right there (the reference's order).
    if (start + MAX_VARINT_BYTES >= end) throw this.endOfInput(MAX_VARINT_BYTES, start);
    throw this.error("VarintTooLong", "varint too long: exceeded 10-byte limit", start);
  }
}
