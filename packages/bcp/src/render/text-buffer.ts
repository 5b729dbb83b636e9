// A rendering on its way to one text. By way of its bytes: a string per part would be held twice, at two bytes per
// character as soon as one of them is not Latin.

import { Buffer, isAscii } from "node:buffer";
import { RenderError } from "../bcp-errors.ts";
import { decodeLossy } from "../utf8-text.ts";

/** Words of ours, or UTF-8. */
export type Part = string | Uint8Array;
export type Write = (part: Part) => void;

// More than any heading takes besides its names.
const SMALL_BYTES = 256;

// A string has at least two thirds of the bytes that it is made from.
const BYTES_AND_TEXT = 5 / 3;

export class TextBuffer {
  /** For the bytes and the string. */
  private readonly maxTotal: number;
  private readonly maxBytes: number;
  private bytes: Buffer;
  private length = 0;

  /** `expected`: about how many bytes will come; what is not written to costs nothing. `maxTotal`: what may be taken. */
  constructor(expected: number, maxTotal: number) {
    this.maxTotal = maxTotal;
    this.maxBytes = Math.max(0, Math.floor(maxTotal / BYTES_AND_TEXT));
    this.bytes = Buffer.allocUnsafeSlow(Math.max(SMALL_BYTES, Math.min(expected, this.maxBytes)));
  }

  write(part: Part): void {
    if (typeof part !== "string") {
      this.reserve(part.length);
      this.bytes.set(part, this.length);
      this.length += part.length;
      return;
    }
    // The most that UTF-16 can become, unless that is more than there is.
    if (3 * part.length > this.bytes.length - this.length) this.reserve(Buffer.byteLength(part));
    this.length += this.bytes.write(part, this.length);
  }

  text(): string {
    const written = this.bytes.subarray(0, this.length);
    if (this.length + this.textBytes(written) > this.maxTotal) throw tooLarge(this.length);
    return decodeLossy(written);
  }

  // Of the string, which has two bytes per character unless all of them are ASCII.
  private textBytes(written: Uint8Array): number {
    if (3 * this.length <= this.maxTotal) return 0;
    return isAscii(written) ? this.length : 2 * characters(written);
  }

  private reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.bytes.length) return;
    if (needed > this.maxBytes) throw tooLarge(needed);
    const larger = Buffer.allocUnsafeSlow(Math.min(2 * needed + SMALL_BYTES, this.maxBytes));
    larger.set(this.bytes.subarray(0, this.length));
    this.bytes = larger;
  }
}

function tooLarge(bytes: number): RenderError {
  const message = `a text of ${bytes} bytes and more is too large to hold beside its blocks, for the size of the input`;
  return new RenderError("OutputTooLarge", message);
}

// UTF-16 units: one for each character, two for those of four bytes.
function characters(utf8: Uint8Array): number {
  let units = 0;
  for (let at = 0; at < utf8.length; at++) {
    const byte = utf8[at] ?? 0;
    if ((byte & 0xc0) !== 0x80) units += byte >= 0xf0 ? 2 : 1;
  }
  return units;
}
