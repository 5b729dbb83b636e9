// Proof Key for Code Exchange (RFC 7636), S256 only: `plain` would protect nobody.
import { encodeBase64Url, randomBase64Url } from "./base64url.ts";

export type Pkce = { verifier: string; challenge: string };

export async function createPkce(): Promise<Pkce> {
  const verifier = randomBase64Url(32); // 43 characters, the least the RFC allows and 256 bits
  return { verifier, challenge: await sha256Base64Url(verifier) };
}

export async function sha256Base64Url(text: string): Promise<string> {
  return encodeBase64Url(new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text))));
}
