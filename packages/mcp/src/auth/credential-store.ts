// What is kept between requests: client registrations and tokens, always under the issuer that made them. A credential
// of one authorization server is never looked up under another.
import type { DpopKey } from "./dpop.ts";
import type { SigningKey } from "./jwt.ts";

export type AuthMethod = "client_secret_basic" | "client_secret_post" | "private_key_jwt" | "none";

export type ClientIdentity = {
  clientId: string;
  clientSecret?: string;
  signingKey?: SigningKey;
  /** What the registration fixed; otherwise chosen from what the server supports. */
  authMethod?: AuthMethod;
};

/** What dynamic registration gave us. */
export type RegisteredClient = ClientIdentity & { redirectUri: string; secretExpiresAtMs?: number };

export type StoredToken = {
  issuer: string;
  /** The client it was issued to; undefined where the grant alone said who asks. */
  clientId: string | undefined;
  /** The published name of the server it is for; undefined with a 2025-03-26 server. */
  resource: string | undefined;
  value: string;
  type: "Bearer" | "DPoP";
  expiresAtMs?: number;
  refreshToken?: string;
  /** What was asked for and what the server said it gave. */
  scopes: string[];
  dpopKey?: DpopKey;
};

export type CredentialStore = {
  /** The issuer that `server` used last. */
  readIssuer(server: string): Promise<string | undefined>;
  writeIssuer(server: string, issuer: string): Promise<void>;
  readClient(issuer: string): Promise<RegisteredClient | undefined>;
  writeClient(issuer: string, client: RegisteredClient | undefined): Promise<void>;
  readToken(issuer: string, server: string): Promise<StoredToken | undefined>;
  writeToken(issuer: string, server: string, token: StoredToken | undefined): Promise<void>;
};

/** A server that names a new issuer with every answer must not grow us for ever. */
const MAX_ENTRIES = 256;

export function createMemoryStore(): CredentialStore {
  const issuers = new Map<string, string>();
  const clients = new Map<string, RegisteredClient>();
  const tokens = new Map<string, StoredToken>();
  return {
    readIssuer: async (server) => issuers.get(server),
    writeIssuer: async (server, issuer) => put(issuers, server, issuer),
    readClient: async (issuer) => clients.get(issuer),
    writeClient: async (issuer, client) => put(clients, issuer, client),
    readToken: async (issuer, server) => tokens.get(tokenKey(issuer, server)),
    writeToken: async (issuer, server, token) => put(tokens, tokenKey(issuer, server), token),
  };
}

function tokenKey(issuer: string, server: string): string {
  return JSON.stringify([issuer, server]);
}

function put<Value>(map: Map<string, Value>, key: string, value: Value | undefined): void {
  map.delete(key);
  if (value === undefined) return;
  const oldest = map.size >= MAX_ENTRIES ? map.keys().next().value : undefined;
  if (oldest !== undefined) map.delete(oldest);
  map.set(key, value);
}
