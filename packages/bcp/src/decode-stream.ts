// A payload that arrives in pieces → its blocks, one by one. Memory is bounded by the largest block.

import { Allowance } from "./allowance.ts";
import { blake3 } from "./blake3.ts";
import type { Block } from "./blocks/all.ts";
import { BodyDecoder } from "./body.ts";
import { ByteQueue } from "./byte-source.ts";
import type { ByteSource } from "./byte-source.ts";
import { toHex } from "./content-store.ts";
import { trailingError } from "./decode.ts";
import type { DecodeOptions } from "./decode.ts";
import { decompressStream } from "./decompress-stream.ts";
import { DecodeError, locate } from "./failure.ts";
import type { Place } from "./failure.ts";
import { END_TYPE, IS_REFERENCE, readType } from "./frame.ts";
import type { Frame } from "./frame.ts";
import { HEADER_BYTES, PAYLOAD_COMPRESSED, readHeader } from "./header.ts";
import type { Header } from "./header.ts";
import { DEFAULT_LIMITS, MAX_PAYLOAD_BYTES } from "./limits.ts";
import type { Growth, Limits } from "./limits.ts";
import { Reader } from "./reader.ts";

const MAX_VARINT_BYTES = 10;
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

export type StreamEvent =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "block"; readonly index: number; readonly block: Block }
  | { readonly kind: "damaged"; readonly index: number; readonly error: DecodeError }
  | { readonly kind: "end"; readonly blocks: number; readonly trailingBytes?: number };

/**
 * Decodes `source` as it arrives: header, blocks, end. What follows END is not waited for unless asked for. A fault in the
 * framing is final; one inside a body can be skipped, because the frame says where the next one starts.
 */
export async function* decodeStream(
  source: ByteSource,
  options: StreamOptions = {},
): AsyncGenerator<StreamEvent, void> {
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const outer = new ByteQueue(source);
  let inner = outer;
  let index = 0;
  try {
    const header = await takeHeader(outer);
    yield { kind: "header", header };
    const packed = (header.flags & PAYLOAD_COMPRESSED) !== 0;
    if (packed) inner = new ByteQueue(decompressStream(outer, limits.payloadBytes ?? MAX_PAYLOAD_BYTES, HEADER_BYTES));
    const place: Place = { at: packed ? HEADER_BYTES : 0, packed };
    const earlier = options.references === "in-file" ? new KeptBodies(limits.keptBytes) : undefined;
    const growth = { ...UNLIMITED, unpackedBytes: limits.unpackedBytes ?? UNLIMITED.unpackedBytes };
    const bodies = new BodyDecoder({ store: options.store, earlier }, limits, growth);
    for (;;) {
      const stored = await takeFrame(inner, place, limits);
      if (!stored) break;
      yield decodeFrame(stored, bodies, earlier, index, options.skipDamaged === true);
      index++;
    }
    const { trailingData } = options;
    const trailing = trailingData && { trailingBytes: await readTrailing(inner, place, trailingData) };
    yield { kind: "end", blocks: index, ...trailing };
  } catch (error) {
    if (error instanceof DecodeError && error.code !== "InvalidHeader") error.block ??= index;
    throw error;
  } finally {
    if (inner !== outer) await inner.close();
    await outer.close();
  }
}

type Stored = { readonly frame: Frame; readonly body: Uint8Array; readonly place: Place };

async function takeHeader(queue: ByteQueue): Promise<Header> {
  while (queue.buffered.length < HEADER_BYTES && (await queue.more())) continue;
  const header = readHeader(queue.buffered.subarray(0, HEADER_BYTES));
  queue.drop(HEADER_BYTES);
  return header;
}

async function takeFrame(queue: ByteQueue, place: Place, limits: Limits): Promise<Stored | undefined> {
  const start = queue.position;
  const head = await takeFrameHead(queue, place);
  if (head.typeId === END_TYPE) return undefined;
  if (head.length > limits.storedBytes) {
    const message = `block body exceeds maximum size (${head.length} bytes, limit ${limits.storedBytes})`;
    throw new DecodeError("BlockTooLarge", message, locate(place, start));
  }
  const bodyPlace: Place = place.packed ? place : { at: place.at + queue.position, packed: false };
  const body = await queue.take(head.length);
  if (!body) throw endOfInput(queue, start, place);
  return { frame: { ...head, start: 0, end: body.length }, body, place: bodyPlace };
}

type FrameHead = { readonly typeId: number; readonly flags: number; readonly length: number };

// Waits for as many bytes as the three fields take and not one more: END may be the last thing that ever arrives.
async function takeFrameHead(queue: ByteQueue, place: Place): Promise<FrameHead> {
  const start = queue.position;
  const here: Place = place.packed ? place : { at: place.at + start, packed: false };
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
    if (bytes.length > 0) throw endOfInput(queue, start, place);
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
  earlier: KeptBodies | undefined,
  index: number,
  skipDamaged: boolean,
): StreamEvent {
  try {
    const allowance = new Allowance(body.length, "free");
    const plain = bodies.plain(frame, body, place, allowance);
    if (!(frame.flags & IS_REFERENCE)) earlier?.keep(plain.bytes.subarray(plain.pos, plain.end));
    return { kind: "block", index, block: bodies.parse(frame, plain, allowance) };
  } catch (error) {
    if (!(error instanceof DecodeError) || !skipDamaged) throw error;
    error.block = index;
    return { kind: "damaged", index, error };
  }
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

class KeptBodies {
  private readonly bodies = new Map<string, Uint8Array>();
  private left: number;

  constructor(maxBytes: number) {
    this.left = maxBytes;
  }

  get(hash: Uint8Array): Uint8Array | undefined {
    return this.bodies.get(toHex(hash));
  }

  /** A body that does not fit is forgotten: a later reference to it is then unresolved. */
  keep(body: Uint8Array): void {
    if (body.length > this.left) return;
    this.left -= body.length;
    this.bodies.set(toHex(blake3(body)), body);
  }
}
