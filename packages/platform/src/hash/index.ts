// SHA-256, and random names. Not through an import of node:crypto: on Bun that alone costs 10 ms of every start.

/** Hex digest of the parts, one after the other. */
export function sha256(...parts: readonly (string | Uint8Array)[]): string {
  const [only] = parts;
  if (typeof Bun !== "undefined" && parts.length === 1 && only !== undefined) {
    return Bun.CryptoHasher.hash("sha256", only, "hex");
  }
  const hash = typeof Bun === "undefined" ? nodeHash() : new Bun.CryptoHasher("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest("hex");
}

/** Unguessable, in hex. */
export function randomName(bytes: number): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join(
    "",
  );
}

type Hash = { update(part: string | Uint8Array): unknown; digest(form: "hex"): string };

// Node only, where crypto is loaded already; Bun's types do not know the way to it.
function nodeHash(): Hash {
  const load = Reflect.get(process, "getBuiltinModule") as (name: string) => { createHash(name: string): Hash };
  return load("node:crypto").createHash("sha256");
}
