// Dynamic client registration (RFC 7591): introducing ourselves to an authorization server that has never heard of us.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { AuthMethod, RegisteredClient } from "./credential-store.ts";
import { requiredText, secondsField, textField } from "./document-fields.ts";
import { postJson } from "./fetch-json.ts";
import type { AuthHttp, JsonObject } from "./fetch-json.ts";

export type ClientDescription = {
  clientName: string;
  clientUri?: string;
  softwareId?: string;
  softwareVersion?: string;
};

export async function registerClient(
  http: AuthHttp,
  server: AuthorizationServer,
  endpoint: URL,
  description: ClientDescription,
  redirectUri: string,
): Promise<RegisteredClient> {
  const wanted = wantedMethod(server.authMethods);
  const reply = await postJson(http, endpoint, {
    client_name: description.clientName,
    client_uri: description.clientUri,
    software_id: description.softwareId,
    software_version: description.softwareVersion,
    redirect_uris: [redirectUri],
    application_type: "native", // without it OpenID providers assume a web client and refuse loopback redirects
    grant_types: ["authorization_code", "refresh_token"],
    response_types: ["code"],
    token_endpoint_auth_method: wanted,
  });
  if ((reply.status !== 201 && reply.status !== 200) || !reply.body) {
    const error = reply.body?.["error"];
    const reason = typeof error === "string" ? quoteForeign(error) : `HTTP ${reply.status}`;
    throw new AuthorizationError("registration_refused", `the authorization server refused to register us: ${reason}`);
  }
  return parseRegistration(reply.body, wanted, redirectUri);
}

// A native program cannot keep a secret, so none is asked for where the server can do without.
function wantedMethod(supported: string[] | undefined): AuthMethod {
  const choices = supported ?? ["client_secret_basic"];
  return (
    (["none", "client_secret_basic", "client_secret_post"] as const).find((name) => choices.includes(name)) ?? "none"
  );
}

function parseRegistration(body: JsonObject, wanted: AuthMethod, redirectUri: string): RegisteredClient {
  const clientSecret = textField(body, "client_secret");
  const expiresAtS = secondsField(body, "client_secret_expires_at") ?? 0; // 0 is RFC 7591's "never"
  return {
    clientId: requiredText(body, "client_id"),
    authMethod: fixedMethod(textField(body, "token_endpoint_auth_method") ?? wanted, clientSecret !== undefined),
    redirectUri,
    ...(clientSecret === undefined ? {} : { clientSecret }),
    ...(expiresAtS === 0 ? {} : { secretExpiresAtMs: expiresAtS * 1000 }),
  };
}

function fixedMethod(method: string, hasSecret: boolean): AuthMethod {
  if (method === "none") return "none";
  if (hasSecret && (method === "client_secret_basic" || method === "client_secret_post")) return method;
  throw new AuthorizationError(
    "registration_refused",
    `the registration asks for ${quoteForeign(method)}, without the means`,
  );
}
