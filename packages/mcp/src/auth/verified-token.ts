// What a token turned out to say. It does not hold the token itself: nothing behind this point can pass it on.

export type VerifiedToken = {
  issuer: string | undefined;
  subject: string | undefined;
  clientId: string | undefined;
  scopes: string[];
  /** Whom the token is for; the resource server checks that it is among them. */
  audience: string[];
  expiresAtMs: number | undefined;
};

export type Verdict = { kind: "verified"; token: VerifiedToken } | { kind: "rejected"; reason: string };

/** Throws only when it cannot tell, such as when the issuer's keys cannot be fetched. */
export type TokenVerifier = (token: string, resource: string) => Promise<Verdict>;
