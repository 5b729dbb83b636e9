// The errors of this library: what went wrong, where, and in the words the reference implementation uses.

/** What a decode failure is, by the reference's names; the last four are ours (FORMAT.md, "Limits"). */
export type DecodeCode =
  | "InvalidHeader"
  | "VarintTooLong"
  | "UnexpectedEof"
  | "InvalidBlockType"
  | "MissingRequiredField"
  | "UnknownFieldWireType"
  | "InvalidEnumValue"
  | "MissingEndSentinel"
  | "TrailingData"
  | "DecompressFailed"
  | "DecompressionBomb"
  | "UnresolvedReference"
  | "MissingContentStore"
  | "BlockTooLarge"
  | "TreeTooDeep"
  | "TooManyRecords"
  | "ExpansionTooLarge";

/** Why a header was refused. */
export type HeaderFault = "UnexpectedEof" | "InvalidMagic" | "UnsupportedVersion" | "ReservedNonZero";

/**
 * Where some bytes lie: `at` is the file offset of byte 0, or of the compressed area that they came out of, and then `from`
 * is how far into what came out of it byte 0 is.
 */
export type Place = { readonly at: number; readonly packed: boolean; readonly from?: number };

/** The file position of byte `index` of the bytes at `place`, as DecodeError wants it. */
export function locate(place: Place, index: number): { offset: number; unpackedOffset?: number } {
  if (!place.packed) return { offset: place.at + index };
  return { offset: place.at, unpackedOffset: (place.from ?? 0) + index };
}

type DecodeFacts = {
  offset: number;
  unpackedOffset?: number;
  headerFault?: HeaderFault;
  /** The hash that a reference named and nobody had. */
  hash?: Uint8Array;
  /** How many bytes follow END. */
  extraBytes?: number;
  cause?: unknown;
};

/**
 * A payload that cannot be decoded.
 *
 * `message` is the reference's text, whose own offsets count from the frame, field or varint being read.
 * `offset` is the one to show to people: it counts from the start of the file. For data inside a compressed area it is
 * where that area starts, and `unpackedOffset` counts inside what came out of it.
 */
export class DecodeError extends Error {
  override readonly name = "DecodeError";
  readonly code: DecodeCode;
  readonly offset: number;
  readonly unpackedOffset: number | undefined;
  readonly headerFault: HeaderFault | undefined;
  readonly hash: Uint8Array | undefined;
  readonly extraBytes: number | undefined;
  /** Index of the block being read, once known. */
  block: number | undefined;

  constructor(code: DecodeCode, message: string, facts: DecodeFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.code = code;
    this.offset = facts.offset;
    this.unpackedOffset = facts.unpackedOffset;
    this.headerFault = facts.headerFault;
    this.hash = facts.hash;
    this.extraBytes = facts.extraBytes;
  }
}

export type EncodeCode =
  "EmptyPayload" | "BlockTooLarge" | "NoBlockTarget" | "MissingContentStore" | "InvalidValue" | "TreeTooDeep";

/** Blocks that cannot be written. */
export class EncodeError extends Error {
  override readonly name = "EncodeError";
  readonly code: EncodeCode;

  constructor(code: EncodeCode, message: string) {
    super(message);
    this.code = code;
  }
}

export type RenderCode = "EmptyInput" | "InvalidContent" | "OutputTooLarge";

/** Blocks that cannot be shown as text. `blockIndex` counts the blocks that were left after filtering. */
export class RenderError extends Error {
  override readonly name = "RenderError";
  readonly code: RenderCode;
  readonly blockIndex: number | undefined;

  constructor(code: RenderCode, message: string, blockIndex?: number) {
    super(message);
    this.code = code;
    this.blockIndex = blockIndex;
  }
}

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
