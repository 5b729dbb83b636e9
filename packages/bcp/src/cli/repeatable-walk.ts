// The blocks of a payload, decoded anew each time they are walked through: what has been passed is not held.

import type { Block } from "../block-types.ts";
import { BodyBuffer } from "../byte-queue.ts";
import { pausesFor } from "../cooperative-work.ts";
import type { PauseIfDue } from "../cooperative-work.ts";
import { DEFAULT_LIMITS } from "../decode-limits.ts";
import type { Limits } from "../decode-limits.ts";
import type { DecodeOptions } from "../decode-payload.ts";
import { referencedHashes, walkStream } from "../decode-stream.ts";
import type { StreamEvent } from "../decode-stream.ts";
import { bomb, BombCheck } from "../decompress.ts";
import { GarbageCollection } from "../garbage-collection.ts";
import { HEADER_BYTES, PAYLOAD_COMPRESSED, readHeader } from "../header.ts";
import type { Header } from "../header.ts";
import { MemoryLimit } from "../memory-limit.ts";
import { OpenPayload } from "../payload-reader.ts";
import type { BlockWalk, WalkSettings } from "../payload-reader.ts";
import { scanZstd } from "../zstd-frames.ts";
import type { CommandLimits } from "./io.ts";
import { GROWTH_LIMITS, mostBlocks } from "./read-limits.ts";

const MIB = 1024 * 1024;
const PIECE_BYTES = 64 * 1024;
// What came out of a payload that is packed as a whole is kept up to here, and once more the input: else it is unpacked again.
const HELD_BYTES = 8 * MIB;
const KEPT_BYTES = 12 * MIB;

export type Walked = {
  readonly header: Header;
  readonly blockCount: number;
  readonly trailingBytes: number;
  /** All of them are known to be whole. Each call begins anew. */
  blocks(): AsyncGenerator<Block>;
  /** For what takes long about one of them. */
  readonly pauseIfDue: PauseIfDue;
};

export type WalkOptions = Required<Pick<DecodeOptions, "references" | "trailingData">> &
  Pick<DecodeOptions, "store"> & { readonly limits: CommandLimits; readonly signal?: AbortSignal };

/** Walks through all of it once: what comes back is whole. */
export async function walkPayload(payload: Uint8Array, options: WalkOptions): Promise<Walked> {
  const limits = { ...DEFAULT_LIMITS, ...GROWTH_LIMITS, ...options.limits };
  const maxBlocks = mostBlocks(options.limits, payload.length);
  return isHeld(payload, limits.payloadBytes)
    ? walkHeld(payload, options, limits, maxBlocks)
    : walkPieces(payload, options, limits, maxBlocks);
}

type OurLimits = Limits & typeof GROWTH_LIMITS;

// From the headers of what is packed alone. Throws if there could be more than `most`, packed as only a bomb is.
function isHeld(payload: Uint8Array, most: number): boolean {
  if ((readHeader(payload).flags & PAYLOAD_COMPRESSED) === 0) return true;
  const area = payload.subarray(HEADER_BYTES);
  const scan = scanZstd(area);
  // What is broken is reported when it is opened.
  if (scan.kind === "broken") return true;
  const scale = new BombCheck();
  scale.add(area, scan.frames);
  if (scale.isBomb(most)) throw bomb(most, HEADER_BYTES);
  return !scale.couldExceed(Math.min(HELD_BYTES + payload.length, most));
}

async function walkHeld(
  payload: Uint8Array,
  { store, references, trailingData, signal }: WalkOptions,
  limits: OurLimits,
  maxBlocks: number,
): Promise<Walked> {
  const pauseIfDue = pausesFor(signal);
  const opened = new OpenPayload(payload, limits.payloadBytes);
  const settings: WalkSettings = { store, inFile: references === "in-file", limits, growth: limits };
  const begin = (): BlockWalk => opened.walk(settings, false);
  const first = begin();
  let garbage = new GarbageCollection();
  for await (const _ of heldBlocks(first, garbage, pauseIfDue))
    if (first.count > maxBlocks) throw first.tooManyBlocks();
  const trailingBytes = first.trailing(trailingData);
  const blocks = (): AsyncGenerator<Block> => {
    garbage.end();
    garbage = new GarbageCollection();
    return heldBlocks(begin(), garbage, pauseIfDue);
  };
  return { header: opened.header, blockCount: first.count, trailingBytes, blocks, pauseIfDue };
}

async function* heldBlocks(walk: BlockWalk, garbage: GarbageCollection, pauseIfDue: PauseIfDue): AsyncGenerator<Block> {
  let memory = new MemoryLimit(0);
  const memoryFor = (storedBytes: number): MemoryLimit => (memory = new MemoryLimit(storedBytes, "free"));
  for (let unpacked = 0; ;) {
    let block = walk.next(memoryFor);
    if (!block) return;
    yield block;
    // Not held while it is collected.
    block = undefined;
    garbage.add(memory.spent + walk.unpackedBytes - unpacked);
    unpacked = walk.unpackedBytes;
    const pause = pauseIfDue();
    if (pause) await pause;
  }
}

async function walkPieces(
  payload: Uint8Array,
  { store, references, trailingData, signal }: WalkOptions,
  limits: OurLimits,
  maxBlocks: number,
): Promise<Walked> {
  const kept = { ...limits, keptBytes: KEPT_BYTES + payload.length };
  const wanted = await referencedHashes(piecesOf(payload), { limits: kept, maxBlocks });
  const scratch = new BodyBuffer(limits.storedBytes);
  const options = { ...(store ? { store } : {}), references, trailingData, limits: kept, maxBlocks, wanted, scratch };
  const events = (): AsyncGenerator<StreamEvent, void> => walkStream(piecesOf(payload), options);
  let header: Header | undefined;
  let garbage = new GarbageCollection();
  const pauseIfDue = pausesFor(signal);
  const blocks = (): AsyncGenerator<Block> => {
    const before = garbage;
    garbage = new GarbageCollection();
    return streamedBlocks(events(), before, garbage, pauseIfDue);
  };
  for await (const event of events()) {
    if (event.kind === "header") ({ header } = event);
    if (event.kind === "block") garbage.addForEnd(event.bodyBytes);
    const pause = pauseIfDue();
    if (pause) await pause;
    if (event.kind !== "end" || !header) continue;
    const { blocks: blockCount, trailingBytes = 0 } = event;
    return { header, blockCount, trailingBytes, blocks, pauseIfDue };
  }
  throw new TypeError("a stream that neither failed nor ended");
}

async function* streamedBlocks(
  events: AsyncGenerator<StreamEvent, void>,
  before: GarbageCollection,
  garbage: GarbageCollection,
  pauseIfDue: PauseIfDue,
): AsyncGenerator<Block> {
  // Behind a wait nothing holds the last block of the walk before any more.
  await Promise.resolve();
  before.end();
  for await (const event of events) {
    if (event.kind !== "block") continue;
    yield event.block;
    garbage.addForEnd(event.bodyBytes);
    const pause = pauseIfDue();
    if (pause) await pause;
  }
}

function* piecesOf(payload: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += PIECE_BYTES) yield payload.subarray(at, at + PIECE_BYTES);
}
