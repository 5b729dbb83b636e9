// What a file was when somebody saw it, small enough to remember: to tell later whether its content is still that.
import type { BigIntStats } from "node:fs";
import { TimeSlices } from "../time-slices.ts";
import { CHUNK_BYTES, ReadBuffer } from "./read-buffer.ts";
import type { OpenFile } from "./open-file.ts";

/** Time stamps move in ticks: a file written this recently may be written again without its stamp changing. */
const UNSETTLED_MS = 100;

export type Fingerprint = {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
  /** Undefined when only part of the file was read. */
  readonly hash: bigint | undefined;
  /** Whether equal stamps prove equal content. */
  readonly settled: boolean;
};

/** From the stat taken *before* reading: a write during the read then shows as a difference. */
export function fingerprintFrom(stat: BigIntStats, hash: bigint | undefined): Fingerprint {
  const { dev, ino, size, mtimeNs, ctimeNs } = stat;
  const ageMs = Date.now() - Number(ctimeNs / 1_000_000n);
  return { dev, ino, size, mtimeNs, ctimeNs, hash, settled: ageMs > UNSETTLED_MS };
}

/** Hash of content in chunks of one fixed size, each seeded with the one before, so that it can stream. */
export class ContentHash {
  #value = 0n;

  /** Every call but the last must bring a full chunk. Nothing adds nothing: a reader may meet the end between chunks. */
  add(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#value = Bun.hash.xxHash3(chunk, this.#value);
  }

  get value(): bigint {
    return this.#value;
  }

  static of(content: Uint8Array): bigint {
    const hash = new ContentHash();
    for (let at = 0; at < content.length; at += CHUNK_BYTES) hash.add(content.subarray(at, at + CHUNK_BYTES));
    return hash.value;
  }
}

/** Whether the open file still has the content the fingerprint was taken of. Reads it only when the stamps differ. */
export async function hasSameContent(file: OpenFile, seen: Fingerprint, signal?: AbortSignal): Promise<boolean> {
  const { dev, ino, size, mtimeNs, ctimeNs } = file.stat;
  if (size !== seen.size) return false;
  const sameStamps = dev === seen.dev && ino === seen.ino && mtimeNs === seen.mtimeNs && ctimeNs === seen.ctimeNs;
  if (sameStamps && (seen.settled || seen.hash === undefined)) return true;
  return seen.hash !== undefined && (await hashOf(file, signal)) === seen.hash;
}

async function hashOf(file: OpenFile, signal: AbortSignal | undefined): Promise<bigint> {
  using chunk = new ReadBuffer();
  const slices = new TimeSlices(signal);
  const hash = new ContentHash();
  // No further than the size it has: a file that grows under us is already another file.
  for (let at = 0; at < file.size; at += CHUNK_BYTES) {
    const got = file.readAt(at, chunk.bytes);
    if (got === 0) break;
    hash.add(chunk.bytes.subarray(0, got));
    if (slices.due) await slices.pause();
    slices.check();
  }
  return hash.value;
}
