// The signature algorithms we sign and verify with, as WebCrypto names them. `none` and shared-secret algorithms are
// absent on purpose: what is not in this table does not exist.

export type JwtAlgorithm = "RS256" | "PS256" | "ES256" | "ES384" | "EdDSA";

export type AlgorithmParameters = {
  /** The `kty` (and `crv`) a key must have: a key of one kind must never verify under another algorithm. */
  keyType: string;
  curve: string | undefined;
  import: { name: string; hash?: string; namedCurve?: string };
  sign: SignatureParameters;
};

type SignatureParameters = { name: string; hash?: string; saltLength?: number };

export const JWT_ALGORITHMS: Record<JwtAlgorithm, AlgorithmParameters> = {
  RS256: rsa("RSASSA-PKCS1-v1_5", { name: "RSASSA-PKCS1-v1_5" }),
  PS256: rsa("RSA-PSS", { name: "RSA-PSS", saltLength: 32 }),
  ES256: ec("P-256", "SHA-256"),
  ES384: ec("P-384", "SHA-384"),
  EdDSA: { keyType: "OKP", curve: "Ed25519", import: { name: "Ed25519" }, sign: { name: "Ed25519" } },
};

export function isJwtAlgorithm(name: unknown): name is JwtAlgorithm {
  return typeof name === "string" && Object.hasOwn(JWT_ALGORITHMS, name);
}

function rsa(name: string, sign: SignatureParameters): AlgorithmParameters {
  return { keyType: "RSA", curve: undefined, import: { name, hash: "SHA-256" }, sign };
}

function ec(curve: string, hash: string): AlgorithmParameters {
  return { keyType: "EC", curve, import: { name: "ECDSA", namedCurve: curve }, sign: { name: "ECDSA", hash } };
}
