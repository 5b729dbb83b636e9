// Tokens that were configured by hand, for a server whose users are its owner's programs.
import { AuthorizationError } from "./authorization-error.ts";
import type { TokenVerdict, TokenVerifier } from "./resource-server.ts";

type StaticToken = { token: string; subject?: string; scopes?: string[] };

/** Shorter ones can be guessed over a network. */
const MIN_TOKEN_LENGTH = 16;
const MAX_LENGTH = 4096;
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/; // RFC 6750 §2.1
const ANY_TEXT = /\S/;

/** `chosenByPerson`: any text is a token, however short. */
export function createStaticTokenVerifier(
  tokens: readonly StaticToken[],
  { chosenByPerson = false }: { chosenByPerson?: boolean } = {},
): TokenVerifier {
  const [pattern, minLength] = chosenByPerson ? [ANY_TEXT, 1] : [BEARER_TOKEN, MIN_TOKEN_LENGTH];
  const encoder = new TextEncoder();
  const entries = tokens.map((entry) => {
    if (!pattern.test(entry.token) || entry.token.length < minLength || entry.token.length > MAX_LENGTH)
      throw new AuthorizationError(
        "bad_configuration",
        `a token must have ${minLength} to ${MAX_LENGTH} characters${chosenByPerson ? "" : " out of A-Z a-z 0-9 - . _ ~ + /"}`,
      );
    return { ...entry, bytes: encoder.encode(entry.token) };
  });
  return async (presented, resource) => {
    const bytes = encoder.encode(presented.slice(0, MAX_LENGTH + 1));
    let verdict: TokenVerdict = { kind: "rejected", reason: "the token is not known" };
    // All entries, each to its end: neither the time nor the order tells how much of a guess was right.
    for (const entry of entries) {
      if (!equalInConstantTime(entry.bytes, bytes)) continue;
      const { subject, scopes = [] } = entry;
      const token = {
        issuer: undefined,
        subject,
        clientId: undefined,
        scopes,
        audience: [resource],
        expiresAtMs: undefined,
      };
      verdict = { kind: "verified", token };
    }
    return verdict;
  };
}

/** Takes as long as `secret` is, whatever `guess` holds. */
export function equalInConstantTime(secret: Uint8Array, guess: Uint8Array): boolean {
  let difference = secret.length ^ guess.length;
  for (let at = 0; at < secret.length; at += 1) difference |= (secret[at] ?? 0) ^ (guess[at] ?? 0);
  return difference === 0;
}
