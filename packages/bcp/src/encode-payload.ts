// Blocks → payload, all at once.

import { EncodeError } from "./bcp-errors.ts";
import type { Block } from "./block-types.ts";
import { joined } from "./byte-writer.ts";
import type { ContentStore } from "./content-store.ts";
import { PayloadPacker, PayloadWriter } from "./payload-writer.ts";

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
  requireStore(blocks, options);
  const payload = new PayloadWriter(options);
  for (const block of blocks) {
    // Waiting for what is there already takes as long as a small block.
    if (payload.packs(block)) await payload.addPacked(block);
    else payload.add(block);
  }
  const plain = payload.end();
  return joined(options.compressPayload ? await smaller(plain) : plain);
}

/** Writes a payload without compression, at once. A block's own wish to be compressed is not heard. */
export function encodePlain(blocks: readonly NewBlock[], options: PlainOptions = {}): Uint8Array {
  requireStore(blocks, options);
  const payload = new PayloadWriter(options);
  for (const block of blocks) payload.add(block);
  return joined(payload.end());
}

async function smaller(plain: readonly Uint8Array[]): Promise<readonly Uint8Array[]> {
  const packed: Uint8Array[] = [];
  const packer = new PayloadPacker((piece) => packed.push(piece));
  for (const piece of plain) await packer.write(piece);
  return (await packer.end()) ? packed : plain;
}

// Told before anything is written.
function requireStore(blocks: readonly NewBlock[], { store, dedup }: PlainOptions): void {
  if (store || blocks.length === 0 || !(dedup || blocks.some(({ address }) => address))) return;
  const message = "content addressing requires a content store (call set_content_store first)";
  throw new EncodeError("MissingContentStore", message);
}
