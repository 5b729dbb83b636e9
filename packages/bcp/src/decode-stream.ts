// A payload that arrives in pieces → its blocks, one by one. Memory is bounded by the largest block.

import { DecodeError, locate } from "./bcp-errors.ts";
import type { Place } from "./bcp-errors.ts";
import type { Block } from "./block-types.ts";
import { BodyDecoder } from "./body-decoder.ts";
import { ByteQueue } from "./byte-queue.ts";
import type { ByteSource, BodyBuffer } from "./byte-queue.ts";
import { Reader } from "./byte-reader.ts";
import { DEFAULT_LIMITS, MAX_PAYLOAD_BYTES } from "./decode-limits.ts";
import type { Growth, Limits } from "./decode-limits.ts";
import type { DecodeOptions } from "./decode-payload.ts";
import { decompressStream } from "./decompress-stream.ts";
import { END_TYPE, IS_REFERENCE, readFrame, readType } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { GarbageCollection } from "./garbage-collection.ts";
import { HashIndex } from "./hash-index.ts";
import { HEADER_BYTES, PAYLOAD_COMPRESSED, readHeader } from "./header.ts";
import type { Header } from "./header.ts";
import { MemoryLimit } from "./memory-limit.ts";
import { trailingError } from "./payload-reader.ts";
import { StreamReferences } from "./stream-references.ts";

const MAX_VARINT_BYTES = 10;
const HASH_BYTES = 32;
// What waiting for a frame leaves behind.
const FRAME_COST = 2048;
const NO_BYTES = new Uint8Array(0);
// Each block is the caller's once it is delivered: what one of them takes is limited, their sum is not.
const UNLIMITED: Growth = {
  payloadBytes: MAX_PAYLOAD_BYTES,
  unpackedBytes: Number.POSITIVE_INFINITY,
  referencedBytes: Number.POSITIVE_INFINITY,
};

export type StreamOptions = Omit<DecodeOptions, "references" | "trailingData"> & {
  /** `in-file` keeps the bodies of earlier blocks, up to a limit, for references to them. Off unless asked for. */
  readonly references?: "in-file" | "store";
  /** Report a block whose body is broken and go on with the next one, instead of failing. */
  readonly skipDamaged?: boolean;
  /** What follows END: not waited for unless this says what to do with it. */
  readonly trailingData?: "error" | "ignore";
};

/** What our own commands ask for on top. */
export type WalkOptions = StreamOptions & {
  readonly maxBlocks?: number;
  /** For bodies, where nobody holds a block when the next one comes. */
  readonly scratch?: BodyBuffer;
  /** The bodies that references name: only these are kept. */
  readonly wanted?: HashIndex;
};

export type StreamEvent =
  | { readonly kind: "header"; readonly header: Header }
  /** `bodyBytes`: the plain body, which what is in the block may keep in memory. */
  | { readonly kind: "block"; readonly index: number; readonly block: Block; readonly bodyBytes: number }
  | { readonly kind: "damaged"; readonly index: number; readonly error: DecodeError }
  | { readonly kind: "end"; readonly blocks: number; readonly trailingBytes?: number };

/**
 * Decodes `source` as it arrives: header, blocks, end. What follows END is not waited for unless asked for. A fault in the
 * framing is final; one inside a body can be skipped, because the frame says where the next one starts.
 */
export function decodeStream(source: ByteSource, options: StreamOptions = {}): AsyncGenerator<StreamEvent, void> {
  return walkStream(source, options);
}

export async function* walkStream(source: ByteSource, options: WalkOptions): AsyncGenerator<StreamEvent, void> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const earlier = options.references === "in-file" ? new StreamReferences(limits.keptBytes, options.wanted) : undefined;
  const growth = {
    ...UNLIMITED,
    unpackedBytes: limits.unpackedBytes ?? UNLIMITED.unpackedBytes,
    referencedBytes: limits.referencedBytes ?? UNLIMITED.referencedBytes,
  };
  const bodies = new BodyDecoder({ store: options.store, earlier }, limits, growth);
  const garbage = new GarbageCollection();
  let index = 0;
  const opened = new OpenedStream(source, limits, options.scratch);
  try {
    yield { kind: "header", header: await opened.begin() };
    for (let left = 0; ; index++) {
      const stored = await opened.next();
      if (!stored) break;
      if (options.maxBlocks !== undefined && index >= options.maxBlocks) throw opened.tooManyBlocks();
      // Here, behind the wait, nothing holds the last block any more; the next one may be as large.
      garbage.add(left);
      const event = decodeFrame(stored, bodies, earlier, index, options.skipDamaged === true);
      left = FRAME_COST + (event.kind === "block" ? event.bodyBytes : stored.body.length);
      yield event;
    }
    const { trailingData } = options;
    const trailing = trailingData && { trailingBytes: await opened.trailing(trailingData) };
    yield { kind: "end", blocks: index, ...trailing };
  } catch (error) {
    // What follows END is in no block.
    const inBlock = error instanceof DecodeError && error.code !== "InvalidHeader" && error.code !== "TrailingData";
    if (inBlock) error.block ??= index;
    throw error;
  } finally {
    await opened.close();
  }
}

/** The hashes that references name. What is broken is not reported here: it is found again. */
export async function referencedHashes(source: ByteSource, options: WalkOptions): Promise<HashIndex> {
  const hashes = new HashIndex();
  const garbage = new GarbageCollection();
  const opened = new OpenedStream(source, { ...DEFAULT_LIMITS, ...options.limits });
  try {
    await opened.begin();
    let left = options.maxBlocks ?? Number.POSITIVE_INFINITY;
    for (; left > 0; left--) {
      const stored = await opened.next("references");
      if (!stored) break;
      garbage.add(FRAME_COST);
      if (stored.frame.flags & IS_REFERENCE && stored.body.length === HASH_BYTES) hashes.add(stored.body);
    }
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
  } finally {
    await opened.close();
  }
  return hashes;
}

// Header and frames, unpacked if they have to be.
class OpenedStream {
  private readonly outer: ByteQueue;
  private readonly limits: Limits;
  private readonly scratch: BodyBuffer | undefined;
  private inner: ByteQueue;
  private place: Place = { at: 0, packed: false };

  constructor(source: ByteSource, limits: Limits, scratch?: BodyBuffer) {
    this.scratch = scratch;
    this.outer = new ByteQueue(source);
    this.inner = this.outer;
    this.limits = limits;
  }

  async begin(): Promise<Header> {
    const header = await takeHeader(this.outer);
    if ((header.flags & PAYLOAD_COMPRESSED) === 0) return header;
    const limit = this.limits.payloadBytes ?? MAX_PAYLOAD_BYTES;
    this.inner = new ByteQueue(decompressStream(this.outer, limit, HEADER_BYTES));
    this.place = { at: HEADER_BYTES, packed: true };
    return header;
  }

  /** The bodies of other frames are empty where only `references` are asked for. */
  next(bodies: "all" | "references" = "all"): Promise<Stored | undefined> {
    return takeFrame(this.inner, this.place, this.limits, bodies, this.scratch);
  }

  trailing(what: "error" | "ignore"): Promise<number> {
    return readTrailing(this.inner, this.place, what);
  }

  tooManyBlocks(): DecodeError {
    const message = "too many tiny records for the size of the input";
    return new DecodeError("TooManyRecords", message, locate(this.place, this.inner.position));
  }

  async close(): Promise<void> {
    if (this.inner !== this.outer) await this.inner.close();
    await this.outer.close();
  }
}

type Stored = { readonly frame: Frame; readonly body: Uint8Array; readonly place: Place };

async function takeHeader(queue: ByteQueue): Promise<Header> {
  while (queue.buffered.length < HEADER_BYTES && (await queue.more())) continue;
  const header = readHeader(queue.buffered.subarray(0, HEADER_BYTES));
  queue.drop(HEADER_BYTES);
  return header;
}

async function takeFrame(
  queue: ByteQueue,
  place: Place,
  limits: Limits,
  bodies: "all" | "references",
  scratch: BodyBuffer | undefined,
): Promise<Stored | undefined> {
  const start = queue.position;
  const head = await takeFrameHead(queue, place);
  if (head.typeId === END_TYPE) return undefined;
  if (head.length > limits.storedBytes) {
    const message = `block body exceeds maximum size (${head.length} bytes, limit ${limits.storedBytes})`;
    throw new DecodeError("BlockTooLarge", message, locate(place, start));
  }
  const bodyPlace = placeAt(place, queue.position);
  const isTaken = bodies === "all" || (head.flags & IS_REFERENCE) !== 0;
  const body = isTaken ? await queue.take(head.length, scratch) : (await queue.skip(head.length)) && NO_BYTES;
  if (!body) throw endOfInput(queue, start, place);
  return { frame: { ...head, start: 0, end: body.length }, body, place: bodyPlace };
}

type FrameHead = { readonly typeId: number; readonly flags: number; readonly length: number };

// Waits for as many bytes as the three fields take and not one more: END may be the last thing that ever arrives.
async function takeFrameHead(queue: ByteQueue, place: Place): Promise<FrameHead> {
  const start = queue.position;
  const here = placeAt(place, start);
  for (;;) {
    const bytes = queue.buffered;
    const size = frameHeadBytes(bytes, here);
    if (size !== undefined) {
      const reader = new Reader(bytes, here, 0, size);
      const head = { typeId: readType(reader), flags: reader.u8(), length: reader.varint() };
      queue.drop(size);
      return head;
    }
    if (await queue.more()) continue;
    // Cut: the error is the one that a whole payload would get.
    if (bytes.length > 0) readFrame(new Reader(bytes, here));
    const message = "payload does not end with END sentinel";
    throw new DecodeError("MissingEndSentinel", message, locate(place, start));
  }
}

// Type, flags and length, once all of them are there.
function frameHeadBytes(bytes: Uint8Array, place: Place): number | undefined {
  const afterType = varintEnd(bytes, 0, place);
  return afterType === undefined ? undefined : varintEnd(bytes, afterType + 1, place);
}

function varintEnd(bytes: Uint8Array, start: number, place: Place): number | undefined {
  for (let at = start; at < bytes.length; at++) {
    if ((bytes[at] ?? 0) < 0x80) return at + 1;
    if (at - start < MAX_VARINT_BYTES - 1) continue;
    throw new DecodeError("VarintTooLong", "varint too long: exceeded 10-byte limit", locate(place, start));
  }
  return undefined;
}

function decodeFrame(
  { frame, body, place }: Stored,
  bodies: BodyDecoder,
  earlier: StreamReferences | undefined,
  index: number,
  skipDamaged: boolean,
): StreamEvent {
  try {
    const memory = new MemoryLimit(body.length, "free");
    const plain = bodies.plain(frame, body, place, memory);
    if (!(frame.flags & IS_REFERENCE)) earlier?.keep(plain.bytes.subarray(plain.pos, plain.end));
    const bodyBytes = plain.end - plain.pos;
    return { kind: "block", index, block: bodies.parse(frame, plain, memory), bodyBytes };
  } catch (error) {
    if (!(error instanceof DecodeError) || !skipDamaged) throw error;
    error.block = index;
    return { kind: "damaged", index, error };
  }
}

// Bytes that begin `index` further on than those at `place`.
function placeAt(place: Place, index: number): Place {
  return place.packed ? { ...place, from: index } : { at: place.at + index, packed: false };
}

async function readTrailing(queue: ByteQueue, place: Place, what: "error" | "ignore"): Promise<number> {
  const end = queue.position;
  do queue.drop(queue.buffered.length);
  while (await queue.more());
  const bytes = queue.position - end;
  if (bytes > 0 && what === "error") throw trailingError(place, end, bytes);
  return bytes;
}

function endOfInput(queue: ByteQueue, start: number, place: Place): DecodeError {
  const relative = queue.position + queue.buffered.length - start;
  return new DecodeError("UnexpectedEof", `unexpected end of input at offset ${relative}`, locate(place, start));
}
