// The public keys of one issuer (JWKS, RFC 7517): fetched when needed, kept for a while, fetched anew for a key id
// nobody has seen, but not at the bidding of whoever invents key ids.
import { AuthorizationError } from "./authorization-error.ts";
import { getJson, isJsonObject } from "./fetch-json.ts";
import type { AuthHttp, JsonObject } from "./fetch-json.ts";
import { JWT_ALGORITHMS } from "./jwt.ts";
import type { JwtAlgorithm } from "./jwt.ts";

export type KeySet = {
  /** The one key that fits; undefined when none or more than one does. */
  find(algorithm: JwtAlgorithm, keyId: string | undefined): Promise<CryptoKey | undefined>;
};

type KeySetOptions = { http: AuthHttp; locate: () => Promise<URL>; now: () => number };

/** A withdrawn key is believed at most this long. */
const MAX_AGE_MS = 10 * 60_000;
/** While the issuer is down, old keys serve on for this long. */
const MAX_STALE_MS = 24 * 60 * 60_000;
const REFETCH_PAUSE_MS = 30_000;
const MAX_KEYS = 100;
const MIN_RSA_BITS = 2048;

export function createKeySet({ http, locate, now }: KeySetOptions): KeySet {
  let keys: JsonObject[] = [];
  let fetchedAt = -Infinity;
  let triedAt = -Infinity;
  let fetching: Promise<void> | undefined;
  const imported = new WeakMap<JsonObject, CryptoKey>();

  return {
    async find(algorithm, keyId) {
      if (now() - fetchedAt > MAX_AGE_MS) await refetch();
      let key = onlyMatch(keys, algorithm, keyId);
      // Keys are rotated by publishing the next one first: an unknown id may be it.
      if (!key) {
        await refetch();
        key = onlyMatch(keys, algorithm, keyId);
      }
      return key && (await importOnce(key, algorithm));
    },
  };

  async function refetch(): Promise<void> {
    fetching ??= fetchKeys().finally(() => (fetching = undefined));
    await fetching;
  }

  async function fetchKeys(): Promise<void> {
    if (now() - triedAt <= REFETCH_PAUSE_MS && now() - fetchedAt <= MAX_STALE_MS) return;
    triedAt = now();
    try {
      const reply = await getJson(http, await locate());
      const list = reply.body?.["keys"];
      if (reply.status !== 200 || !Array.isArray(list))
        throw new AuthorizationError("bad_document", `the issuer's key set could not be read (HTTP ${reply.status})`);
      keys = list.filter(isJsonObject).slice(0, MAX_KEYS);
      fetchedAt = now();
    } catch (error) {
      // the issuer is down: the keys we have serve on, for a while
      if (now() - fetchedAt > MAX_STALE_MS) throw error;
    }
  }

  async function importOnce(key: JsonObject, algorithm: JwtAlgorithm): Promise<CryptoKey | undefined> {
    const known = imported.get(key);
    // The same RSA key may serve two algorithms; an imported one serves one.
    if (known?.algorithm.name === JWT_ALGORITHMS[algorithm].import.name) return known;
    try {
      const fresh = await crypto.subtle.importKey("jwk", publicPart(key), JWT_ALGORITHMS[algorithm].import, false, [
        "verify",
      ]);
      imported.set(key, fresh);
      return fresh;
    } catch {
      // a key that cannot be imported verifies nothing
      return undefined;
    }
  }
}

// Key id, type, curve and purpose must all agree with the algorithm: a key published for one thing verifies no other.
function onlyMatch(keys: JsonObject[], algorithm: JwtAlgorithm, keyId: string | undefined): JsonObject | undefined {
  const { keyType, curve } = JWT_ALGORITHMS[algorithm];
  const matches = keys.filter(
    (key) =>
      (keyId === undefined || key["kid"] === keyId) &&
      key["kty"] === keyType &&
      (curve === undefined || key["crv"] === curve) &&
      (key["alg"] === undefined || key["alg"] === algorithm) &&
      (key["use"] === undefined || key["use"] === "sig") &&
      (key["key_ops"] === undefined || (Array.isArray(key["key_ops"]) && key["key_ops"].includes("verify"))) &&
      (keyType !== "RSA" || rsaBits(key["n"]) >= MIN_RSA_BITS),
  );
  return matches.length === 1 ? matches[0] : undefined;
}

function rsaBits(modulus: unknown): number {
  return typeof modulus === "string" ? Math.floor((modulus.length * 6) / 8) * 8 : 0;
}

function publicPart(key: JsonObject): Record<string, string> {
  const part: Record<string, string> = {};
  for (const name of ["kty", "crv", "x", "y", "n", "e"] as const) {
    const value = key[name];
    if (typeof value === "string") part[name] = value;
  }
  return part;
}
