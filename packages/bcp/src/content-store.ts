// Bodies by their BLAKE3 hash (FORMAT.md, "Content addressing").

import { blake3 } from "./blake3.ts";

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

/** The bytes that a hex string spells, or undefined if it spells none. */
export function fromHex(hex: string): Uint8Array | undefined {
  if (hex.length % 2 !== 0 || /[^0-9a-f]/i.test(hex)) return undefined;
  const bytes = new Uint8Array(hex.length / 2);
  for (let i = 0; i < bytes.length; i++) bytes[i] = Number.parseInt(hex.slice(i * 2, i * 2 + 2), 16);
  return bytes;
}
