// Blocks → payload (FORMAT.md, "Bodies" and "Compression").

import { tableById, tableByType } from "./blocks/all.ts";
import type { Block } from "./blocks/all.ts";
import { compress } from "./compress.ts";
import { blake3 } from "./blake3.ts";
import type { ContentStore } from "./content-store.ts";
import { EncodeError } from "./failure.ts";
import { COMPRESSED, END_TYPE, HAS_SUMMARY, IS_REFERENCE, writeEnd, writeFrame } from "./frame.ts";
import { headerBytes, HEADER_BYTES, PAYLOAD_COMPRESSED } from "./header.ts";
import { DEFAULT_LIMITS, MAX_BODY_BYTES } from "./limits.ts";
import { writeFields } from "./write-fields.ts";
import { BackWriter, Writer } from "./writer.ts";

/** Bodies below this are never compressed. */
const MIN_COMPRESSED_BYTES = 256;

/** A block to write. A decoded block is one: its `flags` are not looked at. */
export type NewBlock = Draft<Block>;

type Draft<B extends Block> = B extends Block ? Omit<B, "flags"> & { readonly flags?: number } & BlockWishes : never;

export type BlockWishes = {
  /** Compress this block, if it is large enough and gets smaller. */
  readonly compress?: boolean;
  /** Put this block's body into the store and write only its hash. */
  readonly address?: boolean;
};

export type PlainOptions = {
  readonly store?: ContentStore;
  /** Write a body that the store already has as a reference; put every other one into it. */
  readonly dedup?: boolean;
  /** How deep a file tree may be nested; more than the default is more than `decode` reads by default. */
  readonly treeDepth?: number;
};

export type EncodeOptions = PlainOptions & {
  /** Compress every block that is large enough and gets smaller. */
  readonly compressBlocks?: boolean;
  /** Compress everything after the header as one, if it gets smaller. Wins over `compressBlocks`. */
  readonly compressPayload?: boolean;
};

/** Writes a payload. Asynchronous because only zlib's streams write the bytes that the reference writes. */
export async function encode(blocks: readonly NewBlock[], options: EncodeOptions = {}): Promise<Uint8Array> {
  const wanted = options.compressPayload ? () => false : (block: NewBlock) => options.compressBlocks || block.compress;
  const frames = new FrameWriter(blocks, options);
  for (const block of blocks) {
    const { typeId, flags, body } = frames.prepare(block);
    const packed = wanted(block) && !(flags & IS_REFERENCE) ? await smaller(body, MIN_COMPRESSED_BYTES) : undefined;
    frames.write(typeId, packed ? flags | COMPRESSED : flags, packed ?? body);
  }
  const plain = frames.finish();
  const packed = options.compressPayload ? await smaller(plain.subarray(HEADER_BYTES), 0) : undefined;
  if (!packed) return plain;
  const payload = new Uint8Array(HEADER_BYTES + packed.length);
  payload.set(headerBytes(PAYLOAD_COMPRESSED));
  payload.set(packed, HEADER_BYTES);
  return payload;
}

/** Writes a payload without compression, at once. A block's own wish to be compressed is not heard. */
export function encodePlain(blocks: readonly NewBlock[], options: PlainOptions = {}): Uint8Array {
  const frames = new FrameWriter(blocks, options);
  for (const block of blocks) {
    const { typeId, flags, body } = frames.prepare(block);
    frames.write(typeId, flags, body);
  }
  return frames.finish();
}

type Prepared = { readonly typeId: number; readonly flags: number; readonly body: Uint8Array };

class FrameWriter {
  private readonly writer = new Writer();
  private readonly scratch = new BackWriter();
  private readonly options: PlainOptions;

  constructor(blocks: readonly NewBlock[], options: PlainOptions) {
    this.options = options;
    if (blocks.length === 0) throw new EncodeError("EmptyPayload", "no blocks have been added to the encoder");
    if (!options.store && (options.dedup || blocks.some(({ address }) => address))) {
      const message = "content addressing requires a content store (call set_content_store first)";
      throw new EncodeError("MissingContentStore", message);
    }
    this.writer.bytes(headerBytes(0));
  }

  /** The body to store: itself, or its hash. Valid until the next call. */
  prepare(block: NewBlock): Prepared {
    const { scratch, options } = this;
    const typeId = writeBody(scratch, block, options.treeDepth ?? DEFAULT_LIMITS.treeDepth);
    const body = scratch.view();
    const flags = block.summary === undefined ? 0 : HAS_SUMMARY;
    if (body.length > MAX_BODY_BYTES) {
      const message = `block body exceeds maximum size (${body.length} bytes, limit ${MAX_BODY_BYTES})`;
      throw new EncodeError("BlockTooLarge", message);
    }
    const hash = this.reference(block, body);
    return hash ? { typeId, flags: flags | IS_REFERENCE, body: hash } : { typeId, flags, body };
  }

  write(typeId: number, flags: number, body: Uint8Array): void {
    writeFrame(this.writer, typeId, flags, body);
  }

  finish(): Uint8Array {
    writeEnd(this.writer);
    return this.writer.view().slice();
  }

  private reference(block: NewBlock, body: Uint8Array): Uint8Array | undefined {
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
function writeBody(scratch: BackWriter, block: NewBlock, treeDepth: number): number {
  scratch.clear();
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

type CodeDraft = Extract<NewBlock, { type: "code" }>;

// Half a line range is none.
function withWholeRange(block: CodeDraft): CodeDraft {
  if ((block.lineStart === undefined) === (block.lineEnd === undefined)) return block;
  const { lineStart: _start, lineEnd: _end, ...rest } = block;
  return rest;
}

function isUnknownType(typeId: number): boolean {
  return Number.isInteger(typeId) && typeId >= 0 && typeId < END_TYPE && !tableById(typeId);
}

async function smaller(plain: Uint8Array, atLeast: number): Promise<Uint8Array | undefined> {
  if (plain.length < atLeast) return undefined;
  const packed = await compress(plain);
  return packed.length < plain.length ? packed : undefined;
}
