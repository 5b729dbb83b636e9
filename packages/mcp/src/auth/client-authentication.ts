// How a client proves who it is at the token endpoint (RFC 6749 §2.3, RFC 7523).
import type { AuthorizationServer } from "./authorization-server.ts";
import { AuthorizationError } from "./authorization-error.ts";
import { randomBase64Url } from "./base64url.ts";
import type { AuthMethod, ClientIdentity } from "./credential-store.ts";
import { signJwt } from "./jwt.ts";
import type { SigningKey } from "./jwt.ts";

const ASSERTION_LIFETIME_S = 120;

/** Adds the client to a token request: parameters into `form`, and the headers it needs. */
export async function authenticateClient(
  client: ClientIdentity,
  server: Pick<AuthorizationServer, "issuer" | "authMethods">,
  form: URLSearchParams,
): Promise<Record<string, string>> {
  const method = chooseAuthMethod(client, server.authMethods);
  if (method === "client_secret_basic")
    return {
      authorization: `Basic ${btoa(`${formEncode(client.clientId)}:${formEncode(client.clientSecret ?? "")}`)}`,
    };
  form.set("client_id", client.clientId);
  if (method === "client_secret_post") form.set("client_secret", client.clientSecret ?? "");
  if (method === "private_key_jwt" && client.signingKey) {
    form.set("client_assertion_type", "urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
    form.set("client_assertion", await clientAssertion(client.clientId, client.signingKey, server.issuer));
  }
  return {};
}

export function chooseAuthMethod(client: ClientIdentity, supported: string[] | undefined): AuthMethod {
  if (client.signingKey) return "private_key_jwt";
  if (client.authMethod !== undefined) return client.authMethod;
  if (client.clientSecret === undefined) return "none";
  const choices = supported ?? ["client_secret_basic"]; // the default of RFC 8414 §2
  const method = (["client_secret_basic", "client_secret_post", "none"] as const).find((name) =>
    choices.includes(name),
  );
  if (method) return method;
  throw new AuthorizationError(
    "no_client_identity",
    `the authorization server takes no client secret (it supports ${choices.slice(0, 10).join(", ")})`,
  );
}

// The audience is the issuer and nothing else: a token endpoint as audience let one server replay what was meant for
// another.
async function clientAssertion(clientId: string, key: SigningKey, issuer: string): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: clientId, sub: clientId, aud: issuer, jti: randomBase64Url(16), iat: now };
  return await signJwt(key, { typ: "JWT" }, { ...claims, exp: now + ASSERTION_LIFETIME_S });
}

// RFC 6749 §2.3.1: both parts are form-encoded first, so that a colon in the id cannot move the border.
function formEncode(text: string): string {
  return new URLSearchParams([["", text]]).toString().slice(1);
}
