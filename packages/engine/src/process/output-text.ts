// Text out of bytes that arrive in pieces: characters counted and never split. Invalid bytes become U+FFFD, as does NUL,
// which no terminal and few JSON readers survive; a byte-order mark is kept, because it was output.
import { isAscii } from "node:buffer";

/** Counts code points of a stream as a whole, however it was cut into chunks. */
export class CodePointCounter {
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #pending = false;
  #count = 0;

  get count(): number {
    return this.#count;
  }

  add(chunk: Uint8Array): void {
    if (!this.#pending && isAscii(chunk)) {
      this.#count += chunk.length;
      return;
    }
    this.#count += codePointsIn(this.#decoder.decode(chunk, { stream: true }));
    // Three bytes back a lead byte may still wait for the rest of its character.
    this.#pending = chunk.subarray(-3).some((byte) => byte >= 0xc0) || (this.#pending && chunk.length < 4);
  }

  /** The stream has ended: an unfinished character counts as one U+FFFD. */
  finish(): void {
    this.#count += codePointsIn(this.#decoder.decode());
    this.#pending = false;
  }
}

export function codePointsIn(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length - 1; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00) {
      count -= 1;
      i += 1;
    }
  }
  return count;
}

/** The first `max` code points. */
export function firstCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let index = 0;
  for (let seen = 0; seen < max && index < text.length; seen++) index += widthAt(text, index);
  return text.slice(0, index);
}

/** The last `max` code points. */
export function lastCodePoints(text: string, max: number): string {
  if (text.length <= max) return text;
  let index = text.length;
  for (let seen = 0; seen < max && index > 0; seen++) {
    const pair =
      index >= 2 &&
      (text.charCodeAt(index - 1) & 0xfc00) === 0xdc00 &&
      (text.charCodeAt(index - 2) & 0xfc00) === 0xd800;
    index -= pair ? 2 : 1;
  }
  return text.slice(index);
}

/** `complete`: the bytes run to the end of the stream, so an unfinished character at their end is invalid, not cut. */
export function decodeOutput(bytes: Uint8Array, complete: boolean): string {
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes, { stream: !complete });
  return text.includes("\0") ? text.replaceAll("\0", "\u{FFFD}") : text;
}

/** How many bytes at the start continue a character that began before them. */
export function continuationBytes(bytes: Uint8Array): number {
  let count = 0;
  while (count < 3 && count < bytes.length && ((bytes[count] ?? 0) & 0xc0) === 0x80) count += 1;
  return count;
}

/** How many bytes at the end begin a character that is not finished in them. */
export function unfinishedBytes(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const wanted = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return wanted > back ? back : 0;
  }
  return 0;
}

function widthAt(text: string, index: number): number {
  const lead = (text.charCodeAt(index) & 0xfc00) === 0xd800;
  return lead && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00 ? 2 : 1;
}
