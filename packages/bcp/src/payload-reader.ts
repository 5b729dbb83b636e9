// A payload in memory, its blocks decoded one after the other: to keep all of them, or to walk through them again and again.

import { DecodeError, locate } from "./bcp-errors.ts";
import type { Place } from "./bcp-errors.ts";
import type { Block } from "./block-types.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { Reader } from "./byte-reader.ts";
import type { ContentStore } from "./content-store.ts";
import type { Growth, Limits } from "./decode-limits.ts";
import { bomb, BombCheck, decompress } from "./decompress.ts";
import { COMPRESSED, frameSlot, IS_REFERENCE, readFrame } from "./frame.ts";
import type { Frame, FrameSlot } from "./frame.ts";
import { HEADER_BYTES, PAYLOAD_COMPRESSED, readHeader } from "./header.ts";
import type { Header } from "./header.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import { PayloadReferences } from "./payload-references.ts";
import { scanZstd } from "./zstd-frames.ts";

export type WalkSettings = {
  readonly store: ContentStore | undefined;
  /** Whether a reference may name an earlier block of the same payload. */
  readonly inFile: boolean;
  readonly limits: Limits;
  readonly growth: Growth;
};

/** Header and frames, unpacked if they had to be. */
export class OpenPayload {
  readonly header: Header;
  /** What came out, if the payload was compressed as a whole. */
  readonly unpackedBytes: number;
  private readonly bytes: Uint8Array;
  private readonly place: Place;
  private readonly start: number;
  private earlier: PayloadReferences | undefined;

  constructor(payload: Uint8Array, maxBytes: number) {
    this.header = readHeader(payload);
    const isPacked = (this.header.flags & PAYLOAD_COMPRESSED) !== 0;
    this.bytes = isPacked ? decompress(payload.subarray(HEADER_BYTES), maxBytes, HEADER_BYTES) : payload;
    this.place = isPacked ? { at: HEADER_BYTES, packed: true } : { at: 0, packed: false };
    this.start = isPacked ? 0 : HEADER_BYTES;
    this.unpackedBytes = isPacked ? this.bytes.length : 0;
  }

  /** From the first block on. `isKept`: whether the blocks stay, and with them what they were unpacked from. */
  walk(settings: WalkSettings, isKept: boolean): BlockWalk {
    if (settings.inFile) this.earlier ??= new PayloadReferences(this.frames(), settings.limits.blockBytes);
    return new BlockWalk(this.frames(), settings, settings.inFile ? this.earlier : undefined, isKept);
  }

  private frames(): Reader {
    return new Reader(this.bytes, this.place, this.start);
  }
}

/** One walk through the blocks of a payload. The first fault in any of them ends it. */
export class BlockWalk {
  /** Of those decoded so far. */
  count = 0;
  private readonly reader: Reader;
  private readonly slot = frameSlot();
  private readonly bodies: BodyDecoder;

  constructor(
    reader: Reader,
    { store, limits, growth }: WalkSettings,
    earlier: PayloadReferences | undefined,
    isKept: boolean,
  ) {
    this.reader = reader;
    this.bodies = new BodyDecoder({ store, earlier: earlier?.before(reader) }, limits, growth);
    const ahead = new Reader(reader.bytes, reader.place, reader.pos, reader.end);
    this.bodies.beforeUnpacking = () => refuseBombs(ahead, growth.unpackedBytes);
    if (earlier && isKept) this.bodies.afterUnpacking = ({ start }, body) => earlier.unpacked.set(start, body);
  }

  /** The next block, or undefined behind the last. */
  next(memoryFor: (storedBytes: number) => MemoryLimit): Block | undefined {
    try {
      const frame = nextFrame(this.reader, this.slot);
      if (!frame) return undefined;
      const memory = memoryFor(frame.end - frame.start);
      const block = this.bodies.decode(frame, this.reader.bytes, this.reader.place, memory);
      this.count++;
      return block;
    } catch (error) {
      if (error instanceof DecodeError) error.block ??= this.count;
      throw error;
    }
  }

  /** What was unpacked so far. */
  get unpackedBytes(): number {
    return this.bodies.unpackedBytes;
  }

  tooManyBlocks(): DecodeError {
    const message = "too many tiny records for the size of the input";
    return this.reader.error("TooManyRecords", message, this.reader.pos);
  }

  /** How many bytes follow END, once it has been reached: an error unless they are to be ignored. */
  trailing(what: "error" | "ignore"): number {
    const { pos, end, place } = this.reader;
    if (end > pos && what === "error") throw trailingError(place, pos, end - pos);
    return end - pos;
  }
}

export function trailingError(place: Place, at: number, extraBytes: number): DecodeError {
  const message = `unexpected data after END sentinel (${extraBytes} bytes)`;
  return new DecodeError("TrailingData", message, { ...locate(place, at), extraBytes });
}

function nextFrame(reader: Reader, slot: FrameSlot): Frame | undefined {
  if (reader.pos < reader.end) return readFrame(reader, slot);
  throw reader.error("MissingEndSentinel", "payload does not end with END sentinel", reader.pos);
}

// Looks at all compressed blocks before the first is unpacked: a thousand small bombs are one large one.
function refuseBombs(reader: Reader, limit: number): void {
  const scale = new BombCheck();
  for (const { area, index, start } of packedBlocks(reader)) {
    const scan = scanZstd(area);
    if (scan.kind === "broken") return;
    scale.add(area, scan.frames);
    if (!scale.isBomb(limit)) continue;
    const error = bomb(limit, locate(reader.place, start).offset);
    error.block = index;
    throw error;
  }
}

type PackedBlock = { readonly area: Uint8Array; readonly index: number; readonly start: number };

// What is broken further on is found again, and reported, when its turn comes.
function* packedBlocks(reader: Reader): Generator<PackedBlock> {
  let index = 0;
  const slot = frameSlot();
  for (let frame = frameIfAny(reader, slot); frame; frame = frameIfAny(reader, slot), index++) {
    const { flags, start, end } = frame;
    if (flags & COMPRESSED && !(flags & IS_REFERENCE)) yield { area: reader.bytes.subarray(start, end), index, start };
  }
}

function frameIfAny(reader: Reader, slot: FrameSlot): Frame | undefined {
  try {
    return nextFrame(reader, slot);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}
