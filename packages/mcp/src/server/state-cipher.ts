// State that travels through a client and must come back as it left: encrypted and authenticated, so that it can be
// neither read nor altered on the way. WebCrypto, because importing node:crypto costs start-up time.
import { isObject } from "../wire/json-value.ts";
import type { Json } from "../wire/json-value.ts";

const NONCE_BYTES = 12;

export class StateCipher {
  private readonly bytes: Uint8Array<ArrayBuffer> | undefined;
  private imported: Promise<CryptoKey> | undefined;

  /** Without a key every process has its own: pass one (32 bytes) where several instances share their clients. */
  constructor(key?: Uint8Array<ArrayBuffer>) {
    this.bytes = key;
  }

  // Made on first use: most servers never ask anybody anything.
  private get key(): Promise<CryptoKey> {
    const bytes = this.bytes ?? crypto.getRandomValues(new Uint8Array(32));
    this.imported ??= crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
    return this.imported;
  }

  async encrypt(value: Json): Promise<string> {
    const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
    const plain = new TextEncoder().encode(JSON.stringify(value));
    const encrypted = await crypto.subtle.encrypt({ name: "AES-GCM", iv: nonce }, await this.key, plain);
    const whole = new Uint8Array(NONCE_BYTES + encrypted.byteLength);
    whole.set(nonce);
    whole.set(new Uint8Array(encrypted), NONCE_BYTES);
    return Buffer.from(whole).toString("base64url");
  }

  /** Undefined when it is not ours, or was altered in any bit. */
  async decrypt(encrypted: string): Promise<Json | undefined> {
    const whole = Buffer.from(encrypted, "base64url");
    // base64url decoding is lenient: only the exact spelling we issued is accepted.
    if (whole.length <= NONCE_BYTES || whole.toString("base64url") !== encrypted) return undefined;
    try {
      const iv = whole.subarray(0, NONCE_BYTES);
      const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv }, await this.key, whole.subarray(NONCE_BYTES));
      return JSON.parse(new TextDecoder().decode(plain)) as Json;
    } catch {
      // another key, or a bit was altered: not ours
      return undefined;
    }
  }
}

/** A digest of a JSON value, whatever the order of its members: a client may encode the same call anew. */
export async function digestOf(value: Json): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(value, sorted));
  return Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("base64url");
}

function sorted(_name: string, value: Json | undefined): Json | undefined {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
