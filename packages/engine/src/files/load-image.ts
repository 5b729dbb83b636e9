// Images by their magic bytes, never by their name, and loaded whole as base64.
import { EngineError } from "../engine-error.ts";
import type { OpenFile } from "./open-file.ts";
import { readWhole } from "./read-whole.ts";

export type ImageType = "image/png" | "image/jpeg" | "image/gif" | "image/webp" | "image/bmp" | "image/x-icon";

/** What any of them starts with. */
const FIRST_BYTES = [0x89, 0xff, 0x47, 0x52, 0x42, 0x00];

export type LoadedImage = { readonly base64: string; readonly bytes: number };

/** The image type of a file that starts like this, or undefined. `size` 0 means unknown. */
export function sniffImage(head: Uint8Array, size: number): ImageType | undefined {
  if (!FIRST_BYTES.includes(head[0] ?? -1)) return undefined; // nearly every file
  const ascii = (from: number, to: number) => String.fromCharCode(...head.subarray(from, to));
  if (startsWith(head, [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])) return "image/png";
  if (startsWith(head, [0xff, 0xd8, 0xff])) return "image/jpeg";
  if (ascii(0, 6) === "GIF87a" || ascii(0, 6) === "GIF89a") return "image/gif";
  if (ascii(0, 4) === "RIFF" && ascii(8, 14) === "WEBPVP") return "image/webp";
  if (ascii(0, 2) === "BM" && isBitmap(head, size)) return "image/bmp";
  if (isIcon(head)) return "image/x-icon";
  return undefined;
}

/**
 * `maxBase64Bytes` is what the client takes: base64 makes four bytes of three, so a file within its own limit can still be
 * too much on the wire.
 */
export async function loadImage(
  file: OpenFile,
  limits: { readonly maxBytes: number; readonly maxBase64Bytes?: number; readonly signal?: AbortSignal },
): Promise<LoadedImage> {
  const content = await readWhole(file, limits);
  const encoded = 4 * Math.ceil(content.length / 3);
  if (limits.maxBase64Bytes !== undefined && encoded > limits.maxBase64Bytes) {
    const maxBytes = Math.floor(limits.maxBase64Bytes / 4) * 3;
    throw new EngineError("TOO_LARGE", `${file.shown} is too large to be sent as an image`, {
      path: file.path,
      requested: file.shown,
      what: "file",
      bytes: content.length,
      maxBytes,
    });
  }
  return { base64: content.toString("base64"), bytes: content.length };
}

/** "BM" also begins many a text: the header behind it must make sense. */
function isBitmap(head: Uint8Array, size: number): boolean {
  if (head.length < 26) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  const headerSize = view.getUint32(14, true);
  const pixelOffset = view.getUint32(10, true);
  return (
    view.getUint32(6, true) === 0 && // reserved
    [12, 16, 40, 52, 56, 64, 108, 124].includes(headerSize) &&
    pixelOffset >= 14 + headerSize &&
    (size === 0 || pixelOffset < size)
  );
}

/** Icon (1) or cursor (2) with at least one picture. */
function isIcon(head: Uint8Array): boolean {
  const kind = startsWith(head, [0, 0, 1, 0]) || startsWith(head, [0, 0, 2, 0]);
  return kind && head.length >= 6 && ((head[4] ?? 0) | (head[5] ?? 0)) !== 0;
}

function startsWith(head: Uint8Array, magic: readonly number[]): boolean {
  return magic.every((byte, i) => head[i] === byte);
}
