// Authorization server metadata (RFC 8414, OpenID discovery), and the 2025-03-26 way without any.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import { flagField, listField, requiredText, textField, getJson } from "./fetch-json.ts";
import type { AuthHttp, JsonObject } from "./fetch-json.ts";
import { safeUrl } from "./safe-url.ts";

export type AuthorizationServer = {
  issuer: string;
  authorizationEndpoint: URL | undefined;
  tokenEndpoint: URL;
  registrationEndpoint: URL | undefined;
  jwksUri: URL | undefined;
  scopesSupported: string[] | undefined;
  authMethods: string[] | undefined;
  codeChallengeMethods: string[] | undefined;
  dpopAlgorithms: string[] | undefined;
  acceptsMetadataDocuments: boolean;
  sendsIss: boolean;
};

const OAUTH = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

export async function discoverAuthorizationServer(http: AuthHttp, issuer: string): Promise<AuthorizationServer> {
  const base = safeUrl(issuer, http.urls, "authorization server");
  if (base.search !== "" || base.hash !== "")
    throw new AuthorizationError("bad_document", `the issuer ${quoteForeign(issuer)} has a query or a fragment`);
  for (const location of metadataLocations(base)) {
    const document = await readMetadata(http, location);
    // A document that names another issuer was put there to mix two servers up (RFC 8414 §3.3): stop, do not look on.
    if (document) return parseServer(http, document, [issuer]);
  }
  throw new AuthorizationError("no_metadata", `the authorization server ${quoteForeign(issuer)} publishes no metadata`);
}

/** 2025-03-26: the MCP server's origin is the authorization server, with fixed paths when it publishes nothing. */
export async function discoverLegacyServer(http: AuthHttp, serverUrl: URL): Promise<AuthorizationServer> {
  const { origin } = serverUrl;
  const document = await readMetadata(http, new URL(OAUTH, origin));
  // Here nobody named the issuer, we made it up from the origin: both spellings of a bare origin are it.
  if (document) return parseServer(http, document, [origin, `${origin}/`]);
  return {
    issuer: origin,
    authorizationEndpoint: new URL("/authorize", origin),
    tokenEndpoint: new URL("/token", origin),
    registrationEndpoint: new URL("/register", origin),
    jwksUri: undefined,
    scopesSupported: undefined,
    authMethods: ["none", "client_secret_post"],
    codeChallengeMethods: ["S256"], // that revision requires PKCE of everyone
    dpopAlgorithms: undefined,
    acceptsMetadataDocuments: false,
    sendsIss: false,
  };
}

function metadataLocations(issuer: URL): URL[] {
  const path = issuer.pathname === "/" ? "" : issuer.pathname.replace(/\/$/, "");
  const inserted = [new URL(`${issuer.origin}${OAUTH}${path}`), new URL(`${issuer.origin}${OPENID}${path}`)];
  return path === "" ? inserted : [...inserted, new URL(`${issuer.origin}${path}${OPENID}`)];
}

async function readMetadata(http: AuthHttp, location: URL): Promise<JsonObject | undefined> {
  const reply = await getJson(http, location);
  if (reply.status >= 500) throw new AuthorizationError("network", `${location.href} answered ${reply.status}`);
  return reply.status === 200 ? reply.body : undefined;
}

function parseServer(http: AuthHttp, document: JsonObject, accepted: string[]): AuthorizationServer {
  const issuer = requiredText(document, "issuer");
  if (!accepted.includes(issuer))
    throw new AuthorizationError(
      "issuer_mismatch",
      `the metadata of ${quoteForeign(accepted[0] ?? "")} names the issuer ${quoteForeign(issuer)}`,
    );
  const endpoint = (key: string): URL | undefined => {
    const value = textField(document, key);
    return value === undefined ? undefined : safeUrl(value, http.urls, key);
  };
  return {
    issuer,
    authorizationEndpoint: endpoint("authorization_endpoint"),
    tokenEndpoint: safeUrl(requiredText(document, "token_endpoint"), http.urls, "token_endpoint"),
    registrationEndpoint: endpoint("registration_endpoint"),
    jwksUri: endpoint("jwks_uri"),
    scopesSupported: listField(document, "scopes_supported"),
    authMethods: listField(document, "token_endpoint_auth_methods_supported"),
    codeChallengeMethods: listField(document, "code_challenge_methods_supported"),
    dpopAlgorithms: listField(document, "dpop_signing_alg_values_supported"),
    acceptsMetadataDocuments: flagField(document, "client_id_metadata_document_supported"),
    sendsIss: flagField(document, "authorization_response_iss_parameter_supported"),
  };
}
