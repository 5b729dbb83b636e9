// Sign-ins at servers. They live in memory; only what a person asked to keep is written, 0600, in the state folder.
// Tokens bound to a key of this process are never written: the key is not, either.
import path from "node:path";
import { createMemoryStore, isObject } from "@bosun/mcp";
import type { CredentialStore, RegisteredClient, StoredToken } from "@bosun/mcp";
import { openCacheFile } from "./cache-file.ts";
import type { CacheFile } from "./cache-file.ts";

type Kept = {
  readonly tokens: Readonly<Record<string, StoredToken>>;
  /** By issuer. */
  readonly clients: Readonly<Record<string, RegisteredClient>>;
};

export class SavedSignIns {
  readonly #file: CacheFile<Kept>;
  readonly #memory: CredentialStore = createMemoryStore();
  readonly #onSecret: (secret: string) => void;
  readonly #toKeep = new Set<string>();

  constructor(stateFolder: string, onSecret: (secret: string) => void) {
    this.#file = openCacheFile(path.join(stateFolder, "sign-ins.json"), { tokens: {}, clients: {} }, parseKept);
    this.#onSecret = onSecret;
    for (const [server, token] of Object.entries(this.#file.value.tokens)) {
      this.#toKeep.add(server);
      this.#hide(token);
    }
  }

  /** The address a client was registered with, when a sign-in at this server is kept. */
  keptFor(serverUrl: string): { redirectUri: string | undefined } | undefined {
    const token = this.#file.value.tokens[keyOf(serverUrl)];
    return token === undefined ? undefined : { redirectUri: this.#file.value.clients[token.issuer]?.redirectUri };
  }

  /** From now on what is signed in there is written down. */
  keep(serverUrl: string): void {
    this.#toKeep.add(keyOf(serverUrl));
  }

  /** True when something had been kept. */
  async forget(serverUrl: string): Promise<boolean> {
    const key = keyOf(serverUrl);
    const kept = this.#file.value.tokens[key];
    const issuer = kept?.issuer ?? (await this.#memory.readIssuer(key));
    if (issuer !== undefined) await this.#memory.writeToken(issuer, key, undefined);
    this.#toKeep.delete(key);
    if (kept !== undefined) this.#file.update((all) => ({ ...all, tokens: without(all.tokens, key) }));
    return kept !== undefined;
  }

  get store(): CredentialStore {
    return {
      readIssuer: async (server) => this.#file.value.tokens[server]?.issuer ?? this.#memory.readIssuer(server),
      writeIssuer: (server, issuer) => this.#memory.writeIssuer(server, issuer),
      readClient: async (issuer) => this.#file.value.clients[issuer] ?? this.#memory.readClient(issuer),
      writeClient: async (issuer, client) => {
        await this.#memory.writeClient(issuer, client);
        if (client?.clientSecret !== undefined) this.#onSecret(client.clientSecret);
        const isWritten = this.#toKeep.size > 0 && client !== undefined && client.signingKey === undefined;
        if (isWritten) this.#file.update((all) => ({ ...all, clients: { ...all.clients, [issuer]: client } }));
        else if (issuer in this.#file.value.clients)
          this.#file.update((all) => ({ ...all, clients: without(all.clients, issuer) }));
      },
      readToken: async (issuer, server) => {
        const kept = this.#file.value.tokens[server];
        return kept?.issuer === issuer ? kept : this.#memory.readToken(issuer, server);
      },
      writeToken: async (issuer, server, token) => {
        await this.#memory.writeToken(issuer, server, token);
        if (token !== undefined) this.#hide(token);
        const isWritten = this.#toKeep.has(server) && token !== undefined && token.dpopKey === undefined;
        if (isWritten) this.#file.update((all) => ({ ...all, tokens: { ...all.tokens, [server]: token } }));
        else if (server in this.#file.value.tokens)
          this.#file.update((all) => ({ ...all, tokens: without(all.tokens, server) }));
      },
    };
  }

  #hide({ value, refreshToken }: StoredToken): void {
    this.#onSecret(value);
    if (refreshToken !== undefined) this.#onSecret(refreshToken);
  }
}

/** As the token's owner names a server: without fragment or credentials. */
function keyOf(serverUrl: string): string {
  const { origin, pathname, search } = new URL(serverUrl);
  return `${origin}${pathname}${search}`;
}

function without<T>(table: Readonly<Record<string, T>>, key: string): Record<string, T> {
  return Object.fromEntries(Object.entries(table).filter(([one]) => one !== key));
}

function parseKept(value: unknown): Kept | undefined {
  if (!isObject(value) || !isObject(value["tokens"]) || !isObject(value["clients"])) return undefined;
  const tokens: Record<string, StoredToken> = {};
  for (const [server, token] of Object.entries(value["tokens"])) {
    if (!isObject(token) || typeof token["value"] !== "string" || typeof token["issuer"] !== "string") return undefined;
    const { clientId, resource, expiresAtMs, refreshToken, scopes } = token;
    tokens[server] = {
      issuer: token["issuer"],
      value: token["value"],
      type: "Bearer",
      clientId: typeof clientId === "string" ? clientId : undefined,
      resource: typeof resource === "string" ? resource : undefined,
      scopes: Array.isArray(scopes) ? scopes.map(String) : [],
      ...(typeof expiresAtMs === "number" ? { expiresAtMs } : {}),
      ...(typeof refreshToken === "string" ? { refreshToken } : {}),
    };
  }
  const clients: Record<string, RegisteredClient> = {};
  for (const [issuer, client] of Object.entries(value["clients"])) {
    if (!isObject(client) || typeof client["clientId"] !== "string") return undefined;
    const { clientSecret, redirectUri, secretExpiresAtMs, authMethod } = client;
    clients[issuer] = {
      clientId: client["clientId"],
      redirectUri: typeof redirectUri === "string" ? redirectUri : "",
      ...(typeof clientSecret === "string" ? { clientSecret } : {}),
      ...(typeof secretExpiresAtMs === "number" ? { secretExpiresAtMs } : {}),
      ...(authMethod === "client_secret_basic" || authMethod === "client_secret_post" || authMethod === "none"
        ? { authMethod }
        : {}),
    };
  }
  return { tokens, clients };
}
