// What a 401 or 403 asks of us, read from its challenges.
import { parseChallenges } from "./www-authenticate.ts";
import type { Challenge } from "./www-authenticate.ts";

export type AuthDemand = {
  kind: "invalid_token" | "insufficient_scope" | "dpop_nonce";
  scope: string | undefined;
  resourceMetadata: string | undefined;
  acceptsBearer: boolean;
  acceptsDpop: boolean;
};

/** `undefined`: nothing that a token of ours could change. */
export function readDemand(status: number, headers: Headers): AuthDemand | undefined {
  if (status !== 401 && status !== 403) return undefined;
  const all = parseChallenges(headers.get("www-authenticate"));
  const ours = all.filter(({ scheme }) => scheme === "bearer" || scheme === "dpop");
  const error = param(ours, "error");
  const insufficient = error === "insufficient_scope";
  // A 403 without that word is a refusal for good; a 401 without any challenge may still have metadata at its
  // well-known place; a 401 for Basic alone is somebody else's affair.
  if (status === 403 && !insufficient) return undefined;
  if (ours.length === 0 && all.length > 0) return undefined;
  const nonce = ours.some(({ scheme, params }) => scheme === "dpop" && params.get("error") === "use_dpop_nonce");
  return {
    kind: nonce ? "dpop_nonce" : insufficient ? "insufficient_scope" : "invalid_token",
    scope: param(ours, "scope"),
    resourceMetadata: param(ours, "resource_metadata"),
    acceptsBearer: ours.length === 0 || ours.some(({ scheme }) => scheme === "bearer"),
    acceptsDpop: ours.some(({ scheme }) => scheme === "dpop"),
  };
}

function param(challenges: Challenge[], name: string): string | undefined {
  return challenges.find(({ params }) => params.has(name))?.params.get(name);
}
