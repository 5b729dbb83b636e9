// JSON Web Tokens: the algorithms we sign and verify with, signing, and reading the private key that does it.
import { AuthorizationError } from "./authorization-error.ts";
import { encodeBase64Url } from "./base64url.ts";
import type { JsonObject } from "./fetch-json.ts";

export type SigningKey = { privateKey: CryptoKey; algorithm: JwtAlgorithm; keyId?: string };

export async function signJwt(key: SigningKey, header: JsonObject, claims: JsonObject): Promise<string> {
  const keyId = key.keyId === undefined ? {} : { kid: key.keyId };
  const content = `${encodePart({ ...header, ...keyId, alg: key.algorithm })}.${encodePart(claims)}`;
  const { sign } = JWT_ALGORITHMS[key.algorithm];
  const signature = await crypto.subtle.sign(sign, key.privateKey, new TextEncoder().encode(content));
  return `${content}.${encodeBase64Url(new Uint8Array(signature))}`;
}

/** A PKCS#8 private key in PEM ("BEGIN PRIVATE KEY"), kept unextractable from here on. */
export async function importSigningKey(pem: string, algorithm: JwtAlgorithm, keyId?: string): Promise<SigningKey> {
  const body = /-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\s]+)-----END PRIVATE KEY-----/.exec(pem)?.[1];
  if (body === undefined) throw new AuthorizationError("bad_key", "the private key is not PKCS#8 in PEM");
  try {
    const bytes = Uint8Array.from(atob(body.replace(/\s/g, "")), (character) => character.charCodeAt(0));
    const parameters = JWT_ALGORITHMS[algorithm].import;
    const privateKey = await crypto.subtle.importKey("pkcs8", bytes, parameters, false, ["sign"]);
    return keyId === undefined ? { privateKey, algorithm } : { privateKey, algorithm, keyId };
  } catch {
    // WebCrypto says nothing that would help, and the key must not be shown
    throw new AuthorizationError("bad_key", `the private key cannot be used with ${algorithm}`);
  }
}

function encodePart(value: JsonObject): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}

/** `none` and algorithms with a shared secret are absent on purpose: what is not in this table does not exist. */
export type JwtAlgorithm = "RS256" | "PS256" | "ES256" | "ES384" | "EdDSA";

type AlgorithmParameters = {
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
