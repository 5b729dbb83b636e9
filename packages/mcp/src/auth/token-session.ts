// The token of one MCP server over time: read from the store, refreshed before it runs out, replaced on demand. One
// piece of work at a time: whoever comes while it runs waits for it, so a hundred calls cause one sign-in.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import { discoverAuthorizationServer, discoverLegacyServer } from "./authorization-server.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { AuthDemand } from "./www-authenticate.ts";
import { createIdentitySource } from "./client-identity.ts";
import type { IdentityOptions } from "./client-identity.ts";
import type { ClientIdentity, CredentialStore, StoredToken } from "./credential-store.ts";
import { createDpopKey, DPOP_ALGORITHM } from "./dpop.ts";
import type { DpopKey, DpopNonces } from "./dpop.ts";
import type { AuthHttp } from "./fetch-json.ts";
import { runGrant } from "./grants.ts";
import type { Grant } from "./grants.ts";
import { discoverProtectedResource } from "./protected-resource.ts";
import type { ProtectedResource } from "./protected-resource.ts";
import { chooseScopes, includesAll } from "./scopes.ts";
import { requestToken } from "./token-request.ts";
import type { TokenEndpoint, TokenReply } from "./token-request.ts";

export type DpopMode = "auto" | "always" | "never";

export type SessionOptions = {
  http: AuthHttp;
  serverUrl: URL;
  grant: Grant;
  identity: IdentityOptions;
  store: CredentialStore;
  nonces: DpopNonces;
  dpop: DpopMode;
  expirySkewMs: number;
  chooseIssuer: (issuers: string[]) => string | undefined;
};

/**
 * `granted` and `refreshed`: there is a new token. `shared`: somebody else's work gave one. `retry`: the server had
 * forgotten our registration, which is gone now. `pointless`: asking again would change nothing.
 */
export type Renewal = "granted" | "refreshed" | "shared" | "retry" | "pointless";

type RenewalRequest = {
  demand: AuthDemand;
  rejected: StoredToken | undefined;
  /** What this same request has already tried. */
  earlier: Renewal | undefined;
};

type TokenSession = {
  /** The token to use now; undefined when there is none and the server has to say what it wants. */
  current(): Promise<StoredToken | undefined>;
  /** The token as it is: one just obtained is used however short its life, not refreshed at once. */
  latest(): StoredToken | undefined;
  renew(request: RenewalRequest): Promise<Renewal>;
};

const GONE = new Set(["invalid_grant", "invalid_client", "unauthorized_client", "invalid_request", "invalid_scope"]);

export function createTokenSession(options: SessionOptions): TokenSession {
  const { http, serverUrl, grant, store, nonces } = options;
  const key = `${serverUrl.origin}${serverUrl.pathname}${serverUrl.search}`;
  const identity = createIdentitySource(http, store, options.identity);
  const redirectUri = grant.kind === "authorization_code" ? grant.interaction.redirectUri : undefined;
  const granted = new WeakSet<StoredToken>();
  let token: StoredToken | undefined;
  let loaded: Promise<void> | undefined;
  let working: Promise<Renewal> | undefined;

  return {
    async current() {
      await (loaded ??= load().catch(forgetLoad));
      if (!token || remainingMs(token) > options.expirySkewMs) return token;
      if (token.refreshToken !== undefined) await refreshBeforeExpiry(token);
      if (token && remainingMs(token) <= 0) await replace(token.issuer, undefined);
      return token;
    },
    latest: () => token,
    renew,
  };

  async function renew(request: RenewalRequest): Promise<Renewal> {
    if (token && token !== request.rejected) return "shared";
    if (!working) return await exclusively(() => obtain(request));
    const outcome = await working;
    return outcome === "pointless" ? await renew(request) : outcome === "retry" ? "retry" : "shared";
  }

  async function exclusively(work: () => Promise<Renewal>): Promise<Renewal> {
    const running = work();
    working = running;
    try {
      return await running;
    } finally {
      working = undefined;
    }
  }

  async function load(): Promise<void> {
    const issuer = await store.readIssuer(key);
    if (issuer !== undefined) token = await store.readToken(issuer, key);
  }

  // A store that fails once is asked again by the next request.
  function forgetLoad(error: unknown): never {
    loaded = undefined;
    throw error;
  }

  async function obtain({ demand, rejected, earlier }: RenewalRequest): Promise<Renewal> {
    // ServerRequests afresh every time: the server may have moved to another authorization server since.
    const published = await discoverProtectedResource(http, serverUrl, demand.resourceMetadata);
    const server = await discoverServer(published);
    const kept = rejected?.issuer === server.issuer ? rejected : undefined;
    if (rejected && !kept) await replace(rejected.issuer, undefined);
    const refreshable = demand.kind === "invalid_token" && earlier === undefined && kept?.refreshToken !== undefined;
    if (refreshable && (await refresh(kept, server))) return "refreshed";
    const scopes = chooseScopes({
      challenged: demand.scope,
      resourceSupports: published?.scopesSupported,
      serverSupports: server.scopesSupported,
      earlier: kept?.scopes ?? [],
      wantsRefreshToken: grant.kind === "authorization_code",
    });
    // Straight from a grant made while this request waited, and refused all the same: another would fare no better.
    const tried = demand.kind === "insufficient_scope" || (earlier !== undefined && kept && granted.has(kept));
    if (kept && tried && includesAll(kept.scopes, scopes)) return "pointless";
    return await acquire(server, published, scopes, demand);
  }

  async function acquire(
    server: AuthorizationServer,
    published: ProtectedResource | undefined,
    scopes: string[],
    demand: AuthDemand,
  ): Promise<Renewal> {
    const dpopKey = await chooseDpopKey(server, published, demand);
    const client = await identity.choose(server, redirectUri);
    const endpoint = tokenEndpoint(server, client, dpopKey);
    const resource = published?.resource;
    try {
      const reply = await runGrant(grant, { server, endpoint, scopes, resource });
      if (dpopKey && !demand.acceptsBearer && reply.type.toLowerCase() !== "dpop")
        throw new AuthorizationError(
          "dpop_required",
          "the server wants a DPoP token, the authorization server gave another",
        );
      const bound = { issuer: server.issuer, clientId: client?.clientId, resource };
      const next = tokenFrom(reply, { ...bound, scopes, dpopKey, refreshToken: undefined });
      granted.add(next);
      await replace(server.issuer, next);
      return "granted";
    } catch (error) {
      // a registration that the server no longer knows can be made again; anything else is for the caller
      if (oauthErrorOf(error) === "invalid_client" && (await identity.forget(server))) return "retry";
      throw error;
    }
  }

  async function discoverServer(published: ProtectedResource | undefined): Promise<AuthorizationServer> {
    if (!published) return await discoverLegacyServer(http, serverUrl);
    const issuers = published.authorizationServers;
    const configured = options.identity.client?.issuer;
    const preferred = issuers.find((issuer) => issuer === configured) ?? options.chooseIssuer(issuers) ?? issuers[0];
    if (preferred === undefined || !issuers.includes(preferred))
      throw new AuthorizationError(
        "bad_configuration",
        "the chosen authorization server is not one the MCP server names",
      );
    return await discoverAuthorizationServer(http, preferred);
  }

  // Binding a token to a key helps only where the MCP server understands it; elsewhere it would lock us out.
  async function chooseDpopKey(
    server: AuthorizationServer,
    published: ProtectedResource | undefined,
    demand: AuthDemand,
  ): Promise<DpopKey | undefined> {
    const required = options.dpop === "always" || published?.dpopRequired === true || !demand.acceptsBearer;
    if (options.dpop === "never" && !required) return undefined;
    if (!required && !demand.acceptsDpop) return undefined;
    if (options.dpop !== "never" && server.dpopAlgorithms?.includes(DPOP_ALGORITHM) === true)
      return await createDpopKey();
    if (!required) return undefined;
    throw new AuthorizationError(
      "dpop_required",
      `DPoP is required, and ${quoteForeign(server.issuer)} or our settings lack it`,
    );
  }

  async function refreshBeforeExpiry(old: StoredToken): Promise<void> {
    try {
      await (working ??
        exclusively(async () => {
          const known =
            old.resource === undefined
              ? discoverLegacyServer(http, serverUrl)
              : discoverAuthorizationServer(http, old.issuer);
          return (await refresh(old, await known)) ? "refreshed" : "pointless";
        }));
    } catch (error) {
      // An outage of the authorization server is no reason to stop while the token still holds.
      if (remainingMs(old) <= 0) throw error;
    }
  }

  async function refresh(old: StoredToken, server: AuthorizationServer): Promise<boolean> {
    const client = old.clientId === undefined ? undefined : await identity.recall(server, old.clientId);
    if (old.refreshToken === undefined || server.issuer !== old.issuer || (old.clientId !== undefined && !client))
      return false;
    try {
      const reply = await requestToken(tokenEndpoint(server, client, old.dpopKey), {
        grant_type: "refresh_token",
        refresh_token: old.refreshToken,
        ...(old.resource === undefined ? {} : { resource: old.resource }),
      });
      await replace(server.issuer, tokenFrom(reply, { ...old, dpopKey: old.dpopKey, refreshToken: old.refreshToken }));
      return true;
    } catch (error) {
      // a refresh token that has ended is dropped, and the user asked again
      if (!GONE.has(oauthErrorOf(error) ?? "")) throw error;
      await replace(server.issuer, undefined);
      return false;
    }
  }

  function tokenEndpoint(
    server: AuthorizationServer,
    client: ClientIdentity | undefined,
    dpopKey: DpopKey | undefined,
  ): TokenEndpoint {
    return { http, server, client, dpop: dpopKey && { key: dpopKey, nonces } };
  }

  async function replace(issuer: string, next: StoredToken | undefined): Promise<void> {
    token = next;
    await store.writeToken(issuer, key, next);
    if (next) await store.writeIssuer(key, issuer);
  }
}

type TokenBinding = Pick<StoredToken, "issuer" | "clientId" | "resource" | "scopes"> & {
  dpopKey: DpopKey | undefined;
  /** Kept when the reply brings no new one: not every server rotates. */
  refreshToken: string | undefined;
};

function tokenFrom(reply: TokenReply, binding: TokenBinding): StoredToken {
  const kind = reply.type.toLowerCase();
  if (kind !== "bearer" && (kind !== "dpop" || !binding.dpopKey))
    throw new AuthorizationError("bad_token_reply", `the token type ${quoteForeign(reply.type)} was not asked for`);
  const refreshToken = reply.refreshToken ?? binding.refreshToken;
  return {
    issuer: binding.issuer,
    clientId: binding.clientId,
    resource: binding.resource,
    value: reply.accessToken,
    type: kind === "dpop" ? "DPoP" : "Bearer",
    scopes: [...new Set([...binding.scopes, ...(reply.scopes ?? [])])],
    ...(reply.expiresInS === undefined ? {} : { expiresAtMs: Date.now() + reply.expiresInS * 1000 }),
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(binding.dpopKey === undefined ? {} : { dpopKey: binding.dpopKey }),
  };
}

function remainingMs(token: StoredToken): number {
  return token.expiresAtMs === undefined ? Infinity : token.expiresAtMs - Date.now();
}

function oauthErrorOf(error: unknown): string | undefined {
  return error instanceof AuthorizationError && error.code === "token_refused" ? error.oauthError : undefined;
}
