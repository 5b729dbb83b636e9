// The eight bytes that open a payload (FORMAT.md, "Header").

import { DecodeError } from "./bcp-errors.ts";
import type { HeaderFault } from "./bcp-errors.ts";

export const HEADER_BYTES = 8;
export const MAJOR_VERSION = 1;
export const MINOR_VERSION = 0;
/** Header flag: everything after the header is zstd data. */
export const PAYLOAD_COMPRESSED = 0x01;

const MAGIC = [0x42, 0x43, 0x50, 0x00] as const; // "BCP\0"

export type Header = { readonly major: number; readonly minor: number; readonly flags: number };

/** Reads the header. The order of the checks is the reference's: the first that fails names the error. */
export function readHeader(payload: Uint8Array): Header {
  if (payload.length < HEADER_BYTES) {
    throw refused("UnexpectedEof", `unexpected end of input at offset ${payload.length}`, payload.length);
  }
  const [m0 = 0, m1 = 0, m2 = 0, m3 = 0, major = 0, minor = 0, flags = 0, reserved = 0] = payload;
  if (m0 !== MAGIC[0] || m1 !== MAGIC[1] || m2 !== MAGIC[2] || m3 !== MAGIC[3]) {
    // The reference prints what it found as a little-endian number, and what it expected in file order (D-3).
    const found = hex([m3, m2, m1, m0]);
    throw refused("InvalidMagic", `invalid magic number: expected 0x42435000, got 0x${found}`, 0);
  }
  if (major !== MAJOR_VERSION) throw refused("UnsupportedVersion", `unsupported version ${major}.${minor}`, 4);
  if (reserved !== 0) {
    throw refused("ReservedNonZero", `reserved field at offset 7 was 0x${hex([reserved])}, expected 0x00`, 7);
  }
  return { major, minor, flags };
}

export function headerBytes(flags: number): Uint8Array {
  return Uint8Array.of(...MAGIC, MAJOR_VERSION, MINOR_VERSION, flags, 0);
}

function refused(headerFault: HeaderFault, message: string, offset: number): DecodeError {
  return new DecodeError("InvalidHeader", `invalid header: ${message}`, { offset, headerFault });
}

function hex(bytes: readonly number[]): string {
  return bytes.map((byte) => byte.toString(16).padStart(2, "0").toUpperCase()).join("");
}
