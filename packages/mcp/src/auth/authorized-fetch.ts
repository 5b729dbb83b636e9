// fetch with authorization: adds the token, and when the MCP server asks for another, gets it and sends the request
// again, a bounded number of times.
import { reachOf } from "@bosun/platform/hosts";
import { readDemand } from "./www-authenticate.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { IdentityOptions } from "./client-identity.ts";
import { createMemoryStore } from "./credential-store.ts";
import type { CredentialStore, StoredToken } from "./credential-store.ts";
import { createDpopNonces, dpopProof } from "./dpop.ts";
import { DEFAULT_TIMEOUT_MS } from "./fetch-json.ts";
import type { HttpFetch } from "./fetch-json.ts";
import type { Grant } from "./grants.ts";
import { covers, policyFor, safeUrl } from "./safe-url.ts";
import { createTokenSession } from "./token-session.ts";
import type { DpopMode, Renewal } from "./token-session.ts";
import { checkRedirectUri } from "./authorization-code.ts";

export type AuthorizedFetchOptions = IdentityOptions & {
  fetch: HttpFetch;
  /** The MCP endpoint. The token is sent to what its resource covers and nowhere else. */
  serverUrl: string | URL;
  grant: Grant;
  store?: CredentialStore;
  /** `auto` (default) binds tokens to a key where the MCP server asks for it. */
  dpop?: DpopMode;
  /** Which of several authorization servers to use; the first by default. */
  chooseIssuer?: (issuers: string[]) => string | undefined;
  /** Accept plain http beyond loopback. */
  allowInsecureHttp?: boolean;
  /** For each request to an authorization server. */
  timeoutMs?: number;
  /** How long before its end a token is refreshed. */
  expirySkewMs?: number;
};

/** The specification's advice: more attempts in a row are a loop, not a negotiation. */
const MAX_AUTHORIZATIONS = 3;
const MAX_SENDS = 8;
const MAX_REDIRECTS = 3;
const DEFAULT_EXPIRY_SKEW_MS = 30_000;

export function createAuthorizedFetch(options: AuthorizedFetchOptions): HttpFetch {
  const insecureHttp = options.allowInsecureHttp ?? false;
  const serverUrl = safeUrl(String(options.serverUrl), { nearest: "loopback", insecureHttp }, "server URL");
  if (options.grant.kind === "authorization_code") checkRedirectUri(options.grant.interaction.redirectUri);
  const nonces = createDpopNonces();
  const session = createTokenSession({
    http: {
      fetch: options.fetch,
      urls: policyFor(serverUrl, insecureHttp),
      timeoutMs: options.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    },
    serverUrl,
    grant: options.grant,
    identity: options,
    store: options.store ?? createMemoryStore(),
    nonces,
    dpop: options.dpop ?? "auto",
    expirySkewMs: options.expirySkewMs ?? DEFAULT_EXPIRY_SKEW_MS,
    chooseIssuer: options.chooseIssuer ?? ((issuers) => issuers[0]),
  });

  return async (url, init = {}) => {
    const target = new URL(url);
    if (!covers(serverUrl, target) && !(await tokenCovers(target))) return await options.fetch(url, init);
    let authorizations = 0;
    let earlier: Renewal | undefined;
    let nonceRetried = false;
    let token = await unlessAborted(session.current(), init.signal);
    for (let sends = 1; ; sends += 1) {
      const response = await send(target, init, token);
      const demand = readDemand(response.status, response.headers);
      const learnt = nonces.learn(target, response.headers);
      if (!demand || !isReplayable(init.body) || sends === MAX_SENDS) return response;
      if (demand.kind === "dpop_nonce") {
        if (!learnt || nonceRetried) return response;
        nonceRetried = true;
      } else {
        if (authorizations === MAX_AUTHORIZATIONS) return response;
        const renewal = unlessAborted(session.renew({ demand, rejected: token, earlier }), init.signal);
        const outcome = await renewal.catch(async (error: unknown) => {
          await response.body?.cancel(); // unread, it would hold its connection
          throw error;
        });
        if (outcome === "pointless") return response;
        if (outcome !== "shared") authorizations += 1;
        earlier = outcome;
      }
      await response.body?.cancel();
      token = session.latest();
    }
  };

  // A server whose published name is its whole origin takes the token anywhere on it.
  async function tokenCovers(target: URL): Promise<boolean> {
    if (target.origin !== serverUrl.origin) return false;
    const token = await session.current();
    return token !== undefined && covers(new URL(token.resource ?? serverUrl.origin), target);
  }

  // Redirects are followed by hand: the token must not travel to another origin, and each proof names its own URL.
  async function send(target: URL, init: RequestInit, token: StoredToken | undefined): Promise<Response> {
    let url = target;
    for (let hops = 0; ; hops += 1) {
      const response = await options.fetch(url, {
        ...init,
        redirect: "manual",
        headers: await headersFor(url, init, token),
      });
      const location = response.headers.get("location");
      const keepsMethod = response.status === 307 || response.status === 308;
      const next = location === null || !keepsMethod || !isReplayable(init.body) ? null : URL.parse(location, url.href);
      if (!next || !covers(serverUrl, next) || hops === MAX_REDIRECTS) return response;
      await response.body?.cancel();
      url = next;
    }
  }

  async function headersFor(url: URL, init: RequestInit, token: StoredToken | undefined): Promise<Headers> {
    const headers = new Headers(init.headers);
    if (!token) return headers;
    if (url.protocol === "http:" && !insecureHttp && reachOf(url.hostname) !== "loopback")
      throw new AuthorizationError("unsafe_url", `no token is sent over plain http to ${url.host}`);
    headers.set("authorization", `${token.type} ${token.value}`);
    if (token.type === "DPoP" && token.dpopKey) {
      const request = { method: init.method ?? "GET", url, accessToken: token.value, nonce: nonces.read(url) };
      headers.set("dpop", await dpopProof(token.dpopKey, request));
    }
    return headers;
  }
}

function isReplayable(body: RequestInit["body"]): boolean {
  return body === undefined || body === null || typeof body === "string" || body instanceof Uint8Array;
}

// The work goes on for others who wait for it; only this caller stops waiting.
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal | null | undefined): Promise<Value> {
  if (!signal) return await work;
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  if (signal.aborted) abort();
  signal.addEventListener("abort", abort, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", abort);
  }
}
