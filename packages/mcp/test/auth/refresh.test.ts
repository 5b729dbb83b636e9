// Tokens over time: refreshed before they end, once for everybody, with the newest refresh token.
import { expect, test } from "bun:test";
import { createMemoryStore } from "../../src/auth/credential-store.ts";
import type { StoredToken } from "../../src/auth/credential-store.ts";
import { startAuthorizationServer } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post } from "./fixtures/signed-in.ts";

function grantTypes(as: { tokenRequests: { form: URLSearchParams }[] }): (string | null)[] {
  return as.tokenRequests.map(({ form }) => form.get("grant_type"));
}

test("a token about to end is refreshed first, once for all who wait, and rotated each time", async () => {
  // Every token is within the skew from the start, so each request begins with a refresh.
  await using as = await startAuthorizationServer({ tokenLifetimeS: 20, givesRefreshTokens: true });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  expect((await post(fetch, server.url)).status).toBe(200);
  const before = as.tokenRequests.length;
  const responses = await Promise.all(Array.from({ length: 20 }, () => post(fetch, server.url)));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
  expect((await post(fetch, server.url)).status).toBe(200);
  expect(as.authorizations).toHaveLength(1);
  expect(grantTypes(as).slice(before)).toEqual(["refresh_token", "refresh_token"]);
  // The strict server takes each refresh token once: that all of this worked shows that each was used once.
  const used = as.tokenRequests.map(({ form }) => form.get("refresh_token")).filter((value) => value !== null);
  expect(new Set(used).size).toBe(used.length);
  expect(as.tokenRequests.at(-1)?.form.get("resource")).toBe(server.url);
});

test("a token that the server rejects is refreshed without asking the user", async () => {
  await using as = await startAuthorizationServer({ givesRefreshTokens: true });
  const revoked = new Set<string | null>();
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    before: ({ headers, path }) =>
      path === "/mcp" && revoked.has(headers.get("authorization"))
        ? new Response("", { status: 401, headers: { "www-authenticate": 'Bearer error="invalid_token"' } })
        : undefined,
  });
  const fetch = authorizedFetch(server.url);
  await post(fetch, server.url);
  revoked.add(server.seen.at(-1)!.headers.get("authorization"));
  expect((await post(fetch, server.url)).status).toBe(200);
  expect(as.authorizations).toHaveLength(1);
  expect(grantTypes(as)).toEqual(["authorization_code", "refresh_token"]);
});

test("a refresh token that is gone leads back to the user", async () => {
  await using as = await startAuthorizationServer({
    givesRefreshTokens: true,
    tokenLifetimeS: 20,
    token: ({ form }) =>
      form.get("grant_type") === "refresh_token"
        ? Response.json({ error: "invalid_grant" }, { status: 400 })
        : undefined,
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  for (let count = 0; count < 2; count += 1) expect((await post(fetch, server.url)).status).toBe(200);
  expect(as.authorizations).toHaveLength(2);
});

test("an outage of the authorization server does not matter while the token holds", async () => {
  await using as = await startAuthorizationServer({
    givesRefreshTokens: true,
    tokenLifetimeS: 20,
    token: ({ form }) => (form.get("grant_type") === "refresh_token" ? new Response("", { status: 503 }) : undefined),
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  for (let count = 0; count < 3; count += 1) expect((await post(fetch, server.url)).status).toBe(200);
  expect(as.authorizations).toHaveLength(1);
});

function staleToken(issuer: string, resource: string): StoredToken {
  const expiresAtMs = Date.now() - 1;
  return { issuer, clientId: "x", resource, type: "Bearer", scopes: [], value: "ended", expiresAtMs };
}

test("a token that has ended and cannot be refreshed is not presented again", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  await store.writeIssuer(server.url, as.issuer);
  await store.writeToken(as.issuer, server.url, staleToken(as.issuer, server.url));
  expect((await post(authorizedFetch(server.url, { store }), server.url)).status).toBe(200);
  expect(server.seen.some(({ headers }) => headers.get("authorization") === "Bearer ended")).toBe(false);
});

test("a refresh token goes only to the issuer it came from", async () => {
  await using first = await startAuthorizationServer({ givesRefreshTokens: true, tokenLifetimeS: 20 });
  await using server = startProtectedServer({ issuers: () => [first.issuer] });
  const fetch = authorizedFetch(server.url);
  await post(fetch, server.url);
  // The issuer's own metadata now claims to be somebody else: nothing is sent to the endpoints it names.
  await using thief = await startAuthorizationServer();
  first.bent.metadata = () => ({ issuer: thief.issuer, token_endpoint: `${thief.issuer}/token` });
  first.bent.tokenLifetimeS = 0;
  const outcome = await post(fetch, server.url).catch((error: unknown) => error);
  expect(outcome).toBeDefined();
  expect(thief.tokenRequests).toHaveLength(0);
});

test("a refused refresh for lack of the authorization server fails once the token has ended", async () => {
  await using as = await startAuthorizationServer({
    givesRefreshTokens: true,
    tokenLifetimeS: 0,
    token: ({ form }) => (form.get("grant_type") === "refresh_token" ? new Response("", { status: 503 }) : undefined),
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  const client = { clientId: "x", issuer: as.issuer };
  await store.writeIssuer(server.url, as.issuer);
  await store.writeToken(as.issuer, server.url, { ...staleToken(as.issuer, server.url), refreshToken: "r" });
  const fetch = authorizedFetch(server.url, { store, client });
  expect(await failureOf(post(fetch, server.url))).toMatchObject({ code: "token_refused" });
});
