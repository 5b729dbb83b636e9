// Long texts as JSON, piece by piece, for EncodedText: each piece stays as it is until the next is asked for, of this text
// or another.
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

export function* numberedPieces(lines: Lines, first: number, width: number): Generator<Uint8Array> {
  const json = jsonText();
  let number = first;
  for (const part of wholeLines(lines)) {
    const piece = json.numbered(part, number, width);
    number = json.nextNumber(width);
    yield piece;
  }
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
