// A payload whose blocks together are too large to hold, though each of them is not: decoded anew each time it is walked.

import type { Block } from "../blocks/all.ts";
import { referencedHashes, walkStream } from "../decode-stream.ts";
import type { StreamEvent, StreamOptions } from "../decode-stream.ts";
import type { Header } from "../header.ts";
import { MAX_PAYLOAD_BYTES } from "../limits.ts";

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
/** What commands keep of a block while they walk: its weight, its line in a report. */
const BYTES_PER_BLOCK = 200;
const FREE_BLOCKS = 80_000;
const KEPT_BYTES = 8 * MIB;
const COLLECT_BYTES = 4 * MIB;
const REFERENCED_BYTES = 128 * MIB;

export type Walked = {
  readonly header: Header;
  readonly blockCount: number;
  readonly trailingBytes: number;
  /** All of them are known to be whole. Each call begins anew. */
  blocks(): Iterable<Block> | AsyncIterable<Block>;
};

/** Walks all of it once: what comes back is whole. */
export async function walkPiecewise(payload: Uint8Array, options: StreamOptions): Promise<Walked> {
  const ours = { keptBytes: KEPT_BYTES, unpackedBytes: MAX_PAYLOAD_BYTES, referencedBytes: REFERENCED_BYTES };
  const limits = { ...ours, ...options.limits };
  const maxBlocks = FREE_BLOCKS + Math.floor(payload.length / BYTES_PER_BLOCK);
  const wanted = await referencedHashes(piecesOf(payload), { limits, maxBlocks });
  const events = () => collecting(walkStream(piecesOf(payload), { ...options, limits, maxBlocks, wanted }));
  let header: Header | undefined;
  for await (const event of events()) {
    if (event.kind === "header") ({ header } = event);
    if (event.kind !== "end" || !header) continue;
    const { blocks: blockCount, trailingBytes = 0 } = event;
    return { header, blockCount, trailingBytes, blocks: () => blocksOf(events()) };
  }
  throw new TypeError("a stream that neither failed nor ended");
}

// Buffers that nobody needs any more are freed late: the collector does not see how much hangs on them.
async function* collecting(events: Events): Events {
  let passed = 0;
  for await (const event of events) {
    yield event;
    if (event.kind === "block") passed += event.bodyBytes;
    if (passed < COLLECT_BYTES) continue;
    passed = 0;
    if (typeof Bun === "object") Bun.gc(true);
  }
}

type Events = AsyncGenerator<StreamEvent, void>;

async function* blocksOf(events: Events): AsyncGenerator<Block> {
  for await (const event of events) if (event.kind === "block") yield event.block;
}

function* piecesOf(payload: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += PIECE_BYTES) yield payload.subarray(at, at + PIECE_BYTES);
}
