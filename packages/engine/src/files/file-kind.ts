// What a file is, from its first bytes: image, SVG, binary or text.
import { sniffImage } from "./load-image.ts";
import type { ImageType } from "./load-image.ts";
import { SNIFF_BYTES } from "./open-file.ts";
import type { OpenFile } from "./open-file.ts";

export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be";

export type FileKind =
  | { readonly kind: "image"; readonly mimeType: ImageType }
  | { readonly kind: "svg" }
  | { readonly kind: "binary" }
  | { readonly kind: "text"; readonly encoding: TextEncoding; readonly bom: boolean };

/** Order of the contract: image by magic bytes, `.svg` by name, binary by NUL, else text. An empty file is text. */
export function kindOfFile(file: OpenFile): FileKind {
  const head = file.start;
  const mimeType = sniffImage(head, file.size);
  if (mimeType !== undefined) return { kind: "image", mimeType };
  if (head.length > 0 && /\.svg$/i.test(file.path)) return { kind: "svg" };
  // Two bytes of mark say how to read the NULs that follow.
  if (head[0] === 0xff && head[1] === 0xfe) return { kind: "text", encoding: "utf-16le", bom: true };
  if (head[0] === 0xfe && head[1] === 0xff) return { kind: "text", encoding: "utf-16be", bom: true };
  if (hasNul(head)) return { kind: "binary" };
  const bom = head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf;
  return { kind: "text", encoding: "utf-8", bom };
}

/** A NUL in the window makes a file binary. */
export function hasNul(start: Buffer): boolean {
  const at = start.indexOf(0);
  return at >= 0 && at < SNIFF_BYTES;
}
