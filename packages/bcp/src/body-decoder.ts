// Stored body → block: reference, compression, summary, fields, in that order (FORMAT.md, "Bodies").

import { DecodeError, locate } from "./bcp-errors.ts";
import type { Place } from "./bcp-errors.ts";
import { tableById } from "./block-types.ts";
import type { Block } from "./block-types.ts";
import { Reader } from "./byte-reader.ts";
import type { ContentStore } from "./content-store.ts";
import type { Growth, Limits } from "./decode-limits.ts";
import { bomb, decompress } from "./decompress.ts";
import { COMPRESSED, HAS_SUMMARY, IS_REFERENCE } from "./frame.ts";
import type { Frame } from "./frame.ts";
import type { MemoryLimit } from "./memory-limit.ts";
import { readFields } from "./read-fields.ts";
import type { OpenRecord } from "./read-fields.ts";
import { decodeLossy } from "./utf8-text.ts";

const HASH_BYTES = 32;
const UNKNOWN_BLOCK_COST = 250;
// What following one leaves behind.
const REFERENCE_COST = 600;

/** Finds the body of an earlier block of the same payload by its hash. */
export type ReferencedBodies = { get(hash: Uint8Array, memory: MemoryLimit): Uint8Array | undefined };

export type Resolver = {
  readonly store: ContentStore | undefined;
  readonly earlier: ReferencedBodies | undefined;
};

/** Decodes the bodies of one payload, and counts what they unpack to. */
export class BodyDecoder {
  private readonly resolver: Resolver;
  private readonly limits: Limits;
  private readonly growth: Growth;
  private readonly slots: OpenRecord[] = [];
  private reader: Reader | undefined;
  /** What bodies were unpacked to so far. */
  unpackedBytes = 0;
  private referenced = 0;
  /** Called once, before anything is unpacked. */
  beforeUnpacking: (() => void) | undefined;
  /** Called with each body that was unpacked, and where its frame lies. */
  afterUnpacking: ((frame: Frame, body: Uint8Array) => void) | undefined;

  constructor(resolver: Resolver, limits: Limits, growth: Growth) {
    this.resolver = resolver;
    this.limits = limits;
    this.growth = growth;
  }

  /** `bytes` hold the stored body at `frame.start`; `place` says where they lie in the file. */
  decode(frame: Frame, bytes: Uint8Array, place: Place, memory: MemoryLimit): Block {
    return this.parse(frame, this.plain(frame, bytes, place, memory), memory);
  }

  /** Summary and fields. */
  parse(frame: Frame, reader: Reader, memory: MemoryLimit): Block {
    const table = tableById(frame.typeId);
    const block: Record<string, unknown> = { type: table?.type ?? "unknown", flags: frame.flags };
    if (frame.flags & HAS_SUMMARY) {
      const at = reader.pos;
      const end = reader.span();
      const summary = decodeLossy(reader.bytes, reader.pos, end);
      memory.spendText(end - reader.pos, summary, reader, at);
      block["summary"] = summary;
      reader.pos = end;
    }
    if (table) readFields(reader, table, block, memory, this.limits.treeDepth, this.slots);
    else {
      memory.spend(UNKNOWN_BLOCK_COST, reader, reader.pos);
      block["typeId"] = frame.typeId;
      block["body"] = reader.bytes.subarray(reader.pos, reader.end);
    }
    // The tables build exactly the types that are derived from them.
    return block as Block;
  }

  /** The plain body: summary and fields, as it is hashed. */
  plain(frame: Frame, bytes: Uint8Array, place: Place, memory: MemoryLimit): Reader {
    if ((frame.flags & (IS_REFERENCE | COMPRESSED)) === 0) return this.inPlace(frame, bytes, place);
    const { offset } = locate(place, frame.start);
    let body = bytes.subarray(frame.start, frame.end);
    if (frame.flags & IS_REFERENCE) body = this.resolve(body, offset, memory);
    if (frame.flags & COMPRESSED) {
      body = this.unpack(body, offset);
      memory.unpacked(body.length);
      this.afterUnpacking?.(frame, body);
    }
    return new Reader(body, { at: offset, packed: true });
  }

  // The same reader for all bodies that lie in the same bytes: there may be a million.
  private inPlace({ start, end }: Frame, bytes: Uint8Array, place: Place): Reader {
    if (this.reader?.bytes !== bytes) this.reader = new Reader(bytes, place);
    this.reader.pos = start;
    this.reader.end = end;
    return this.reader;
  }

  private resolve(hash: Uint8Array, offset: number, memory: MemoryLimit): Uint8Array {
    const { store, earlier } = this.resolver;
    const found = hash.length === HASH_BYTES ? (store?.get(hash) ?? earlier?.get(hash, memory)) : undefined;
    if (!found) throw unresolved(hash, store, offset);
    memory.taken(REFERENCE_COST);
    this.referenced += found.length;
    if (this.referenced > this.growth.referencedBytes) {
      const message = `references stand for more than ${this.growth.referencedBytes} bytes`;
      throw new DecodeError("ExpansionTooLarge", message, { offset });
    }
    return found;
  }

  private unpack(packed: Uint8Array, offset: number): Uint8Array {
    this.beforeUnpacking?.();
    this.beforeUnpacking = undefined;
    const left = this.growth.unpackedBytes - this.unpackedBytes;
    try {
      const plain = decompress(packed, Math.min(this.limits.blockBytes, left), offset);
      this.unpackedBytes += plain.length;
      return plain;
    } catch (error) {
      const isTotal =
        left < this.limits.blockBytes && error instanceof DecodeError && error.code === "DecompressionBomb";
      throw isTotal ? bomb(this.growth.unpackedBytes, offset) : error;
    }
  }
}

// Without a store the reference has one answer for every reference, and so do we when the file itself has none.
function unresolved(hash: Uint8Array, store: ContentStore | undefined, offset: number): DecodeError {
  if (!store) {
    const message = "block has IS_REFERENCE flag but no content store was provided";
    return new DecodeError("MissingContentStore", message, { offset, hash: hash.slice() });
  }
  if (hash.length !== HASH_BYTES) {
    return new DecodeError("UnexpectedEof", `unexpected end of input at offset ${hash.length}`, { offset });
  }
  const message = "unresolved reference: BLAKE3 hash not found in content store";
  return new DecodeError("UnresolvedReference", message, { offset, hash: hash.slice() });
}
