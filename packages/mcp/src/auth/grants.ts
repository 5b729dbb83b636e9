// The ways to a token, one case each: with the user, as a machine, with a workload's own JWT, through the enterprise.
import { authorizeWithCode } from "./authorization-code.ts";
import { AuthorizationError } from "./authorization-error.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { requireIdentity } from "./client-identity.ts";
import type { ClientIdentity } from "./credential-store.ts";
import { safeUrl } from "./safe-url.ts";
import { requestToken } from "./token-request.ts";
import type { TokenEndpoint, TokenReply } from "./token-request.ts";
import type { UserInteraction } from "./authorization-code.ts";

/** A fresh assertion for one authorization server: its issuer is the audience the assertion must name. */
type AssertionSource = (audience: { issuer: string; resource: string | undefined }) => Promise<string>;

/** The company's identity provider, which trades the user's sign-in for a grant (ID-JAG). */
export type IdentityProvider = {
  tokenEndpoint: string;
  client: ClientIdentity;
  idToken: () => Promise<string>;
  issuer?: string;
};

export type Grant =
  | { kind: "authorization_code"; interaction: UserInteraction }
  | { kind: "client_credentials" }
  | { kind: "jwt_bearer"; assertion: AssertionSource }
  | { kind: "enterprise_managed"; identityProvider: IdentityProvider };

type GrantRequest = {
  server: AuthorizationServer;
  endpoint: TokenEndpoint;
  scopes: string[];
  resource: string | undefined;
};

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const TOKEN_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange";
const ID_JAG = "urn:ietf:params:oauth:token-type:id-jag";
const ID_TOKEN = "urn:ietf:params:oauth:token-type:id_token";

/** A refusal is passed up, never answered with a retry or with another grant. */
export async function runGrant(grant: Grant, request: GrantRequest): Promise<TokenReply> {
  const { server, endpoint, resource, scopes } = request;
  const target = targetParameters(request);
  switch (grant.kind) {
    case "authorization_code": {
      const client = requireIdentity(endpoint.client, server);
      return await authorizeWithCode({ server, client, interaction: grant.interaction, endpoint, scopes, resource });
    }
    case "client_credentials":
      requireIdentity(endpoint.client, server);
      return await requestToken(endpoint, { grant_type: "client_credentials", ...target });
    case "jwt_bearer": {
      const assertion = await grant.assertion({ issuer: server.issuer, resource });
      return await requestToken(endpoint, { grant_type: JWT_BEARER, assertion, ...target });
    }
    case "enterprise_managed": {
      requireIdentity(endpoint.client, server);
      const assertion = await exchangeIdToken(grant.identityProvider, request);
      return await requestToken(endpoint, { grant_type: JWT_BEARER, assertion, ...target });
    }
  }
}

// The provider's address comes from our own configuration, so it may be anywhere, this machine included.
async function exchangeIdToken(provider: IdentityProvider, request: GrantRequest): Promise<string> {
  const http = { ...request.endpoint.http, urls: { ...request.endpoint.http.urls, nearest: "loopback" as const } };
  const tokenEndpoint = safeUrl(provider.tokenEndpoint, http.urls, "identity provider");
  const server = { issuer: provider.issuer ?? tokenEndpoint.origin, tokenEndpoint, authMethods: undefined };
  const reply = await requestToken(
    { http, server, client: provider.client, dpop: undefined },
    {
      grant_type: TOKEN_EXCHANGE,
      requested_token_type: ID_JAG,
      audience: request.server.issuer,
      subject_token: await provider.idToken(),
      subject_token_type: ID_TOKEN,
      ...targetParameters(request),
    },
  );
  if (reply.issuedTokenType !== ID_JAG)
    throw new AuthorizationError("bad_token_reply", "the identity provider did not issue an ID-JAG");
  return reply.accessToken;
}

function targetParameters({ resource, scopes }: GrantRequest): Record<string, string> {
  return {
    ...(resource === undefined ? {} : { resource }),
    ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
  };
}
