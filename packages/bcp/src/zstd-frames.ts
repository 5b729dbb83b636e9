// Where each zstd frame of a compressed area begins and ends, from the frame and block headers alone (RFC 8878 §3.1).
//
// The runtimes cannot be trusted with this: Bun returns nothing for a cut frame and says nothing, both ignore garbage
// behind a frame, and Node stops after the first of several. So we walk the frames and hand over one whole one at a time.

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50; // and the fifteen after it
export const MAX_BLOCK_BYTES = 128 * 1024;
const SINGLE_SEGMENT = 0x20;
const DICTIONARY_ID_BYTES = [0, 1, 2, 4] as const;
const CONTENT_SIZE_BYTES = [0, 2, 4, 8] as const;

// Each frame is unpacked on its own: a million of nine bytes would take minutes, and many times their size in objects.
// Compressors that work in parallel write one per megabyte or so.
const FREE_FRAMES = 1000;
const BYTES_PER_FRAME = 4096;

/** How many frames an area of this size may have. */
export function maxFrames(areaBytes: number): number {
  return FREE_FRAMES + Math.floor(areaBytes / BYTES_PER_FRAME);
}

export type ZstdFrame = {
  readonly start: number;
  readonly end: number;
  /** No frame of these blocks can become larger than this. */
  readonly maxContent: number;
  /** How far back it may refer: so much of what came out is held while it is unpacked. */
  readonly windowBytes: number;
  readonly blocks: number;
};

export type ZstdScan =
  | { readonly kind: "frames"; readonly frames: readonly ZstdFrame[] }
  | { readonly kind: "broken"; readonly at: number; readonly problem: string };

/** All frames of `area`; skippable ones are left out. */
export function scanZstd(area: Uint8Array): ZstdScan {
  const frames: ZstdFrame[] = [];
  let at = 0;
  do {
    const step = frameAt(area, at);
    if (step.kind === "need" || step.kind === "broken") {
      const problem = step.kind === "need" ? "incomplete frame" : step.problem;
      return { kind: "broken", at, problem };
    }
    if (step.kind === "frame") frames.push({ ...step, start: at });
    if (frames.length > maxFrames(area.length)) return { kind: "broken", at, problem: "too many tiny frames" };
    at = step.end;
  } while (at < area.length);
  return { kind: "frames", frames };
}

export type FrameStep =
  | {
      readonly kind: "frame";
      readonly end: number;
      readonly maxContent: number;
      readonly windowBytes: number;
      readonly blocks: number;
    }
  | { readonly kind: "skippable"; readonly end: number }
  | { readonly kind: "need" } // more bytes than there are
  | { readonly kind: "broken"; readonly problem: string };

function frameAt(area: Uint8Array, at: number): FrameStep {
  const view = new DataView(area.buffer, area.byteOffset, area.byteLength);
  const has = (end: number): boolean => end <= area.length;
  if (!has(at + 4)) return looksCut(area, at) ? { kind: "need" } : unknownFrame();
  const magic = view.getUint32(at, true);
  if (isSkippable(magic)) {
    if (!has(at + 8)) return { kind: "need" };
    const end = at + 8 + view.getUint32(at + 4, true);
    return has(end) ? { kind: "skippable", end } : { kind: "need" };
  }
  if (magic !== FRAME_MAGIC) return unknownFrame();
  if (!has(at + 5)) return { kind: "need" };
  const descriptor = view.getUint8(at + 4);
  const headerBytes = frameHeaderBytes(descriptor);
  if (!has(at + headerBytes)) return { kind: "need" };
  const windowBytes = frameWindow(area.subarray(at, at + headerBytes));
  let pos = at + headerBytes;
  let maxContent = 0;
  for (let blocks = 1; ; blocks++) {
    if (!has(pos + 3)) return { kind: "need" };
    const header = blockHeader(view.getUint16(pos, true) | (view.getUint8(pos + 2) << 16));
    if (!header) return { kind: "broken", problem: "Data corruption detected" };
    pos += 3 + header.stored;
    maxContent += header.maxContent;
    if (!has(pos)) return { kind: "need" };
    if (!header.last) continue;
    const end = pos + (hasChecksum(descriptor) ? 4 : 0);
    return has(end) ? { kind: "frame", end, maxContent, windowBytes, blocks } : { kind: "need" };
  }
}

export type BlockHeader = { readonly last: boolean; readonly stored: number; readonly maxContent: number };

/** What a block's three bytes say, or undefined for the reserved block type. */
export function blockHeader(word: number): BlockHeader | undefined {
  const last = (word & 1) === 1;
  const size = word >>> 3;
  switch ((word >>> 1) & 3) {
    case 0:
      return { last, stored: size, maxContent: size };
    case 1:
      return { last, stored: 1, maxContent: size };
    case 2:
      return { last, stored: size, maxContent: MAX_BLOCK_BYTES };
    default:
      return undefined;
  }
}

/** Bytes of a frame before its first block, from its descriptor. */
export function frameHeaderBytes(descriptor: number): number {
  const singleSegment = (descriptor & SINGLE_SEGMENT) !== 0;
  const contentSize = CONTENT_SIZE_BYTES[descriptor >>> 6] ?? 0;
  const dictionaryId = DICTIONARY_ID_BYTES[descriptor & 3] ?? 0;
  return 5 + dictionaryId + (singleSegment ? Math.max(1, contentSize) : 1 + contentSize);
}

/** The window that a whole frame header declares; where it is all in one segment, that is the content. */
export function frameWindow(header: Uint8Array): number {
  const descriptor = header[4] ?? 0;
  if ((descriptor & SINGLE_SEGMENT) === 0) {
    const window = header[5] ?? 0;
    const base = 2 ** (10 + (window >>> 3));
    return base + (base / 8) * (window & 7);
  }
  // The size stands last. In two bytes it counts from 256, the only one of them that does.
  const bytes = Math.max(1, CONTENT_SIZE_BYTES[descriptor >>> 6] ?? 0);
  let size = bytes === 2 ? 256 : 0;
  for (let i = 0; i < bytes; i++) size += (header[header.length - bytes + i] ?? 0) * 256 ** i;
  return size;
}

export function hasChecksum(descriptor: number): boolean {
  return (descriptor & 0x04) !== 0;
}

export function isSkippable(magic: number): boolean {
  return (magic & 0xfffffff0) >>> 0 === SKIPPABLE_MAGIC;
}

export function isFrame(magic: number): boolean {
  return magic === FRAME_MAGIC;
}

function unknownFrame(): FrameStep {
  return { kind: "broken", problem: "Unknown frame descriptor" };
}

// Fewer than four bytes: a cut frame if they could begin one, garbage otherwise.
function looksCut(area: Uint8Array, at: number): boolean {
  const rest = [...area.subarray(at)];
  const begins = (magic: readonly number[]): boolean => rest.every((byte, i) => byte === magic[i]);
  const skippable = rest.length === 0 || ((rest[0] ?? 0) & 0xf0) === 0x50;
  return begins([0x28, 0xb5, 0x2f]) || (skippable && rest.slice(1).every((byte, i) => byte === [0x2a, 0x4d][i]));
}
