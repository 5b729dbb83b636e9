// Long texts as JSON, piece by piece, for EncodedText: each piece stays as it is until the next is asked for, of this text
// or another.
import { isUtf8 } from "node:buffer";
import { offerMemory, ROOM_BYTES } from "@bosun/engine";
import type { CountLines } from "@bosun/engine";
import { JsonText, PIECE_BYTES } from "./json-text.ts";
import type { Part } from "./json-text.ts";

const NEWLINE = 0x0a;

/** One for all: what it answers is sent or copied at once. */
let shared: JsonText | undefined;

function jsonText(): JsonText {
  if (shared === undefined) {
    shared = new JsonText(ROOM_BYTES);
    offerMemory(shared.room); // files are read to where their text becomes JSON
  }
  return shared;
}

/** The bytes must be UTF-8. `twice`: as a string in JSON in a string in JSON. */
export function* escapedPieces(bytes: Buffer, twice = false): Generator<Uint8Array> {
  for (let from = 0; from < bytes.length; from += PIECE_BYTES) {
    const part = { bytes, from, to: Math.min(from + PIECE_BYTES, bytes.length) };
    yield jsonText().escaped(part, twice);
  }
}

/** Whole lines between two places of these bytes, as a file's are. */
export type Lines = { readonly bytes: Buffer; readonly start: number; readonly end: number };

/** Each line behind its number. What is not UTF-8 is shown as such. Gives the number after the last. */
export function* numberedPieces(lines: Lines, first: number, width: number): Generator<Uint8Array, number> {
  const json = jsonText();
  let number = first;
  for (const part of wholeLines(lines)) {
    const { bytes, from, to } = part;
    // Looked at piece by piece, for the first of them is waited for: no character reaches beyond its line.
    if (isUtf8(bytes.subarray(from, to))) {
      const piece = json.numbered(part, number, width);
      number = json.nextNumber(width);
      yield piece;
    } else {
      const mended = Buffer.from(bytes.toString("utf8", from, to));
      number = yield* numberedPieces({ bytes: mended, start: 0, end: mended.length }, number, width);
    }
  }
  return number;
}

/** For the engine: it knows what to count, not how to do it fast. */
export const countLines: CountLines = (bytes, from, to, maxLineBytes) => {
  const json = jsonText();
  let count = 0;
  for (const part of wholeLines({ bytes, start: from, end: to })) {
    const more = part.to === part.from ? undefined : json.lines(part, maxLineBytes);
    if (more === undefined) return undefined;
    count += more;
  }
  return count;
};

/** As many whole lines as fit into a piece, and so on; a line that does not fit ends it with an empty part. */
function* wholeLines({ bytes, start, end }: Lines): Generator<Part> {
  for (let from = start; from < end;) {
    const to = end - from <= PIECE_BYTES ? end : bytes.lastIndexOf(NEWLINE, from + PIECE_BYTES - 1) + 1;
    yield { bytes, from, to: Math.max(from, to) };
    if (to <= from) return;
    from = to;
  }
}
