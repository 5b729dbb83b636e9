// Long texts as JSON, piece by piece, for EncodedText: each piece stays as it is until the next is asked for.
import { JsonText, PIECE_BYTES, PIECE_LINES } from "./json-text.ts";
import type { Part } from "./json-text.ts";

/** One for all: what it answers is copied at once. */
let shared: JsonText | undefined;

/** The bytes must be UTF-8. `twice`: as a string in JSON in a string in JSON. */
export function* escapedPieces(bytes: Buffer, twice = false): Generator<Uint8Array> {
  const json = (shared ??= new JsonText());
  const room = new Room();
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const part = { bytes, from, to: Math.min(from + PIECE_BYTES, bytes.length) };
    yield room.keep(json.escaped(part, twice));
  }
}

/** Whole lines of at most PIECE_BYTES, from `start` on; `ends` are where their newlines stand. */
export type Lines = { readonly bytes: Buffer; readonly start: number; readonly ends: readonly number[] };

export function* numberedPieces({ bytes, start, ends }: Lines, first: number, width: number): Generator<Uint8Array> {
  const json = (shared ??= new JsonText());
  const room = new Room();
  for (let at = 0, from = start; at < ends.length;) {
    const after = linesFrom(ends, at, from);
    const part: Part = { bytes, from, to: (ends[after - 1] ?? from) + 1 };
    yield room.keep(json.numbered(part, first + at, width));
    at = after;
    from = part.to;
  }
}

/** How far lines fit into one piece. */
function linesFrom(ends: readonly number[], at: number, from: number): number {
  let [low, high] = [at + 1, Math.min(ends.length, at + PIECE_LINES)];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((ends[middle - 1] ?? 0) < from + PIECE_BYTES) low = middle;
    else high = middle - 1;
  }
  return low;
}

class Room {
  #buffer = Buffer.alloc(0);

  keep(piece: Buffer): Buffer {
    if (this.#buffer.length < piece.length) this.#buffer = Buffer.allocUnsafeSlow(piece.length);
    return this.#buffer.subarray(0, piece.copy(this.#buffer));
  }
}
