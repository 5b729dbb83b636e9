// Tokens without a user: machines, workloads, and the company's identity provider.
import { expect, test } from "bun:test";
import type { Grant } from "../../src/auth/grants.ts";
import { importSigningKey } from "../../src/auth/jwt.ts";
import { readJwtPart, startAuthorizationServer } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { serveOnLoopback } from "./fixtures/loopback-server.ts";
import type { Answer } from "./fixtures/loopback-server.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post } from "./fixtures/signed-in.ts";

const JWT_BEARER = "urn:ietf:params:oauth:grant-type:jwt-bearer";
const machine: Grant = { kind: "client_credentials" };

test("client credentials: with a secret, for the scopes and the resource that were named", async () => {
  await using as = await startAuthorizationServer({
    metadata: () => ({ code_challenge_methods_supported: undefined }),
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer], requiredScopes: ["read"] });
  const client = { clientId: "machine", clientSecret: "secret" };
  expect((await post(authorizedFetch(server.url, { grant: machine, client }), server.url)).status).toBe(200);
  const { form, headers } = as.tokenRequests[0]!;
  expect(Object.fromEntries(form)).toEqual({ grant_type: "client_credentials", resource: server.url, scope: "read" });
  expect(headers.get("authorization")).toBe(`Basic ${btoa("machine:secret")}`);
  expect([as.authorizations.length, as.registrations.length]).toEqual([0, 0]);
});

test("client credentials: with a private key", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const pair = await crypto.subtle.generateKey({ name: "Ed25519" }, true, ["sign", "verify"]);
  if (!("privateKey" in pair)) throw new Error("not a pair");
  const pkcs8 = Buffer.from(await crypto.subtle.exportKey("pkcs8", pair.privateKey)).toString("base64");
  const pem = `-----BEGIN PRIVATE KEY-----\n${pkcs8}\n-----END PRIVATE KEY-----`;
  const client = { clientId: "machine", signingKey: await importSigningKey(pem, "EdDSA") };
  expect((await post(authorizedFetch(server.url, { grant: machine, client }), server.url)).status).toBe(200);
  const assertion = as.tokenRequests[0]?.form.get("client_assertion") ?? "";
  expect(readJwtPart(assertion, 1)).toMatchObject({ iss: "machine", sub: "machine", aud: as.issuer });
});

test("client credentials: nothing is registered for a machine without an identity", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const failure = await failureOf(post(authorizedFetch(server.url, { grant: machine }), server.url));
  expect(failure).toMatchObject({ code: "no_client_identity" });
  expect([as.tokenRequests.length, as.registrations.length]).toEqual([0, 0]);
});

test("client credentials: a step-up asks for more without anybody's help", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer], needs: () => ["write"] });
  const client = { clientId: "machine", clientSecret: "secret" };
  expect((await post(authorizedFetch(server.url, { grant: machine, client }), server.url)).status).toBe(200);
  expect(as.tokenRequests.map(({ form }) => form.get("scope"))).toEqual([null, "write"]);
});

test("a workload's own JWT is presented, made for this issuer", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const grant: Grant = { kind: "jwt_bearer", assertion: async ({ issuer }) => `jwt-for-${issuer}` };
  const client = { clientId: "workload" };
  expect((await post(authorizedFetch(server.url, { grant, client }), server.url)).status).toBe(200);
  expect(Object.fromEntries(as.tokenRequests[0]!.form)).toEqual({
    grant_type: JWT_BEARER,
    assertion: `jwt-for-${as.issuer}`,
    client_id: "workload",
    resource: server.url,
  });
});

test.each(["invalid_grant", "invalid_scope", "unauthorized_client"])(
  "a workload that is refused with %s says so: no second try, no other grant",
  async (error) => {
    await using as = await startAuthorizationServer({ token: () => Response.json({ error }, { status: 400 }) });
    await using server = startProtectedServer({ issuers: () => [as.issuer] });
    const grant: Grant = { kind: "jwt_bearer", assertion: async () => "jwt" };
    const failure = await failureOf(post(authorizedFetch(server.url, { grant }), server.url));
    expect(failure).toMatchObject({ code: "token_refused", oauthError: error });
    expect(as.tokenRequests).toHaveLength(1);
    expect([as.authorizations.length, as.registrations.length]).toEqual([0, 0]);
  },
);

const idJag = {
  issued_token_type: "urn:ietf:params:oauth:token-type:id-jag",
  access_token: "the-id-jag",
  token_type: "N_A",
};

test("the identity provider trades the sign-in for a grant, which the authorization server takes", async () => {
  await using as = await startAuthorizationServer();
  await using provider = serveOnLoopback(() => Response.json(idJag));
  await using server = startProtectedServer({ issuers: () => [as.issuer], requiredScopes: ["read"] });
  const identityProvider = {
    tokenEndpoint: `${provider.origin}/token`,
    client: { clientId: "at-provider" },
    idToken: async () => "the-id-token",
  };
  const client = { clientId: "at-server", clientSecret: "secret" };
  const grant: Grant = { kind: "enterprise_managed", identityProvider };
  expect((await post(authorizedFetch(server.url, { grant, client }), server.url)).status).toBe(200);
  expect(Object.fromEntries(provider.seen[0]!.form)).toEqual({
    grant_type: "urn:ietf:params:oauth:grant-type:token-exchange",
    requested_token_type: "urn:ietf:params:oauth:token-type:id-jag",
    subject_token: "the-id-token",
    subject_token_type: "urn:ietf:params:oauth:token-type:id_token",
    audience: as.issuer,
    resource: server.url,
    scope: "read",
    client_id: "at-provider",
  });
  expect(as.tokenRequests[0]?.form.get("assertion")).toBe("the-id-jag");
  expect(as.tokenRequests[0]?.form.get("grant_type")).toBe(JWT_BEARER);
  const shown = as.seen.map(({ text, query }) => `${text}${query}`).join("\n");
  expect(shown).not.toContain("the-id-token");
});

test.each<[string, string, Answer]>([
  ["refuses", "token_refused", () => Response.json({ error: "invalid_grant" }, { status: 400 })],
  ["gives another kind of token", "bad_token_reply", () => Response.json({ ...idJag, issued_token_type: "x" })],
  ["redirects", "redirect_refused", () => new Response(null, { status: 307, headers: { location: "/elsewhere" } })],
])("an identity provider that %s ends the attempt", async (_, code, answer) => {
  await using as = await startAuthorizationServer();
  await using provider = serveOnLoopback(answer);
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const identityProvider = { tokenEndpoint: provider.origin, client: { clientId: "p" }, idToken: async () => "id" };
  const grant: Grant = { kind: "enterprise_managed", identityProvider };
  const failure = await failureOf(post(authorizedFetch(server.url, { grant, client: { clientId: "c" } }), server.url));
  expect(failure).toMatchObject({ code });
  expect(as.tokenRequests).toHaveLength(0);
});
