// Who we are to an authorization server, and that one server never sees who we are to another.
import { expect, test } from "bun:test";
import type { AuthorizedFetchOptions } from "../../src/auth/authorized-fetch.ts";
import { createMemoryStore } from "../../src/auth/credential-store.ts";
import { clientIdOf, startAuthorizationServer } from "./fixtures/authorization-server.ts";
import type { Bent, TestAuthorizationServer } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post, redirectUri } from "./fixtures/signed-in.ts";

const document = "https://bosun.example/client.json";
const registered = { clientId: "pre", clientSecret: "s" };
const acceptsDocuments = { client_id_metadata_document_supported: true };
const noRegistration = { registration_endpoint: undefined };
const ask = async (): Promise<{ clientId: string }> => ({ clientId: "asked" });

test.each<[string, Record<string, unknown>, Partial<AuthorizedFetchOptions>, string]>([
  [
    "pre-registered before all",
    acceptsDocuments,
    { client: registered, clientMetadataUrl: document, askForClient: ask },
    "pre",
  ],
  ["the metadata document next", acceptsDocuments, { clientMetadataUrl: document, askForClient: ask }, document],
  [
    "registration where documents are not taken",
    {},
    { clientMetadataUrl: document, askForClient: ask },
    "client-1@ISSUER",
  ],
  ["asking last", noRegistration, { clientMetadataUrl: document, askForClient: ask }, "asked"],
  ["asking where registration is off", {}, { registration: false, askForClient: ask }, "asked"],
])("identity: %s", async (_, metadata, options, expected) => {
  await using as = await startAuthorizationServer({ metadata: () => metadata });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  expect((await post(authorizedFetch(server.url, options), server.url)).status).toBe(200);
  expect(as.authorizations[0]?.get("client_id")).toBe(expected.replace("ISSUER", as.issuer));
});

test.each(["http://bosun.example/client.json", "https://bosun.example/", "https://u:p@bosun.example/c", "nonsense"])(
  "%s cannot be a client metadata document",
  (clientMetadataUrl) => {
    const make = (): unknown => authorizedFetch("http://127.0.0.1:1/mcp", { clientMetadataUrl });
    expect(make).toThrow(expect.objectContaining({ code: "bad_configuration" }));
  },
);

test("a registration is made once and kept", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  await post(authorizedFetch(server.url, { store }), server.url);
  await store.writeToken(as.issuer, server.url, undefined);
  await post(authorizedFetch(server.url, { store }), server.url);
  expect([as.registrations.length, as.authorizations.length]).toEqual([1, 2]);
});

test("a registration whose secret has expired is made anew", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  await store.writeClient(as.issuer, { clientId: "old", redirectUri, secretExpiresAtMs: 1 });
  await post(authorizedFetch(server.url, { store }), server.url);
  expect(as.authorizations.map((query) => query.get("client_id"))).toEqual([`client-1@${as.issuer}`]);
});

test("a registration that the server has forgotten is made anew", async () => {
  await using as = await startAuthorizationServer({
    token: (request) =>
      clientIdOf(request) === "forgotten" ? Response.json({ error: "invalid_client" }, { status: 401 }) : undefined,
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  await store.writeClient(as.issuer, { clientId: "forgotten", redirectUri, authMethod: "none" });
  expect((await post(authorizedFetch(server.url, { store }), server.url)).status).toBe(200);
  expect(as.registrations).toHaveLength(1);
});

/** Everything that a server was sent, as one text. */
function everythingSeenBy(as: TestAuthorizationServer): string {
  return as.seen
    .map(({ path, query, text, headers }) => `${path}?${query}\n${text}\n${JSON.stringify(headers)}`)
    .join("\n");
}

const withSecrets: Bent = {
  metadata: () => ({ token_endpoint_auth_methods_supported: ["client_secret_post"] }),
  registration: () => ({ client_secret: crypto.randomUUID() }),
  givesRefreshTokens: true,
};

test("a server that moves: the new authorization server sees nothing of the old one", async () => {
  await using first = await startAuthorizationServer(withSecrets);
  await using second = await startAuthorizationServer(withSecrets);
  let issuer = first.issuer;
  await using server = startProtectedServer({ issuers: () => [issuer] });
  const store = createMemoryStore();
  const fetch = authorizedFetch(server.url, { store });
  expect((await post(fetch, server.url)).status).toBe(200);
  const oldClient = await store.readClient(first.issuer);
  const oldToken = await store.readToken(first.issuer, server.url);
  issuer = second.issuer;
  expect((await post(fetch, server.url)).status).toBe(200);
  const shown = everythingSeenBy(second);
  for (const secret of [oldClient?.clientId, oldClient?.clientSecret, oldToken?.value, oldToken?.refreshToken]) {
    expect(secret).toBeString();
    expect(shown).not.toContain(String(secret));
    expect(shown).not.toContain(encodeURIComponent(String(secret)));
  }
  expect(second.registrations).toHaveLength(1);
  expect(await store.readToken(first.issuer, server.url)).toBeUndefined();
});

test.each<[string, boolean]>([
  ["that names its issuer", true],
  ["that was only ever used with the first", false],
])("a pre-registered client %s is not shown to a second authorization server", async (_, named) => {
  await using first = await startAuthorizationServer();
  await using second = await startAuthorizationServer();
  let issuer = first.issuer;
  await using server = startProtectedServer({ issuers: () => [issuer] });
  const client = { clientId: "pre-registered", clientSecret: "pre-secret", ...(named ? { issuer: first.issuer } : {}) };
  const fetch = authorizedFetch(server.url, { client, registration: false });
  expect((await post(fetch, server.url)).status).toBe(200);
  issuer = second.issuer;
  expect(await failureOf(post(fetch, server.url))).toMatchObject({ code: "no_client_identity" });
  expect(everythingSeenBy(second)).not.toContain("pre-");
  expect(second.authorizations).toHaveLength(0);
});

test("of several authorization servers, the one our client is registered with is used", async () => {
  await using first = await startAuthorizationServer();
  await using second = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [first.issuer, second.issuer] });
  const client = { clientId: "pre", issuer: second.issuer };
  expect((await post(authorizedFetch(server.url, { client }), server.url)).status).toBe(200);
  expect([first.seen.some(({ path }) => path === "/authorize"), second.authorizations.length]).toEqual([false, 1]);
});

test("an authorization server that the MCP server does not name cannot be chosen", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url, { chooseIssuer: () => "https://evil.example" });
  expect(await failureOf(post(fetch, server.url))).toMatchObject({ code: "bad_configuration" });
});

test("the memory of the store is bounded", async () => {
  const store = createMemoryStore();
  for (let count = 0; count < 1000; count += 1)
    await store.writeClient(`https://${count}.example`, { clientId: "x", redirectUri });
  expect(await store.readClient("https://0.example")).toBeUndefined();
  expect(await store.readClient("https://999.example")).toBeDefined();
});
