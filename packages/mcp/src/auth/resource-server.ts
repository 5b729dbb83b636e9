// The server's side of OAuth: says where tokens come from, lets in those meant for it, and says precisely what is
// missing to everyone else. Checks audience and expiry itself, whatever the verifier did.
import { AuthorizationError } from "./authorization-error.ts";
import { protectedResourceLocation } from "./protected-resource.ts";
import { isScope } from "./scopes.ts";

/** What a token turned out to say. It does not hold the token itself: nothing behind this point can pass it on. */
export type VerifiedToken = {
  issuer: string | undefined;
  subject: string | undefined;
  clientId: string | undefined;
  scopes: string[];
  /** Whom the token is for; the resource server checks that it is among them. */
  audience: string[];
  expiresAtMs: number | undefined;
};

export type TokenVerdict = { kind: "verified"; token: VerifiedToken } | { kind: "rejected"; reason: string };

/** Throws only when it cannot tell, such as when the issuer's keys cannot be fetched. */
export type TokenVerifier = (token: string, resource: string) => Promise<TokenVerdict>;

export type ResourceServerOptions = {
  /** The public address of the MCP endpoint: the audience that tokens must name. */
  resource: string;
  /** Issuers; empty where tokens are only handed out by hand, then there is no metadata to publish. */
  authorizationServers: readonly string[];
  scopesSupported?: readonly string[];
  /** What every request needs. */
  requiredScopes?: readonly string[];
  /** Which scopes include others: `{ admin: ["read", "write"] }`. */
  impliedScopes?: Readonly<Record<string, readonly string[]>>;
  /** Other names that authorization servers use for this server. */
  acceptedAudiences?: readonly string[];
  resourceName?: string;
  verify: TokenVerifier;
  /** What a bearer token may look like. RFC 6750 §2.1 by default; tokens made up by people hold other characters, too. */
  tokenPattern?: RegExp;
  now?: () => number;
};

export type Admission = { kind: "admitted"; token: VerifiedToken } | { kind: "refused"; response: Response };

export type ResourceServer = {
  /** Where the metadata document is served. */
  readonly metadataUrl: string;
  /** The answer to a request for the metadata document, undefined for any other request. */
  metadata(request: Request): Response | undefined;
  /** Every request, every time: nothing is remembered from an earlier one. */
  authenticate(request: Request): Promise<Admission>;
  /** The same as the `authorize` option of `serveHttp`: who calls, or the refusal. */
  authorize(request: Request): Promise<{ id: string; scopes: readonly string[] } | Response>;
  /** For an operation that needs more: undefined when the token has it all, else the 403 that names all of it. */
  requireScopes(token: VerifiedToken, needed: readonly string[]): Response | undefined;
};

export function createResourceServer(options: ResourceServerOptions): ResourceServer {
  const { resource, authorizationServers, requiredScopes = [], verify, tokenPattern = BEARER_TOKEN } = options;
  const location = protectedResourceLocation(checkConfiguration(options));
  const now = options.now ?? Date.now;
  const audiences = [resource, ...(options.acceptedAudiences ?? [])];
  const published = authorizationServers.length > 0;
  const document = JSON.stringify({
    resource,
    authorization_servers: authorizationServers,
    scopes_supported: options.scopesSupported,
    bearer_methods_supported: ["header"],
    resource_name: options.resourceName,
  });

  return {
    metadataUrl: location.href,
    metadata(request) {
      if (!published || new URL(request.url).pathname !== location.pathname) return undefined;
      if (request.method !== "GET" && request.method !== "HEAD")
        return new Response(null, { status: 405, headers: { allow: "GET, HEAD" } });
      const headers = {
        "content-type": "application/json",
        "cache-control": "public, max-age=300",
        "access-control-allow-origin": "*", // public, and clients in web pages read it before they have a token
      };
      return new Response(request.method === "HEAD" ? null : document, { headers });
    },
    authenticate,
    async authorize(request) {
      const admission = await authenticate(request);
      return admission.kind === "refused" ? admission.response : principalOf(admission.token);
    },
    requireScopes,
  };

  async function authenticate(request: Request): Promise<Admission> {
    const presented = readBearer(request, tokenPattern);
    if (presented.kind === "none") return refuse(401, {});
    if (presented.kind === "malformed") return refuse(400, { error: "invalid_request" }, presented.reason);
    const verdict = await judge(presented.token);
    if (verdict === undefined) return unavailable();
    if (verdict.kind === "rejected") return refuse(401, { error: "invalid_token" }, verdict.reason);
    const missing = requireScopes(verdict.token, requiredScopes);
    return missing ? { kind: "refused", response: missing } : { kind: "admitted", token: verdict.token };
  }

  function requireScopes(token: VerifiedToken, needed: readonly string[]): Response | undefined {
    const granted = withImplied(token.scopes, options.impliedScopes ?? {});
    if (needed.every((scope) => granted.has(scope))) return undefined;
    // Everything at once, what each request needs included: else the client would ask its user again and again.
    const scope = [...new Set([...requiredScopes, ...needed])].join(" ");
    return challenge(403, { error: "insufficient_scope", scope }, "the token does not cover this operation");
  }

  // undefined: we cannot tell. A 401 would send the client's user through a sign-in that helps nobody.
  async function judge(token: string): Promise<TokenVerdict | undefined> {
    try {
      const verdict = await verify(token, resource);
      if (verdict.kind === "rejected") return verdict;
      const { audience, expiresAtMs = Infinity } = verdict.token;
      if (!audience.some((name) => audiences.includes(name)))
        return { kind: "rejected", reason: "the token is for another server" };
      return expiresAtMs + EXPIRY_GRACE_MS > now() ? verdict : { kind: "rejected", reason: "the token has expired" };
    } catch (error) {
      // the verifier could not reach the issuer; other errors are bugs
      if (error instanceof AuthorizationError) return undefined;
      throw error;
    }
  }

  function refuse(status: number, params: ChallengeParams, description?: string): Admission {
    const scope = requiredScopes.length > 0 && status === 401 ? { scope: requiredScopes.join(" ") } : {};
    return { kind: "refused", response: challenge(status, { ...params, ...scope }, description) };
  }

  function challenge(status: number, params: ChallengeParams, description?: string): Response {
    const all = {
      ...params,
      ...(description === undefined ? {} : { error_description: description }),
      ...(published ? { resource_metadata: location.href } : {}),
    };
    const listed = Object.entries(all).map(([name, value]) => `${name}="${value.replace(/["\\]/g, "\\$&")}"`);
    const header = listed.length === 0 ? "Bearer" : `Bearer ${listed.join(", ")}`;
    const body = {
      error: params.error ?? "invalid_token",
      error_description: description ?? "a bearer token is needed",
    };
    return Response.json(body, { status, headers: { "www-authenticate": header, "cache-control": "no-store" } });
  }
}

type ChallengeParams = { error?: string; scope?: string };

/** What clocks may differ by; a verifier may be stricter. */
const EXPIRY_GRACE_MS = 60_000;

type Presented = { kind: "none" } | { kind: "bearer"; token: string } | { kind: "malformed"; reason: string };

/** RFC 6750 §2.1; a comma shows that two headers were sent. */
const BEARER_TOKEN = /^[A-Za-z0-9\-._~+/]+=*$/;

function readBearer(request: Request, pattern: RegExp): Presented {
  if (new URL(request.url).searchParams.has("access_token"))
    return { kind: "malformed", reason: "tokens are not accepted in the address" };
  const header = request.headers.get("authorization");
  if (header === null) return { kind: "none" };
  const [scheme = "", ...rest] = header.split(" ");
  if (scheme.toLowerCase() !== "bearer") return { kind: "none" };
  const token = rest.join(" ").trim();
  if (!pattern.test(token)) return { kind: "malformed", reason: "the bearer token is malformed" };
  return { kind: "bearer", token };
}

/** A subject is unique for its issuer only. */
function principalOf({ issuer, subject, clientId, scopes }: VerifiedToken): { id: string; scopes: readonly string[] } {
  return {
    id: issuer === undefined ? (subject ?? "token") : JSON.stringify([issuer, subject ?? null, clientId ?? null]),
    scopes,
  };
}

function withImplied(scopes: readonly string[], implied: Readonly<Record<string, readonly string[]>>): Set<string> {
  const all = new Set<string>();
  const pending = [...scopes];
  for (let scope = pending.pop(); scope !== undefined; scope = pending.pop()) {
    if (all.has(scope)) continue;
    all.add(scope);
    if (Object.hasOwn(implied, scope)) pending.push(...(implied[scope] ?? []));
  }
  return all;
}

function unavailable(): Admission {
  const body = { error: "temporarily_unavailable", error_description: "the token cannot be checked at the moment" };
  return { kind: "refused", response: Response.json(body, { status: 503, headers: { "retry-after": "5" } }) };
}

function checkConfiguration(options: ResourceServerOptions): URL {
  const url = URL.parse(options.resource);
  if (!url || !/^https?:$/.test(url.protocol) || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new AuthorizationError("bad_configuration", "the resource must be an http(s) address without a fragment");
  const scopes = [...(options.scopesSupported ?? []), ...(options.requiredScopes ?? [])];
  // It is between the client and the authorization server; a resource that names it makes every client ask for it.
  if (scopes.includes("offline_access"))
    throw new AuthorizationError("bad_configuration", "offline_access is not a scope of a resource");
  if (!scopes.every(isScope))
    throw new AuthorizationError("bad_configuration", "a scope holds characters it cannot have");
  return url;
}
