// The first bytes of a TLS connection → the server name in them (RFC 8446 section 4.1.2, RFC 6066 section 3).

export type ClientHello =
  | { readonly kind: "incomplete" }
  /** Complete: the name that is asked for, if any. */
  | { readonly kind: "name"; readonly name: string | undefined }
  /** Begins like TLS, and is none. */
  | { readonly kind: "malformed" };

export const HANDSHAKE_RECORD = 0x16;
const CLIENT_HELLO = 1;
const SERVER_NAME = 0;
const HOST_NAME = 0;
const MAX_RECORD_BYTES = 16 * 1024 + 256;

export function readClientHello(bytes: Uint8Array): ClientHello {
  const joined = joinRecords(bytes);
  if (joined === undefined) return { kind: "malformed" };
  const { handshake, isCut } = joined;
  const missing: ClientHello = isCut ? { kind: "incomplete" } : { kind: "malformed" };
  if (handshake.length === 0) return { kind: "incomplete" };
  if (handshake[0] !== CLIENT_HELLO) return { kind: "malformed" };
  if (handshake.length < 4) return { kind: "incomplete" };
  const length = ((handshake[1] ?? 0) << 16) | ((handshake[2] ?? 0) << 8) | (handshake[3] ?? 0);
  if (length > 0xffff) return { kind: "malformed" };
  if (handshake.length < 4 + length) return missing;
  return nameIn(handshake.subarray(4, 4 + length));
}

/** The handshake may be spread over any number of records. */
function joinRecords(bytes: Uint8Array): { handshake: Uint8Array; isCut: boolean } | undefined {
  const parts: Uint8Array[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== HANDSHAKE_RECORD) {
      // After a complete ClientHello other records may follow; before, nothing else may stand between.
      if (parts.length === 0) return undefined;
      return { handshake: Buffer.concat(parts), isCut: false };
    }
    if ((bytes[at + 1] ?? 3) !== 3) return undefined;
    if (at + 5 > bytes.length) break;
    const length = ((bytes[at + 3] ?? 0) << 8) | (bytes[at + 4] ?? 0);
    if (length === 0 || length > MAX_RECORD_BYTES) return undefined;
    parts.push(bytes.subarray(at + 5, at + 5 + length));
    at += 5 + length;
  }
  return { handshake: Buffer.concat(parts), isCut: true };
}

function nameIn(hello: Uint8Array): ClientHello {
  const reader = new Reader(hello);
  reader.skip(2 + 32); // version, random
  reader.skip(reader.number(1)); // session
  reader.skip(reader.number(2)); // cipher suites
  reader.skip(reader.number(1)); // compression
  if (!reader.isSound) return { kind: "malformed" };
  if (reader.left === 0) return { kind: "name", name: undefined };
  const extensions = new Reader(reader.take(reader.number(2)));
  if (!reader.isSound || reader.left > 0) return { kind: "malformed" };
  let name: string | undefined;
  let isSeen = false;
  while (extensions.left > 0) {
    const type = extensions.number(2);
    const body = extensions.take(extensions.number(2));
    if (!extensions.isSound) return { kind: "malformed" };
    if (type !== SERVER_NAME) continue;
    const read = hostNameIn(body);
    // Two of them: which one counts is the server's choice, so there is none to compare.
    if (isSeen || read === undefined) return { kind: "malformed" };
    isSeen = true;
    name = read;
  }
  return { kind: "name", name };
}

function hostNameIn(body: Uint8Array): string | undefined {
  const list = new Reader(body);
  const length = list.number(2);
  if (!list.isSound || length !== list.left) return undefined;
  const type = list.number(1);
  const name = list.take(list.number(2));
  if (!list.isSound || type !== HOST_NAME || list.left > 0 || name.length === 0) return undefined;
  if (!name.every((byte) => byte > 0x20 && byte < 0x7f)) return undefined;
  return String.fromCharCode(...name).toLowerCase();
}

/** Reads past the end as zeros, and remembers that it did. */
class Reader {
  readonly #bytes: Uint8Array;
  #at = 0;
  isSound = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get left(): number {
    return this.#bytes.length - this.#at;
  }

  number(size: number): number {
    return this.take(size).reduce((sum, byte) => sum * 256 + byte, 0);
  }

  skip(length: number): void {
    this.take(length);
  }

  take(length: number): Uint8Array {
    if (length > this.left) this.isSound = false;
    const part = this.#bytes.subarray(this.#at, this.#at + length);
    this.#at += part.length;
    return part;
  }
}
