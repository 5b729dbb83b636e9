// Bodies by their BLAKE3 hash (FORMAT.md, "Content addressing").

import { blake3 } from "./blake3.ts";
import { HashIndex } from "./hash-index.ts";
import { hexDigit } from "./json-scanner.ts";

/** Where reference blocks find their bodies. Whoever passes one vouches for it: what it returns is not hashed again. */
export type ContentStore = {
  get(hash: Uint8Array): Uint8Array | undefined;
  /** Keeps `body` under its hash, which is returned. The first value stays. `hash` spares computing it again. */
  put(body: Uint8Array, hash?: Uint8Array): Uint8Array;
  has(hash: Uint8Array): boolean;
};

export function createMemoryStore(): ContentStore {
  const bodies = new Map<string, Uint8Array>();
  return {
    get: (hash) => bodies.get(toHex(hash)),
    put(body, hash = blake3(body)) {
      const key = toHex(hash);
      // A copy, since the caller's buffer may be reused; and not by slice(), which on a Buffer copies nothing.
      if (!bodies.has(key)) bodies.set(key, new Uint8Array(body));
      return hash;
    },
    has: (hash) => bodies.has(toHex(hash)),
  };
}

export function toHex(bytes: Uint8Array): string {
  let hex = "";
  for (const byte of bytes) hex += byte.toString(16).padStart(2, "0");
  return hex;
}

/** The bytes that hex digits spell, themselves bytes, or undefined if they spell none. */
export function fromHex(digits: Uint8Array): Uint8Array | undefined {
  if (digits.length % 2 !== 0) return undefined;
  const bytes = new Uint8Array(digits.length / 2);
  for (let i = 0; i < bytes.length; i++) {
    const high = hexDigit(digits[i * 2] ?? 0);
    const low = hexDigit(digits[i * 2 + 1] ?? 0);
    if (high < 0 || low < 0) return undefined;
    bytes[i] = high * 16 + low;
  }
  return bytes;
}

export class HashStore implements ContentStore {
  private readonly hashes = new HashIndex();

  get(): undefined {
    return undefined;
  }

  put(body: Uint8Array, hash = blake3(body)): Uint8Array {
    this.hashes.add(hash);
    return hash;
  }

  has(hash: Uint8Array): boolean {
    return this.hashes.find(hash) >= 0;
  }
}
