// Access tokens that are JWTs (RFC 9068): signature, issuer, times. Whom it is for is the resource server's check.
import { discoverAuthorizationServer } from "./authorization-server.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { decodeBase64Url } from "./base64url.ts";
import { DEFAULT_TIMEOUT_MS, isJsonObject } from "./fetch-json.ts";
import type { AuthHttp, HttpFetch, JsonObject } from "./fetch-json.ts";
import { isJwtAlgorithm, JWT_ALGORITHMS } from "./jwt.ts";
import type { JwtAlgorithm } from "./jwt.ts";
import { createKeySet } from "./key-set.ts";
import type { KeySet } from "./key-set.ts";
import { policyFor, safeUrl } from "./safe-url.ts";
import { parseScopes } from "./scopes.ts";
import type { TokenVerdict, TokenVerifier, VerifiedToken } from "./resource-server.ts";

type TrustedIssuer = {
  issuer: string;
  /** Where its keys are; found through its metadata when absent. */
  jwksUri?: string;
};

export type JwtVerifierOptions = {
  issuers: readonly TrustedIssuer[];
  fetch: HttpFetch;
  algorithms?: readonly JwtAlgorithm[];
  clockSkewS?: number;
  allowInsecureHttp?: boolean;
  timeoutMs?: number;
  /** The time in milliseconds. */
  now?: () => number;
};

const MAX_TOKEN_LENGTH = 16 * 1024;
const DEFAULT_CLOCK_SKEW_S = 30;
/** An ID token, a DPoP proof or a client assertion is signed by the same keys and is no access token. */
const ACCESS_TOKEN_TYPES = new Set(["jwt", "at+jwt", "application/at+jwt"]);

export function createJwtVerifier(options: JwtVerifierOptions): TokenVerifier {
  const now = options.now ?? Date.now;
  const skewS = options.clockSkewS ?? DEFAULT_CLOCK_SKEW_S;
  const algorithms = new Set(options.algorithms ?? (["RS256", "PS256", "ES256", "ES384", "EdDSA"] as const));
  // One key set per issuer: a key of one can never vouch for another.
  const keySets = new Map(options.issuers.map((trusted) => [trusted.issuer, keySetOf(trusted, options, now)]));
  return async (token) => {
    const parts = readParts(token);
    if (!parts) return rejected("the token is not a well-formed JWT");
    const { header, claims } = parts;
    const algorithm = header["alg"];
    if (!isJwtAlgorithm(algorithm) || !algorithms.has(algorithm))
      return rejected("the signature algorithm is not allowed");
    const problem = headerProblem(header) ?? claimsProblem(claims, now() / 1000, skewS);
    if (problem !== undefined) return rejected(problem);
    const issuer = claims["iss"];
    const keySet = typeof issuer === "string" ? keySets.get(issuer) : undefined;
    if (!keySet) return rejected("the token is from an issuer that is not trusted here");
    if (!(await isSigned(parts, algorithm, keySet))) return rejected("the signature does not verify");
    return { kind: "verified", token: readClaims(claims) };
  };
}

function keySetOf(trusted: TrustedIssuer, options: JwtVerifierOptions, now: () => number): KeySet {
  const insecureHttp = options.allowInsecureHttp ?? false;
  const issuerUrl = safeUrl(trusted.issuer, { nearest: "loopback", insecureHttp }, "issuer");
  const urls = policyFor(issuerUrl, insecureHttp);
  const http: AuthHttp = { fetch: options.fetch, urls, timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS };
  const configured =
    trusted.jwksUri === undefined
      ? undefined
      : safeUrl(trusted.jwksUri, { nearest: "loopback", insecureHttp }, "jwksUri");
  return createKeySet({ http, now, locate: async () => configured ?? (await publishedKeys(http, trusted.issuer)) });
}

async function publishedKeys(http: AuthHttp, issuer: string): Promise<URL> {
  const { jwksUri } = await discoverAuthorizationServer(http, issuer);
  if (!jwksUri) throw new AuthorizationError("no_metadata", `the issuer ${issuer} publishes no keys`);
  return jwksUri;
}

type Parts = { header: JsonObject; claims: JsonObject; content: string; signature: Uint8Array<ArrayBuffer> };

function readParts(token: string): Parts | undefined {
  if (token.length > MAX_TOKEN_LENGTH) return undefined;
  const [head = "", body = "", tail = "", ...rest] = token.split(".");
  const header = readObject(head);
  const claims = readObject(body);
  const signature = decodeBase64Url(tail);
  if (rest.length > 0 || !header || !claims || !signature || signature.length === 0) return undefined;
  return { header, claims, content: `${head}.${body}`, signature };
}

function readObject(part: string): JsonObject | undefined {
  const bytes = decodeBase64Url(part);
  if (!bytes) return undefined;
  try {
    const value: unknown = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return isJsonObject(value) ? value : undefined;
  } catch {
    // not JSON: not a JWT
    return undefined;
  }
}

// Keys that the token itself brings or points at (jwk, jku, x5u, x5c) are never looked at.
function headerProblem(header: JsonObject): string | undefined {
  const { typ, kid, crit } = header as { typ?: unknown; kid?: unknown; crit?: unknown };
  if (crit !== undefined) return "the token demands extensions that are not known";
  if (typ !== undefined && (typeof typ !== "string" || !ACCESS_TOKEN_TYPES.has(typ.toLowerCase())))
    return "the token is not an access token";
  if (kid !== undefined && typeof kid !== "string") return "the key id is not a string";
  return undefined;
}

function claimsProblem(claims: JsonObject, nowS: number, skewS: number): string | undefined {
  const { exp, nbf, iat, cnf } = claims as { exp?: unknown; nbf?: unknown; iat?: unknown; cnf?: unknown };
  if (typeof exp !== "number") return "the token has no end";
  if (exp <= nowS - skewS) return "the token has expired";
  if (nbf !== undefined && (typeof nbf !== "number" || nbf > nowS + skewS)) return "the token is not valid yet";
  if (iat !== undefined && (typeof iat !== "number" || iat > nowS + skewS)) return "the token is from the future";
  // Bound to a key (DPoP, mutual TLS) whose possession nobody has shown here.
  if (cnf !== undefined) return "the token is bound to a key and cannot be used as a bearer token";
  return undefined;
}

async function isSigned(parts: Parts, algorithm: JwtAlgorithm, keySet: KeySet): Promise<boolean> {
  const keyId = parts.header["kid"];
  const key = await keySet.find(algorithm, typeof keyId === "string" ? keyId : undefined);
  if (!key) return false;
  const content = new TextEncoder().encode(parts.content);
  return await crypto.subtle.verify(JWT_ALGORITHMS[algorithm].sign, key, parts.signature, content);
}

function readClaims(claims: JsonObject): VerifiedToken {
  const text = (name: string): string | undefined => (typeof claims[name] === "string" ? claims[name] : undefined);
  const exp = claims["exp"];
  return {
    issuer: text("iss"),
    subject: text("sub"),
    clientId: text("client_id") ?? text("azp"),
    scopes: parseScopes(texts(claims["scope"] ?? claims["scp"]).join(" ")),
    audience: texts(claims["aud"]),
    expiresAtMs: typeof exp === "number" ? exp * 1000 : undefined,
  };
}

function texts(value: unknown): string[] {
  const list: unknown[] = Array.isArray(value) ? value : [value];
  return list.filter((item) => typeof item === "string");
}

function rejected(reason: string): TokenVerdict {
  return { kind: "rejected", reason };
}
