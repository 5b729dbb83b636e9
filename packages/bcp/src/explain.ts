// A DecodeError in words for a person or a model: where in the file, in which block, and what that means.

import type { DecodeError } from "./bcp-errors.ts";

const ADVICE: Partial<Record<DecodeError["code"], string>> = {
  InvalidHeader: "a payload starts with 42 43 50 00 01",
  UnexpectedEof: "the file is cut off or a length in it is wrong",
  MissingEndSentinel: "the file is cut off between two blocks",
  TrailingData: "something was appended to the file, or END came too early",
  DecompressFailed: "the compressed data is cut off or damaged",
  MissingContentStore: "no earlier block of the file has this hash",
  TooManyRecords: "real content has fewer blocks and shorter names for its size; decodeStream gives them one by one",
  UnresolvedReference: "neither the store nor an earlier block of the file has this hash",
};

/** One line, without the error's own message. */
export function explainDecode(error: DecodeError): string {
  const inside = error.unpackedOffset === undefined ? "" : `, ${error.unpackedOffset} bytes into the unpacked data`;
  const block = error.block === undefined ? "" : `, block ${error.block}`;
  const where = `at byte ${error.offset} (0x${error.offset.toString(16)}) of the file${inside}${block}`;
  const advice = ADVICE[error.code];
  return advice ? `${where}; ${advice}` : where;
}
