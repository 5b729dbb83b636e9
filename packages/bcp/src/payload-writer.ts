// A payload that is written block by block, and can be taken away piece by piece (FORMAT.md, "Bodies" and "Compression").

import { EncodeError } from "./bcp-errors.ts";
import { blake3 } from "./blake3.ts";
import { tableById, tableByType } from "./block-types.ts";
import { BackWriter, Writer } from "./byte-writer.ts";
import type { Steps } from "./cooperative-work.ts";
import { DEFAULT_LIMITS, MAX_BODY_BYTES } from "./decode-limits.ts";
import type { EncodeOptions, NewBlock } from "./encode-payload.ts";
import type { NamedField } from "./field-table.ts";
import { COMPRESSED, END_TYPE, HAS_SUMMARY, IS_REFERENCE, writeEnd, writeFrame, writeFrameHead } from "./frame.ts";
import { HEADER_BYTES, headerBytes, PAYLOAD_COMPRESSED } from "./header.ts";
import type { LazyBlock } from "./lazy-block.ts";
import { NestedRecords } from "./record-list.ts";
import { writeFields, writeNested } from "./write-fields.ts";
import { ZstdWriter } from "./zstd.ts";

/** Bodies below this are never compressed. */
const MIN_COMPRESSED_BYTES = 256;

type AnyBlock = NewBlock | LazyBlock;
type Prepared = { readonly typeId: number; readonly flags: number; readonly body: Uint8Array };

/** What there is in a payload, counted for whoever has to read it. */
export type PayloadTotals = {
  blocks: number;
  /** Of what has been taken: all of it as it is before the payload is compressed as a whole. */
  plainBytes: number;
  /** The bodies that were compressed, before they were. */
  packedBytes: number;
  /** The bodies that references stand for. */
  referencedBytes: number;
};

/** Blocks in, frames out. */
export class PayloadWriter {
  private readonly writer = new Writer();
  private readonly scratch = new BackWriter();
  private readonly options: EncodeOptions;
  readonly totals: PayloadTotals = { blocks: 0, plainBytes: 0, packedBytes: 0, referencedBytes: 0 };
  /** The block of which `scratch` has what is nested in it already. */
  private begun: AnyBlock | undefined;

  constructor(options: EncodeOptions) {
    this.options = options;
    this.writer.bytes(headerBytes(0));
  }

  /** Whether this block is to be compressed: then it is for `addPacked`. */
  packs(block: AnyBlock): boolean {
    const { compressPayload, compressBlocks } = this.options;
    return !compressPayload && (compressBlocks === true || block.compress === true);
  }

  /**
   * Writes what is nested in a block ahead of the rest, in steps; `add` or `addPacked` of the same block comes next. Undefined
   * where that is not worth it.
   */
  nestedSteps(block: AnyBlock): Steps<void> | undefined {
    const [field] = tableByType(block.type)?.lists ?? [];
    const records: unknown = field && Reflect.get(block, field.key);
    return field && records instanceof NestedRecords ? this.writeAhead(block, field, records) : undefined;
  }

  add(block: AnyBlock): void {
    const { typeId, flags, body } = this.prepare(block);
    writeFrame(this.writer, typeId, flags, body);
  }

  async addPacked(block: AnyBlock): Promise<void> {
    const { typeId, flags, body } = this.prepare(block);
    const packed = flags & IS_REFERENCE ? undefined : await smaller(body);
    if (!packed) return writeFrame(this.writer, typeId, flags, body);
    this.totals.packedBytes += body.length;
    writeFrameHead(this.writer, typeId, flags | COMPRESSED, packed.bytes);
    for (const piece of packed.pieces) this.writer.bytes(piece);
  }

  /** What has been written since the last call, as far as it fills whole pieces. They are the caller's. */
  take(): readonly Uint8Array[] {
    return this.counted(this.writer.take());
  }

  /** What is left. Nothing can be added any more. */
  end(): readonly Uint8Array[] {
    if (this.totals.blocks === 0) throw new EncodeError("EmptyPayload", "no blocks have been added to the encoder");
    writeEnd(this.writer);
    return this.counted(this.writer.pieces());
  }

  private counted(pieces: readonly Uint8Array[]): readonly Uint8Array[] {
    for (const piece of pieces) this.totals.plainBytes += piece.length;
    return pieces;
  }

  private *writeAhead(block: AnyBlock, field: NamedField, records: NestedRecords): Steps<void> {
    this.scratch.clear();
    yield* writeNested(this.scratch, field, records, this.treeDepth);
    this.begun = block;
  }

  private get treeDepth(): number {
    return this.options.treeDepth ?? DEFAULT_LIMITS.treeDepth;
  }

  // The body to store: itself, or its hash. Valid until the next call.
  private prepare(block: AnyBlock): Prepared {
    const { scratch, totals } = this;
    totals.blocks++;
    const isBegun = this.begun === block;
    this.begun = undefined;
    if (!isBegun) scratch.clear();
    const typeId = writeBody(scratch, isBegun ? withoutNested(block) : block, this.treeDepth);
    const body = scratch.view();
    const flags = block.summary === undefined ? 0 : HAS_SUMMARY;
    if (body.length > MAX_BODY_BYTES) {
      const message = `block body exceeds maximum size (${body.length} bytes, limit ${MAX_BODY_BYTES})`;
      throw new EncodeError("BlockTooLarge", message);
    }
    const hash = this.reference(block, body);
    if (!hash) return { typeId, flags, body };
    totals.referencedBytes += body.length;
    return { typeId, flags: flags | IS_REFERENCE, body: hash };
  }

  private reference(block: AnyBlock, body: Uint8Array): Uint8Array | undefined {
    const { store, dedup } = this.options;
    if (!store) return undefined;
    if (block.address) return store.put(body);
    if (!dedup) return undefined;
    const hash = blake3(body);
    if (store.has(hash)) return hash;
    store.put(body, hash);
    return undefined;
  }
}

// Leaves the plain body, summary and fields, in `scratch` and returns the block's number.
function writeBody(scratch: BackWriter, block: AnyBlock, treeDepth: number): number {
  let typeId: number;
  if (block.type === "unknown") {
    typeId = block.typeId;
    if (!isUnknownType(typeId)) throw new EncodeError("InvalidValue", `${typeId} is not the number of an unknown type`);
    scratch.bytes(block.body);
  } else {
    const table = tableByType(block.type);
    if (!table) throw new EncodeError("InvalidValue", `there is no block type ${JSON.stringify(block.type)}`);
    typeId = table.typeId;
    writeFields(scratch, table, block.type === "code" ? withWholeRange(block) : block, treeDepth);
  }
  if (block.summary !== undefined) scratch.varint(scratch.text(block.summary));
  return typeId;
}

function withoutNested(block: AnyBlock): AnyBlock {
  const lists = tableByType(block.type)?.lists ?? [];
  return { ...block, ...Object.fromEntries(lists.map(({ key }) => [key, []])) };
}

// Half a line range is none.
function withWholeRange<B extends { readonly lineStart?: number; readonly lineEnd?: number }>(block: B): B {
  if ((block.lineStart === undefined) === (block.lineEnd === undefined)) return block;
  const { lineStart: _start, lineEnd: _end, ...rest } = block;
  return rest as B;
}

function isUnknownType(typeId: number): boolean {
  return Number.isInteger(typeId) && typeId >= 0 && typeId < END_TYPE && !tableById(typeId);
}

type Packed = { readonly pieces: readonly Uint8Array[]; readonly bytes: number };

async function smaller(plain: Uint8Array): Promise<Packed | undefined> {
  if (plain.length < MIN_COMPRESSED_BYTES) return undefined;
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const zstd = new ZstdWriter((piece) => {
    pieces.push(piece);
    bytes += piece.length;
  });
  await zstd.end(plain);
  return bytes < plain.length ? { pieces, bytes } : undefined;
}

export class PayloadPacker {
  private readonly zstd: ZstdWriter;
  private plainBytes = 0;
  private packedBytes = 0;

  constructor(send: (packed: Uint8Array) => void) {
    send(headerBytes(PAYLOAD_COMPRESSED));
    this.zstd = new ZstdWriter((packed) => {
      this.packedBytes += packed.length;
      send(packed);
    });
  }

  /** The first piece begins with the header of the plain payload, which is at least that long. */
  async write(piece: Uint8Array): Promise<void> {
    const frames = this.plainBytes === 0 ? piece.subarray(HEADER_BYTES) : piece;
    this.plainBytes += frames.length;
    await this.zstd.write(frames);
  }

  /** Whether it has become smaller: otherwise it is not used. */
  async end(): Promise<boolean> {
    await this.zstd.end();
    return this.packedBytes < this.plainBytes;
  }
}
