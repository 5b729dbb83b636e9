// Zstandard unpacked, with a cap on what comes out (FORMAT.md, "Compression").

import { DecodeError } from "./bcp-errors.ts";
import { joined } from "./byte-writer.ts";
import { MAX_BLOCK_BYTES, scanZstd } from "./zstd-frames.ts";
import type { ZstdFrame } from "./zstd-frames.ts";
import { zstd } from "./zstd.ts";

// A block of real data takes far more than this; 128 KiB of zeros take four.
const BOMB_BLOCK_BYTES = 512;
/** Held besides what comes out. The reference takes 2 MiB, zstd 8 MiB at the most unless told otherwise. */
export const MAX_WINDOW_BYTES = 8 * 1024 * 1024;
// The least that node:zlib takes.
const MIN_CHUNK_BYTES = 64;

/** All frames of `area`, one after the other. `offset` is where it lies in the file, for errors. */
export function decompress(area: Uint8Array, limit: number, offset: number): Uint8Array {
  const scan = scanZstd(area);
  if (scan.kind === "broken") throw failed(scan.problem, offset + scan.at);
  const { frames } = scan;
  const scale = new BombCheck();
  scale.add(area, frames);
  if (scale.isBomb(limit)) throw bomb(limit, offset);
  if (frames.length === 0) return new Uint8Array(0);
  const [only] = frames;
  if (only && frames.length === 1) return decompressFrame(area, only, limit, limit, offset);
  const parts: Uint8Array[] = [];
  let left = limit;
  for (const frame of frames) {
    const part = decompressFrame(area, frame, left, limit, offset);
    left -= part.length;
    parts.push(part);
  }
  return joined(parts);
}

export function failed(problem: string, offset: number, cause?: unknown): DecodeError {
  return new DecodeError("DecompressFailed", `zstd decompression failed: ${problem}`, { offset, cause });
}

/** Told where there is so much in it that the window would be filled. */
export function windowTooLarge(bytes: number, offset: number): DecodeError {
  const most = `${MAX_WINDOW_BYTES} (zstd up to level 19, without --long)`;
  return failed(`packed with a window of ${bytes} bytes, and no more than ${most} are read`, offset);
}

/** The size is a lower bound: decompression stops at the limit instead of finding out. */
export function bomb(limit: number, offset: number): DecodeError {
  return new DecodeError("DecompressionBomb", `decompressed size ${limit + 1} exceeds limit ${limit}`, { offset });
}

/** What zstd areas could become together, and whether they are packed as only a bomb is. Unpacks nothing. */
export class BombCheck {
  private most = 0;
  private blocks = 0;
  private stored = 0;

  add(area: Uint8Array, frames: readonly ZstdFrame[]): void {
    this.stored += area.length;
    for (const frame of frames) {
      // The last block of a frame may be far from full, so it does not count.
      this.most += frame.maxContent - MAX_BLOCK_BYTES;
      this.blocks += frame.blocks;
    }
  }

  /** Whether there could be more than so much in them. */
  couldExceed(limit: number): boolean {
    return this.most > limit;
  }

  isBomb(limit: number): boolean {
    return this.couldExceed(limit) && this.stored < this.blocks * BOMB_BLOCK_BYTES;
  }
}

function decompressFrame(area: Uint8Array, frame: ZstdFrame, left: number, limit: number, offset: number): Uint8Array {
  if (frame.maxContent === 0) return new Uint8Array(0);
  if (Math.min(frame.windowBytes, frame.maxContent) > MAX_WINDOW_BYTES) throw windowTooLarge(frame.windowBytes, offset);
  // Node refuses a cap of 0. One byte more than is left tells "full" from "over".
  const maxOutputLength = left + 1;
  try {
    // One chunk for all that can come out: in pieces, the runtime would hold everything twice to put them together.
    const chunkSize = Math.max(Math.min(frame.maxContent, maxOutputLength), MIN_CHUNK_BYTES);
    const plain = zstd().zstdDecompressSync(area.subarray(frame.start, frame.end), { maxOutputLength, chunkSize });
    if (plain.length > left) throw bomb(limit, offset);
    return new Uint8Array(plain.buffer, plain.byteOffset, plain.byteLength);
  } catch (error) {
    if (error instanceof DecodeError) throw error;
    if (codeOf(error) === "ERR_BUFFER_TOO_LARGE") throw bomb(limit, offset);
    throw failed(error instanceof Error ? error.message : String(error), offset + frame.start, error);
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
