// The data of an image in a manifest: base64, or a URI, which is kept as it is.

import { decodeLossy } from "../utf8-text.ts";
import { ManifestError } from "./json-members.ts";

const COLON = 0x3a;
const EQUALS = 0x3d;
const VALUES = new Int8Array(128).fill(-1);
for (const [value, letter] of [..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].entries()) {
  VALUES[letter.charCodeAt(0)] = value;
}

/** What `data`, which is UTF-8, stands for. Nothing in the format tells the two apart, so readers have to look, too (D-20). */
export function imageData(data: Uint8Array): Uint8Array {
  if (hasScheme(data)) return data;
  const bytes = fromBase64(data);
  if (!bytes) throw new ManifestError("image data is neither base64 nor a URI");
  return bytes;
}

// A letter, then letters, digits, `+`, `.`, `-`, then the colon.
function hasScheme(data: Uint8Array): boolean {
  if (!isLetter(data[0] ?? 0)) return false;
  let at = 1;
  while (isSchemeByte(data[at] ?? 0)) at++;
  return data[at] === COLON;
}

// Not by atob, which takes a string, and gives one: the data of an image may be all that there is in a manifest.
function fromBase64(data: Uint8Array): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.ceil(data.length / 4) * 3);
  let length = 0;
  let digits = 0;
  let padding = 0;
  let group = 0;
  for (let at = 0; at < data.length; at++) {
    const byte = data[at] ?? 0;
    const space = spaceAt(data, at);
    if (space > 0) {
      at += space - 1;
      continue;
    }
    if (byte === EQUALS) {
      padding++;
      continue;
    }
    const value = VALUES[byte] ?? -1;
    if (value < 0 || padding > 0) return undefined;
    group = (group << 6) | value;
    if (++digits % 4 !== 0) continue;
    bytes[length++] = group >> 16;
    bytes[length++] = group >> 8;
    bytes[length++] = group;
    group = 0;
  }
  if (padding > 2 || (digits + padding) % 4 !== 0) return undefined;
  if (padding === 1) {
    bytes[length++] = group >> 10;
    bytes[length++] = group >> 2;
  } else if (padding === 2) bytes[length++] = group >> 4;
  return bytes.subarray(0, length);
}

// How many bytes the white space at `at` has.
function spaceAt(data: Uint8Array, at: number): number {
  const byte = data[at] ?? 0;
  if (byte < 0x80) return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d) ? 1 : 0;
  const size = byte < 0xe0 ? 2 : 3;
  return /^\s$/.test(decodeLossy(data, at, at + size)) ? size : 0;
}

function isSchemeByte(byte: number): boolean {
  return isLetter(byte) || (byte >= 0x30 && byte <= 0x39) || byte === 0x2b || byte === 0x2d || byte === 0x2e;
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20;
  return lower >= 0x61 && lower <= 0x7a;
}
