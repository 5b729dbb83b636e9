// Who we are to an authorization server: pre-registered, by metadata document, registered on the spot, or as the user
// says; in that order. Registering is RFC 7591.
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { ClientIdentity, CredentialStore, AuthMethod, RegisteredClient } from "./credential-store.ts";
import type { AuthHttp, JsonObject } from "./fetch-json.ts";
import { requiredText, secondsField, textField, postJson } from "./fetch-json.ts";

/** A client that somebody registered by hand. */
type PreRegisteredClient = ClientIdentity & {
  /**
   * Whom the credentials belong to. Without it they are bound to the first issuer they are used with: a server that
   * later names another one does not get to see them.
   */
  issuer?: string;
};

export type IdentityOptions = {
  client?: PreRegisteredClient;
  /** The https address of our client metadata document; it is the client id where the server supports that. */
  clientMetadataUrl?: string;
  /** How to introduce ourselves; `false` never registers. */
  registration?: ClientDescription | false;
  /** Asks the user for an identity when nothing else is left. */
  askForClient?: (issuer: string) => Promise<ClientIdentity | undefined>;
};

type IdentitySource = {
  choose(server: AuthorizationServer, redirectUri: string | undefined): Promise<ClientIdentity | undefined>;
  /** The identity with this id that we have with the server, for what was issued to it. */
  recall(server: AuthorizationServer, clientId: string): Promise<ClientIdentity | undefined>;
  /** The server no longer knows the identity it gave us. Whether a new one may be had. */
  forget(server: AuthorizationServer): Promise<boolean>;
};

export function createIdentitySource(http: AuthHttp, store: CredentialStore, options: IdentityOptions): IdentitySource {
  let boundIssuer = options.client?.issuer;
  if (options.clientMetadataUrl !== undefined) checkMetadataUrl(options.clientMetadataUrl);
  return {
    async choose(server, redirectUri) {
      if (options.client && (boundIssuer ?? server.issuer) === server.issuer) {
        boundIssuer = server.issuer;
        return options.client;
      }
      if (redirectUri === undefined) return undefined; // the rest serves only grants in which a user takes part
      if (options.clientMetadataUrl !== undefined && server.acceptsMetadataDocuments)
        return { clientId: options.clientMetadataUrl, authMethod: "none" };
      return (await register(server, redirectUri)) ?? (await options.askForClient?.(server.issuer));
    },
    async recall(server, clientId) {
      if (options.client?.clientId === clientId && (boundIssuer ?? server.issuer) === server.issuer) {
        boundIssuer = server.issuer;
        return options.client;
      }
      if (options.clientMetadataUrl === clientId) return { clientId, authMethod: "none" };
      const known = await store.readClient(server.issuer);
      return known?.clientId === clientId ? known : undefined;
    },
    async forget(server) {
      if (!(await store.readClient(server.issuer))) return false;
      await store.writeClient(server.issuer, undefined);
      return true;
    },
  };

  async function register(server: AuthorizationServer, redirectUri: string): Promise<ClientIdentity | undefined> {
    const known = await store.readClient(server.issuer);
    if (known && known.redirectUri === redirectUri && (known.secretExpiresAtMs ?? Infinity) > Date.now()) return known;
    const description = options.registration ?? { clientName: "Bosun" };
    if (description === false || !server.registrationEndpoint) return undefined;
    const client = await registerClient(http, server, server.registrationEndpoint, description, redirectUri);
    await store.writeClient(server.issuer, client);
    return client;
  }
}

export function requireIdentity(client: ClientIdentity | undefined, server: AuthorizationServer): ClientIdentity {
  if (client) return client;
  throw new AuthorizationError(
    "no_client_identity",
    `the authorization server ${quoteForeign(server.issuer)} registers no clients by itself: configure a client id for it`,
  );
}

function checkMetadataUrl(text: string): void {
  const url = URL.parse(text);
  if (
    url?.protocol !== "https:" ||
    url.pathname === "/" ||
    url.hash !== "" ||
    url.username !== "" ||
    url.password !== ""
  )
    throw new AuthorizationError("bad_configuration", "clientMetadataUrl must be an https address with a path");
}

type ClientDescription = {
  clientName: string;
  clientUri?: string;
  softwareId?: string;
  softwareVersion?: string;
};

async function registerClient(
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
