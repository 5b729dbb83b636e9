// The data of an image in a manifest: base64, or a URI, which is kept as it is.

import { Buffer } from "node:buffer";
import { decodeLossy } from "../utf8-text.ts";
import { ManifestError } from "./json-members.ts";

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;
// No scheme is longer.
const SCHEME_BYTES = 1024;

/** What `data`, which is UTF-8, stands for. Nothing in the format tells the two apart, so readers have to look, too (D-20). */
export function imageData(data: Uint8Array): Uint8Array {
  if (SCHEME.test(decodeLossy(data, 0, Math.min(data.length, SCHEME_BYTES)))) return data;
  const digits = decodeLossy(data).replaceAll(/\s+/g, "");
  // Buffer decodes what it can of anything.
  const isBase64 = digits.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(digits);
  if (!isBase64) throw new ManifestError("image data is neither base64 nor a URI");
  const bytes = Buffer.from(digits, "base64");
  // Not a Buffer, whose slice() copies nothing.
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
