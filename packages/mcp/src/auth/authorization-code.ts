// The authorization code grant with PKCE (RFC 7636): send the user there, and believe nothing that comes back unchecked.
import { reachOf } from "@bosun/platform/hosts";
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { randomBase64Url, sha256Base64Url } from "./base64url.ts";
import type { ClientIdentity } from "./credential-store.ts";
import { requestToken } from "./token-request.ts";
import type { TokenEndpoint, TokenReply } from "./token-request.ts";
import { DEFAULT_TIMEOUT_MS } from "./fetch-json.ts";
import type { HttpFetch } from "./fetch-json.ts";

type CodeRequest = {
  server: AuthorizationServer;
  client: ClientIdentity;
  interaction: UserInteraction;
  endpoint: TokenEndpoint;
  scopes: string[];
  /** As published; absent with a 2025-03-26 server, which has no such name. */
  resource: string | undefined;
};

export async function authorizeWithCode(request: CodeRequest): Promise<TokenReply> {
  const { server, client, interaction } = request;
  requirePkce(server);
  const pkce = await createPkce();
  const state = randomBase64Url(32);
  const optional = {
    ...(request.resource === undefined ? {} : { resource: request.resource }),
    ...(request.scopes.length === 0 ? {} : { scope: request.scopes.join(" ") }),
  };
  const url = authorizationUrl(server, {
    response_type: "code",
    client_id: client.clientId,
    redirect_uri: interaction.redirectUri,
    state,
    code_challenge: pkce.challenge,
    code_challenge_method: "S256",
    ...optional,
    // OpenID providers give a refresh token only to those who ask the user again.
    ...(request.scopes.includes("offline_access") ? { prompt: "consent" } : {}),
  });
  const code = readCallback(await interaction.authorize(url), { server, state, redirectUri: interaction.redirectUri });
  return await requestToken(request.endpoint, {
    grant_type: "authorization_code",
    code,
    code_verifier: pkce.verifier,
    redirect_uri: interaction.redirectUri,
    ...(request.resource === undefined ? {} : { resource: request.resource }),
  });
}

type ExpectedCallback = {
  server: Pick<AuthorizationServer, "issuer" | "sendsIss">;
  state: string;
  redirectUri: string;
};

/** The code of a redirect that really answers our request. State and issuer are checked before an error is believed. */
export function readCallback(callback: URL, expected: ExpectedCallback): string {
  const home = checkRedirectUri(expected.redirectUri);
  if (callback.origin !== home.origin || callback.pathname !== home.pathname)
    throw new AuthorizationError(
      "redirect_mismatch",
      "the authorization server redirected to an address that is not ours",
    );
  const single = (name: string): string | undefined => onlyValue(callback.searchParams, name);
  if (single("state") !== expected.state)
    throw new AuthorizationError("state_mismatch", "the redirect does not carry the state of this authorization");
  checkIss(single("iss"), expected.server);
  const error = single("error");
  if (error !== undefined) {
    const description = single("error_description");
    const detail = description === undefined ? "" : `: ${quoteForeign(description)}`;
    throw new AuthorizationError(
      "authorization_denied",
      `authorization failed, ${quoteForeign(error)}${detail}`,
      error,
    );
  }
  const code = single("code");
  if (code === undefined || code === "")
    throw new AuthorizationError("authorization_denied", "the redirect carries neither a code nor an error");
  return code;
}

// RFC 9207: without it one server could have its code redeemed at another. Compared as bytes, never as URLs.
function checkIss(iss: string | undefined, server: Pick<AuthorizationServer, "issuer" | "sendsIss">): void {
  if (iss === undefined && !server.sendsIss) return;
  if (iss !== server.issuer)
    throw new AuthorizationError(
      "iss_mismatch",
      `the redirect comes from ${iss === undefined ? "an unnamed issuer" : quoteForeign(iss)}, not from ${quoteForeign(server.issuer)}`,
    );
}

function requirePkce(server: AuthorizationServer): void {
  if (server.codeChallengeMethods?.includes("S256") !== true)
    throw new AuthorizationError("pkce_unsupported", `${quoteForeign(server.issuer)} does not support PKCE with S256`);
}

function authorizationUrl(server: AuthorizationServer, parameters: Record<string, string>): URL {
  if (!server.authorizationEndpoint)
    throw new AuthorizationError("no_metadata", `${quoteForeign(server.issuer)} has no authorization endpoint`);
  const url = new URL(server.authorizationEndpoint);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  return url;
}

// A parameter that appears twice has no value (RFC 6749 §3.1): which one counts would be the attacker's choice.
function onlyValue(parameters: URLSearchParams, name: string): string | undefined {
  const values = parameters.getAll(name);
  if (values.length > 1) throw new AuthorizationError("state_mismatch", `the redirect repeats "${name}"`);
  return values[0];
}

export type UserInteraction = {
  /** Where the authorization server sends the user back: loopback http, or https. */
  readonly redirectUri: string;
  /** Shows `url` to the user; resolves to the address the authorization server redirected to, query included. */
  authorize(url: URL): Promise<URL>;
};

/** For servers that approve without asking anyone: one request, and the redirect is read instead of followed. */
export function createHeadlessInteraction(options: { fetch: HttpFetch; redirectUri?: string }): UserInteraction {
  return {
    redirectUri: options.redirectUri ?? "http://127.0.0.1:33418/callback",
    async authorize(url) {
      const signal = AbortSignal.timeout(DEFAULT_TIMEOUT_MS);
      const response = await options.fetch(url, { redirect: "manual", signal });
      await response.body?.cancel();
      const location = response.headers.get("location");
      const target = location === null ? null : URL.parse(location, url.href);
      if (!target || response.status < 300 || response.status > 399)
        throw new AuthorizationError("interaction_failed", `the authorization page answered HTTP ${response.status}`);
      return target;
    },
  };
}

/** Anything but loopback or https would carry the code in the open. */
export function checkRedirectUri(text: string): URL {
  const url = URL.parse(text);
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && reachOf(url.hostname) === "loopback");
  if (!url || !safe || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new AuthorizationError("bad_configuration", "the redirect URI must be https, or http on loopback");
  return url;
}

type Pkce = { verifier: string; challenge: string };

/** S256 only: `plain` would protect nobody. */
export async function createPkce(): Promise<Pkce> {
  const verifier = randomBase64Url(32); // 43 characters, the least the RFC allows and 256 bits
  return { verifier, challenge: await sha256Base64Url(verifier) };
}
