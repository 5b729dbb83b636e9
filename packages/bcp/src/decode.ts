// A whole payload → its blocks. All or nothing: the first fault in any block fails the decode.

import { Allowance } from "./allowance.ts";
import { blake3 } from "./blake3.ts";
import type { Block } from "./blocks/all.ts";
import { BodyDecoder } from "./body.ts";
import type { EarlierBodies } from "./body.ts";
import { bomb, BombScale, decompress } from "./compress.ts";
import { toHex } from "./content-store.ts";
import type { ContentStore } from "./content-store.ts";
import { DecodeError, locate } from "./failure.ts";
import type { Place } from "./failure.ts";
import { COMPRESSED, IS_REFERENCE, readFrame } from "./frame.ts";
import { HEADER_BYTES, PAYLOAD_COMPRESSED, readHeader } from "./header.ts";
import type { Header } from "./header.ts";
import { DEFAULT_LIMITS, growthOf } from "./limits.ts";
import type { Growth, Limits } from "./limits.ts";
import { Reader } from "./reader.ts";
import { scanZstd } from "./zstd-frames.ts";

export type DecodeOptions = {
  /** Where references find their bodies. */
  readonly store?: ContentStore;
  /**
   * `in-file`: a reference that the store does not know may name an earlier block of the same payload, which is what
   * deduplication writes. `store`: only the store counts, as in the reference implementation.
   */
  readonly references?: "in-file" | "store";
  /** Bytes after END are an error unless ignored; how many there were is in the result. */
  readonly trailingData?: "error" | "ignore";
  readonly limits?: Partial<Limits>;
};

export type Decoded = {
  readonly header: Header;
  readonly blocks: readonly Block[];
  readonly trailingBytes: number;
};

/** Decodes a payload. The byte fields of the blocks are views of it (or of what was unpacked), not copies. */
export function decode(bytes: Uint8Array, options: DecodeOptions = {}): Decoded {
  // A Buffer's views would be Buffers again, and those behave differently.
  const payload = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const header = readHeader(payload);
  const growth = growthOf(payload.length, limits);
  const reader = openBlocks(payload, header, growth);
  const allowance = new Allowance(payload.length, limits.payloadBytes || limits.unpackedBytes ? "free" : "paid");
  if (reader.place.packed) allowance.unpacked(reader.end);
  const earlier = options.references === "store" ? undefined : new BodiesSoFar(reader);
  const bodies = new BodyDecoder({ store: options.store, earlier }, limits, growth);
  const ahead = new Reader(reader.bytes, reader.place, reader.pos, reader.end);
  bodies.afterUnpacking = ({ start }, body) => earlier?.unpacked.set(start, body);
  bodies.beforeUnpacking = () => refuseBombs(ahead, growth.unpackedBytes);
  const blocks: Block[] = [];
  try {
    for (let frame = nextFrame(reader); frame; frame = nextFrame(reader)) {
      blocks.push(bodies.decode(frame, reader.bytes, reader.place, allowance));
    }
  } catch (error) {
    if (error instanceof DecodeError) error.block ??= blocks.length;
    throw error;
  }
  const trailingBytes = reader.end - reader.pos;
  if (trailingBytes > 0 && options.trailingData !== "ignore")
    throw trailingError(reader.place, reader.pos, trailingBytes);
  return { header, blocks, trailingBytes };
}

/**
 * Whether there could be more in a payload than `decode` holds at once, from the headers of what is packed in it alone.
 * Throws if there could be more than `most`, packed as only a bomb is.
 */
export function isTooLargeToHold(payload: Uint8Array, most: number): boolean {
  const { flags } = readHeader(payload);
  const scale = new BombScale();
  const areas =
    flags & PAYLOAD_COMPRESSED
      ? [{ area: payload.subarray(HEADER_BYTES), start: HEADER_BYTES }]
      : packedBlocks(new Reader(payload, { at: 0, packed: false }, HEADER_BYTES));
  for (const { area, start } of areas) {
    const scan = scanZstd(area);
    if (scan.kind === "broken") return false;
    scale.add(area, scan.frames);
    if (scale.isBomb(most)) throw bomb(most, start);
  }
  const { payloadBytes, unpackedBytes } = growthOf(payload.length, DEFAULT_LIMITS);
  return scale.couldExceed(Math.min(payloadBytes, unpackedBytes));
}

function openBlocks(payload: Uint8Array, header: Header, growth: Growth): Reader {
  if ((header.flags & PAYLOAD_COMPRESSED) === 0) return new Reader(payload, { at: 0, packed: false }, HEADER_BYTES);
  const plain = decompress(payload.subarray(HEADER_BYTES), growth.payloadBytes, HEADER_BYTES);
  return new Reader(plain, { at: HEADER_BYTES, packed: true });
}

function nextFrame(reader: Reader): ReturnType<typeof readFrame> {
  if (reader.pos < reader.end) return readFrame(reader);
  throw reader.error("MissingEndSentinel", "payload does not end with END sentinel", reader.pos);
}

export function trailingError(place: Place, at: number, extraBytes: number): DecodeError {
  const message = `unexpected data after END sentinel (${extraBytes} bytes)`;
  return new DecodeError("TrailingData", message, { ...locate(place, at), extraBytes });
}

// Looks at all compressed blocks before the first is unpacked: a thousand small bombs are one large one.
function refuseBombs(reader: Reader, limit: number): void {
  const scale = new BombScale();
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

function* packedBlocks(reader: Reader): Generator<PackedBlock> {
  let index = 0;
  for (let frame = frameIfAny(reader); frame; frame = frameIfAny(reader), index++) {
    const { flags, start, end } = frame;
    if (flags & COMPRESSED && !(flags & IS_REFERENCE)) yield { area: reader.bytes.subarray(start, end), index, start };
  }
}

// What is broken further on is found again, and reported, when its turn comes.
function frameIfAny(reader: Reader): ReturnType<typeof readFrame> {
  try {
    return nextFrame(reader);
  } catch (error) {
    if (error instanceof DecodeError) return undefined;
    throw error;
  }
}

// Hashes the bodies before a reference, but only once there is a reference: files without any pay nothing.
class BodiesSoFar implements EarlierBodies {
  /** What came out of compressed frames, by where they start: unpacking them again would take all of it twice. */
  readonly unpacked = new Map<number, Uint8Array>();
  private readonly bodies = new Map<string, Uint8Array>();
  private readonly reader: Reader;
  private readonly behind: Reader;

  constructor(reader: Reader) {
    this.reader = reader;
    this.behind = new Reader(reader.bytes, reader.place, reader.pos, reader.end);
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    while (this.behind.pos < this.reader.pos) {
      const frame = readFrame(this.behind);
      if (!frame || frame.flags & IS_REFERENCE) continue;
      const body = this.unpacked.get(frame.start) ?? this.behind.bytes.subarray(frame.start, frame.end);
      this.bodies.set(toHex(blake3(body)), body);
    }
    return this.bodies.get(toHex(hash));
  }
}
