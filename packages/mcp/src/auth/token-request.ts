// One request to a token endpoint, and the reading of what comes back.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import { authenticateClient } from "./client-authentication.ts";
import type { ClientIdentity } from "./credential-store.ts";
import { requiredText, secondsField, textField, postForm } from "./fetch-json.ts";
import { dpopProof } from "./dpop.ts";
import type { DpopKey, DpopNonces } from "./dpop.ts";
import type { AuthHttp, JsonObject, JsonReply } from "./fetch-json.ts";
import { parseScopes } from "./scopes.ts";

export type TokenEndpoint = {
  http: AuthHttp;
  server: Pick<AuthorizationServer, "issuer" | "tokenEndpoint" | "authMethods">;
  /** Absent only where the grant itself says who asks (RFC 7523 §2.1). */
  client: ClientIdentity | undefined;
  dpop: { key: DpopKey; nonces: DpopNonces } | undefined;
};

export type TokenReply = {
  accessToken: string;
  type: string;
  issuedTokenType: string | undefined;
  expiresInS: number | undefined;
  refreshToken: string | undefined;
  scopes: string[] | undefined;
};

export async function requestToken(endpoint: TokenEndpoint, parameters: Record<string, string>): Promise<TokenReply> {
  let reply = await send(endpoint, parameters);
  const learnt = endpoint.dpop?.nonces.learn(endpoint.server.tokenEndpoint, reply.headers) ?? false;
  if (learnt && reply.body?.["error"] === "use_dpop_nonce") {
    reply = await send(endpoint, parameters);
    endpoint.dpop?.nonces.learn(endpoint.server.tokenEndpoint, reply.headers);
  }
  if (reply.status === 200 && reply.body) return parseTokenReply(reply.body);
  throw refusal(reply);
}

async function send(endpoint: TokenEndpoint, parameters: Record<string, string>): Promise<JsonReply> {
  const form = new URLSearchParams(parameters);
  const { http, server, client, dpop } = endpoint;
  const headers = client ? await authenticateClient(client, server, form) : {};
  if (dpop) {
    const nonce = dpop.nonces.read(server.tokenEndpoint);
    headers["dpop"] = await dpopProof(dpop.key, { method: "POST", url: server.tokenEndpoint, nonce });
  }
  return await postForm(http, server.tokenEndpoint, form, headers);
}

function parseTokenReply(body: JsonObject): TokenReply {
  const accessToken = requiredText(body, "access_token");
  // It becomes part of a header line: anything beyond visible ASCII could end that line.
  if (!/^[\u0021-\u007e]+$/.test(accessToken))
    throw new AuthorizationError("bad_token_reply", "the access token holds characters that no header may carry");
  const scope = textField(body, "scope");
  return {
    accessToken,
    type: requiredText(body, "token_type"),
    issuedTokenType: textField(body, "issued_token_type"),
    expiresInS: secondsField(body, "expires_in"),
    refreshToken: textField(body, "refresh_token"),
    scopes: scope === undefined ? undefined : parseScopes(scope),
  };
}

function refusal(reply: JsonReply): AuthorizationError {
  const error = reply.body?.["error"];
  if (typeof error !== "string")
    return new AuthorizationError("token_refused", `the token endpoint answered HTTP ${reply.status} without a reason`);
  const description = reply.body?.["error_description"];
  const detail = typeof description === "string" ? `: ${quoteForeign(description)}` : "";
  return new AuthorizationError("token_refused", `the token was refused, ${quoteForeign(error)}${detail}`, error);
}
