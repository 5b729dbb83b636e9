// A whole payload → its blocks. All or nothing: the first fault in any block fails the decode.

import type { Block } from "./block-types.ts";
import type { ContentStore } from "./content-store.ts";
import { DEFAULT_LIMITS, growthOf } from "./decode-limits.ts";
import type { Limits } from "./decode-limits.ts";
import type { Header } from "./header.ts";
import { MemoryLimit, noteMemoryLeft } from "./memory-limit.ts";
import { OpenPayload } from "./payload-reader.ts";

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
  const growth = growthOf(payload.length, limits);
  const opened = new OpenPayload(payload, growth.payloadBytes);
  const memory = new MemoryLimit(payload.length, limits.payloadBytes || limits.unpackedBytes ? "free" : "paid");
  if (opened.unpackedBytes > 0) memory.unpacked(opened.unpackedBytes);
  const inFile = options.references !== "store";
  const walk = opened.walk({ store: options.store, inFile, limits, growth }, true);
  const blocks: Block[] = [];
  for (let block = walk.next(() => memory); block; block = walk.next(() => memory)) blocks.push(block);
  const trailingBytes = walk.trailing(options.trailingData ?? "error");
  noteMemoryLeft(blocks, memory.unspent);
  return { header: opened.header, blocks, trailingBytes };
}
