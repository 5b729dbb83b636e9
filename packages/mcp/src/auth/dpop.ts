// DPoP (RFC 9449): a key of ours, a fresh signed proof per request, and the nonces servers hand out for them.
import { randomBase64Url, sha256Base64Url } from "./base64url.ts";
import { signJwt } from "./jwt.ts";

export const DPOP_ALGORITHM = "ES256";

/** The private half cannot leave the process: a token that leaks is worth nothing without it. */
export type DpopKey = { privateKey: CryptoKey; publicJwk: { kty: string; crv: string; x: string; y: string } };

type DpopRequest = { method: string; url: URL; accessToken?: string; nonce?: string | undefined };

export async function createDpopKey(): Promise<DpopKey> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const { kty = "", crv = "", x = "", y = "" } = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return { privateKey: pair.privateKey, publicJwk: { kty, crv, x, y } };
}

export async function dpopProof(key: DpopKey, request: DpopRequest): Promise<string> {
  const bound = request.accessToken === undefined ? {} : { ath: await sha256Base64Url(request.accessToken) };
  const nonce = request.nonce === undefined ? {} : { nonce: request.nonce };
  const claims = {
    jti: randomBase64Url(16),
    htm: request.method,
    htu: `${request.url.origin}${request.url.pathname}`, // §4.2: no query, no fragment
    iat: Math.floor(Date.now() / 1000),
    ...bound,
    ...nonce,
  };
  const header = { typ: "dpop+jwt", jwk: key.publicJwk };
  return await signJwt({ privateKey: key.privateKey, algorithm: DPOP_ALGORITHM }, header, claims);
}

/** The newest nonce of each origin: a server may change it with any reply. */
export type DpopNonces = {
  read(url: URL): string | undefined;
  /** Whether the reply brought a nonce that was not known. */
  learn(url: URL, headers: Headers): boolean;
};

const MAX_ORIGINS = 64;

export function createDpopNonces(): DpopNonces {
  const byOrigin = new Map<string, string>();
  return {
    read: (url) => byOrigin.get(url.origin),
    learn(url, headers) {
      const nonce = headers.get("dpop-nonce");
      if (nonce === null || !/^[\u0021-\u007e]{1,1024}$/.test(nonce) || byOrigin.get(url.origin) === nonce)
        return false;
      if (byOrigin.size >= MAX_ORIGINS) byOrigin.clear();
      byOrigin.set(url.origin, nonce);
      return true;
    },
  };
}
