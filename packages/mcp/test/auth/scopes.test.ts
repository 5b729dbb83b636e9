// What is asked for: the challenge first, the resource's list else, more only when the server says so.
import { expect, test } from "bun:test";
import { chooseScopes, parseScopes } from "../../src/auth/scopes.ts";
import type { ScopeSources } from "../../src/auth/scopes.ts";
import { startAuthorizationServer } from "./fixtures/authorization-server.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post } from "./fixtures/signed-in.ts";

const nothing: ScopeSources = {
  challenged: undefined,
  resourceSupports: undefined,
  serverSupports: undefined,
  earlier: [],
  wantsRefreshToken: true,
};

test.each<[string, Partial<ScopeSources>, string[]]>([
  ["nothing named, nothing asked", {}, []],
  ["the challenge wins", { challenged: "a b", resourceSupports: ["c"] }, ["a", "b"]],
  ["else the resource's whole list", { resourceSupports: ["c", "d"] }, ["c", "d"]],
  ["an empty challenge asks for nothing", { challenged: "", resourceSupports: ["c"] }, []],
  ["a step-up keeps what was there", { challenged: "b", earlier: ["a"] }, ["a", "b"]],
  [
    "offline_access where the server lists it",
    { challenged: "a", serverSupports: ["offline_access"] },
    ["a", "offline_access"],
  ],
  ["no offline_access where it does not", { challenged: "a", serverSupports: ["a"] }, ["a"]],
  ["no offline_access at the resource's bidding", { challenged: "a offline_access", serverSupports: ["a"] }, ["a"]],
  ["no offline_access alone", { serverSupports: ["offline_access"] }, []],
  [
    "no offline_access for a machine",
    { challenged: "a", serverSupports: ["offline_access"], wantsRefreshToken: false },
    ["a"],
  ],
  ["what no scope can be is left out", { resourceSupports: ["ok", 'qu"ote', "sp ace", "", "ü"] }, ["ok"]],
])("%s", (_, sources, expected) => {
  expect(chooseScopes({ ...nothing, ...sources })).toEqual(expected);
});

test("a flood of scopes is cut", () => {
  expect(parseScopes(Array.from({ length: 5000 }, (_, number) => `s${number}`).join(" ")).length).toBeLessThanOrEqual(
    200,
  );
});

test("a step-up asks for the old and the new scopes together", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    requiredScopes: ["read"],
    needs: ({ text }) => (text === "write" ? ["write"] : []),
  });
  const fetch = authorizedFetch(server.url);
  expect((await post(fetch, server.url, "look")).status).toBe(200);
  expect(await (await post(fetch, server.url, "write")).json()).toMatchObject({ scopes: ["read", "write"] });
  expect((await post(fetch, server.url, "look")).status).toBe(200);
  expect(as.authorizations.map((query) => query.get("scope"))).toEqual(["read", "read write"]);
});

test("a server that wants yet another scope each time is followed three times, no more", async () => {
  await using as = await startAuthorizationServer();
  let wish = 0;
  await using server = startProtectedServer({ issuers: () => [as.issuer], needs: () => [`wish-${(wish += 1)}`] });
  const response = await post(authorizedFetch(server.url), server.url);
  expect(response.status).toBe(403);
  expect(as.authorizations).toHaveLength(3);
});

test("a scope that was asked for and does not help is not asked for again, by any request", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    requiredScopes: ["read"],
    before: ({ headers, path }) =>
      headers.has("authorization") && path === "/mcp"
        ? new Response("", {
            status: 403,
            headers: { "www-authenticate": 'Bearer error="insufficient_scope", scope="read"' },
          })
        : undefined,
  });
  const fetch = authorizedFetch(server.url);
  for (let count = 0; count < 5; count += 1) expect((await post(fetch, server.url)).status).toBe(403);
  expect(as.authorizations).toHaveLength(1);
});

test("a 403 that is not about scope is handed back", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    before: () => new Response("no", { status: 403 }),
  });
  expect((await post(authorizedFetch(server.url), server.url)).status).toBe(403);
  expect(as.seen).toHaveLength(0);
});

test("the scopes of the resource's metadata are asked for when the challenge names none", async () => {
  await using as = await startAuthorizationServer({
    metadata: () => ({ scopes_supported: ["a", "b", "offline_access"] }),
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer], scopesSupported: ["a", "b"] });
  await post(authorizedFetch(server.url), server.url);
  expect(as.authorizations[0]?.get("scope")).toBe("a b offline_access");
  expect(as.authorizations[0]?.get("prompt")).toBe("consent");
});
