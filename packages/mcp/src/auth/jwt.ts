// Signing a JSON Web Token, and reading the private key that does it.
import { AuthorizationError } from "./authorization-error.ts";
import { encodeBase64Url } from "./base64url.ts";
import type { JsonObject } from "./fetch-json.ts";
import { JWT_ALGORITHMS } from "./jwt-algorithms.ts";
import type { JwtAlgorithm } from "./jwt-algorithms.ts";

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
    throw new AuthorizationError("bad_key", `the private key cannot be used with ${algorithm}`);
  }
}

function encodePart(value: JsonObject): string {
  return encodeBase64Url(new TextEncoder().encode(JSON.stringify(value)));
}
