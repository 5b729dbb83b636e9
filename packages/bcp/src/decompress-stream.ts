// A zstd area that arrives in pieces → what is in it, piece by piece, never more than a few blocks at a time.

import type { Transform } from "node:stream";
import type { ByteQueue } from "./byte-queue.ts";
import { joined } from "./byte-writer.ts";
import { bomb, failed, MAX_WINDOW_BYTES, windowTooLarge } from "./decompress.ts";
import { GarbageCollection } from "./garbage-collection.ts";
import {
  blockHeader,
  frameHeaderBytes,
  frameWindow,
  hasChecksum,
  isFrame,
  isSkippable,
  MAX_BLOCK_BYTES,
  maxFrames,
} from "./zstd-frames.ts";
import { zstd } from "./zstd.ts";

const SKIP_BYTES = 64 * 1024;

/** `offset` is where the area starts in the file. More than `limit` bytes in total are refused as a bomb. */
export async function* decompressStream(
  packed: ByteQueue,
  limit: number,
  offset: number,
): AsyncGenerator<Uint8Array, void> {
  let total = 0;
  const garbage = new GarbageCollection();
  for (let frames = 1; ; frames++) {
    // So many for what has come so far.
    if (frames > maxFrames(packed.position - offset)) throw failed("too many tiny frames", packed.position);
    for await (const chunk of nextFrame(packed)) {
      total += chunk.length;
      if (total > limit) throw bomb(limit, offset);
      yield chunk;
      garbage.add(chunk.length);
    }
    if (packed.buffered.length === 0 && !(await packed.more())) return;
  }
}

async function* nextFrame(packed: ByteQueue): AsyncGenerator<Uint8Array, void> {
  const start = packed.position;
  const magicBytes = await take(packed, 4, start);
  const magic = new DataView(magicBytes.buffer).getUint32(0, true);
  if (isSkippable(magic)) return skipFrame(packed, start);
  if (!isFrame(magic)) throw failed("Unknown frame descriptor", start);
  const descriptor = await take(packed, 1, start);
  const header = await take(packed, frameHeaderBytes(descriptor[0] ?? 0) - 5, start);
  const windowBytes = frameWindow(joined([magicBytes, descriptor, header]));
  const decoder = new FrameDecoder(start);
  try {
    for (const part of [magicBytes, descriptor, header]) await decoder.write(part);
    for (let last = false; !last;) {
      if (Math.min(windowBytes, decoder.unpackedBytes) > MAX_WINDOW_BYTES) throw windowTooLarge(windowBytes, start);
      const word = await take(packed, 3, start);
      const block = blockHeader((word[0] ?? 0) | ((word[1] ?? 0) << 8) | ((word[2] ?? 0) << 16));
      if (!block) throw failed("Data corruption detected", packed.position - 3);
      await decoder.write(word);
      await decoder.write(await take(packed, block.stored, start));
      yield* decoder.output();
      ({ last } = block);
    }
    if (hasChecksum(descriptor[0] ?? 0)) await decoder.write(await take(packed, 4, start));
    await decoder.end();
    yield* decoder.output();
  } finally {
    decoder.destroy();
  }
}

async function skipFrame(packed: ByteQueue, start: number): Promise<void> {
  const size = await take(packed, 4, start);
  for (let left = new DataView(size.buffer).getUint32(0, true); left > 0; left -= Math.min(left, SKIP_BYTES)) {
    await take(packed, Math.min(left, SKIP_BYTES), start);
  }
}

async function take(packed: ByteQueue, length: number, start: number): Promise<Uint8Array> {
  const bytes = await packed.take(length);
  if (!bytes) throw failed("incomplete frame", start);
  return bytes;
}

// One frame through zlib. It gets exactly the bytes of the frame, since zlib is silent about cut and surplus input.
class FrameDecoder {
  private readonly stream: Transform = zstd().createZstdDecompress({ chunkSize: MAX_BLOCK_BYTES });
  private readonly start: number;
  private readonly broken: Promise<never>;
  private chunks: Uint8Array[] = [];
  unpackedBytes = 0;

  constructor(start: number) {
    this.start = start;
    this.stream.on("data", (chunk: Uint8Array) => {
      this.chunks.push(chunk);
      this.unpackedBytes += chunk.length;
    });
    this.broken = new Promise((_, reject) => {
      this.stream.on("error", (error: Error) => reject(failed(error.message, this.start, error)));
    });
    // It is raced against below; on its own it must not count as unhandled.
    this.broken.catch(() => undefined);
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    const written = new Promise<void>((resolve, reject) => {
      this.stream.write(bytes, (error) => (error ? reject(failed(error.message, this.start, error)) : resolve()));
    });
    await Promise.race([written, this.broken]);
  }

  async end(): Promise<void> {
    const ended = new Promise<void>((resolve) => this.stream.on("end", resolve));
    this.stream.end();
    await Promise.race([ended, this.broken]);
  }

  output(): Uint8Array[] {
    const chunks = this.chunks;
    this.chunks = [];
    return chunks;
  }

  destroy(): void {
    this.stream.destroy();
  }
}
