// A whole file into memory, up to a cap that holds even when the file lies about its size or grows meanwhile.
import { EngineError } from "../engine-error.ts";
import { TimeSlices } from "../time-slices.ts";
import { CHUNK_BYTES } from "./read-buffer.ts";
import type { OpenFile } from "./open-file.ts";

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const lenient = new TextDecoder("utf-8", { ignoreBOM: true });

export type WholeLimits = { readonly maxBytes: number; readonly signal?: AbortSignal };

/** All bytes, or TOO_LARGE: never a silent cut. */
export async function readWhole(file: OpenFile, limits: WholeLimits): Promise<Buffer> {
  const { maxBytes } = limits;
  if (file.size > maxBytes) throw tooLarge(file, file.size, maxBytes);
  const slices = new TimeSlices(limits.signal);
  // Pieces: the size is a hint only, and one spare byte shows whether the file has grown.
  const pieces: Buffer[] = [];
  let total = 0;
  let next = Math.min(file.size + 1, maxBytes + 1);
  for (;;) {
    const piece = await readPiece(file, total, next, slices);
    total += piece.length;
    if (total > maxBytes) throw tooLarge(file, total, maxBytes);
    pieces.push(piece);
    if (piece.length < next) break;
    next = Math.min(CHUNK_BYTES, maxBytes + 1 - total);
  }
  const [only] = pieces;
  return pieces.length === 1 && only !== undefined ? only : Buffer.concat(pieces, total);
}

/** Text of bytes: invalid UTF-8 becomes U+FFFD and is reported. A byte-order mark stays, as U+FEFF. */
export function decodeText(bytes: Uint8Array): { text: string; lossy: boolean } {
  try {
    return { text: strict.decode(bytes), lossy: false };
  } catch {
    // The strict decoder refuses what is not UTF-8.
    return { text: lenient.decode(bytes), lossy: true };
  }
}

export function tooLarge(file: { path: string; shown: string }, bytes: number, maxBytes: number): EngineError {
  return new EngineError("TOO_LARGE", `${file.shown} is ${bytes} bytes, exceeds maximum ${maxBytes} bytes`, {
    path: file.path,
    requested: file.shown,
    what: "file",
    bytes,
    maxBytes,
  });
}

async function readPiece(file: OpenFile, position: number, length: number, slices: TimeSlices): Promise<Buffer> {
  const into = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  while (filled < length) {
    const got = file.readAt(position + filled, into.subarray(filled, Math.min(length, filled + CHUNK_BYTES)));
    if (got === 0) break;
    filled += got;
    if (slices.due) await slices.pause();
    slices.check();
  }
  return into.subarray(0, filled);
}
