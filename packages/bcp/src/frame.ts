// One frame: block type, flags, length, body; and END, the frame that closes the list (FORMAT.md, "Frames").

import type { Reader } from "./byte-reader.ts";
import type { Writer } from "./byte-writer.ts";

export const END_TYPE = 255;
export const HAS_SUMMARY = 0x01;
export const COMPRESSED = 0x02;
export const IS_REFERENCE = 0x04;

export type Frame = {
  readonly typeId: number;
  readonly flags: number;
  /** Where the stored body lies in the reader's bytes. */
  readonly start: number;
  readonly end: number;
};

/** A frame to be used again: whoever keeps one makes a copy. */
export type FrameSlot = { -readonly [Key in keyof Frame]: Frame[Key] };

export function frameSlot(): FrameSlot {
  return { typeId: 0, flags: 0, start: 0, end: 0 };
}

/** The next frame, or undefined for END. Leaves the reader behind it. */
export function readFrame(reader: Reader, frame: FrameSlot = frameSlot()): Frame | undefined {
  const start = reader.pos;
  const typeId = readType(reader);
  if (reader.pos >= reader.end) throw reader.endOfInput(reader.pos - start, start);
  const flags = reader.u8();
  if (typeId === END_TYPE) {
    // END has a length too. Any value does, and no body is taken for it (D-2).
    if (reader.pos >= reader.end) throw reader.endOfInput(reader.pos - start, start);
    reader.varint();
    return undefined;
  }
  const length = reader.varint();
  if (length > reader.end - reader.pos) throw reader.endOfInput(reader.end - start, start);
  const bodyStart = reader.pos;
  reader.pos += length;
  frame.typeId = typeId;
  frame.flags = flags;
  frame.start = bodyStart;
  frame.end = reader.pos;
  return frame;
}

export function readType(reader: Reader): number {
  const at = reader.pos;
  const typeId = reader.varint();
  if (typeId > END_TYPE) {
    const raw = reader.exact();
    throw reader.error("InvalidBlockType", `invalid block type: varint value ${raw} exceeds u8 range`, at);
  }
  return typeId;
}

export function writeFrame(writer: Writer, typeId: number, flags: number, body: Uint8Array): void {
  writeFrameHead(writer, typeId, flags, body.length);
  writer.bytes(body);
}

/** What stands before a body of so many bytes. */
export function writeFrameHead(writer: Writer, typeId: number, flags: number, length: number): void {
  writer.varint(typeId);
  writer.u8(flags);
  writer.varint(length);
}

export function writeEnd(writer: Writer): void {
  writer.varint(END_TYPE);
  writer.u8(0);
  writer.varint(0);
}
