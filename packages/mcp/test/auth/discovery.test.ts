// Where metadata is looked for, and when it is not believed.
import { expect, test } from "bun:test";
import { discoverAuthorizationServer, discoverLegacyServer } from "../../src/auth/authorization-server.ts";
import type { AuthHttp } from "../../src/auth/fetch-json.ts";
import { discoverProtectedResource } from "../../src/auth/protected-resource.ts";
import { failureOf } from "./fixtures/failure.ts";
import { notFound, serveOnLoopback } from "./fixtures/loopback-server.ts";
import type { LoopbackServer } from "./fixtures/loopback-server.ts";

const http: AuthHttp = {
  fetch: (url, init) => fetch(url, init),
  urls: { nearest: "loopback", insecureHttp: false },
  timeoutMs: 20_000,
};

type Documents = (origin: string) => Record<string, unknown>;

/** Serves each path's document: an object as JSON, a number as a status, a string as a page. */
function publish(documents: Documents): LoopbackServer {
  const server = serveOnLoopback(({ path }) => {
    const document = documents(server.origin)[path];
    if (typeof document === "number") return new Response("", { status: document });
    if (typeof document === "string") return new Response(document, { headers: { "content-type": "text/html" } });
    return document === undefined ? notFound() : Response.json(document);
  });
  return server;
}

const PRM = "/.well-known/oauth-protected-resource";

function resourceDocument(resource: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { resource, authorization_servers: ["https://auth.example"], ...more };
}

test.each<[string, Documents, string[]]>([
  ["the path form first", (o) => ({ [`${PRM}/mcp`]: resourceDocument(`${o}/mcp`) }), [`${PRM}/mcp`]],
  ["then the root", (o) => ({ [PRM]: resourceDocument(o) }), [`${PRM}/mcp`, PRM]],
  [
    "a page for people is passed over",
    (o) => ({ [`${PRM}/mcp`]: "<html>", [PRM]: resourceDocument(o) }),
    [`${PRM}/mcp`, PRM],
  ],
])("resource metadata, not announced: %s", async (_, documents, paths) => {
  await using server = publish(documents);
  const found = await discoverProtectedResource(http, new URL(`${server.origin}/mcp`), undefined);
  expect(found?.authorizationServers).toEqual(["https://auth.example"]);
  expect(server.paths()).toEqual(paths);
});

test("resource metadata: a server without any has none, after both places", async () => {
  await using server = publish(() => ({}));
  expect(await discoverProtectedResource(http, new URL(`${server.origin}/mcp`), undefined)).toBeUndefined();
  expect(server.paths()).toEqual([`${PRM}/mcp`, PRM]);
});

test("resource metadata: an announced place is the only one asked", async () => {
  await using server = publish((o) => ({ "/custom.json": resourceDocument(`${o}/mcp`) }));
  await discoverProtectedResource(http, new URL(`${server.origin}/mcp`), `${server.origin}/custom.json`);
  expect(
    await failureOf(discoverProtectedResource(http, new URL(`${server.origin}/mcp`), `${server.origin}/gone`)),
  ).toMatchObject({ code: "no_metadata" });
  expect(server.paths()).toEqual(["/custom.json", "/gone"]);
});

test("resource metadata: the resource is kept as published, byte for byte", async () => {
  await using server = publish((o) => ({ [PRM]: resourceDocument(o.replace("http", "HTTP")) }));
  const found = await discoverProtectedResource(http, new URL(`${server.origin}/mcp`), undefined);
  expect(found?.resource).toBe(server.origin.replace("http", "HTTP"));
});

test.each<[string, string, (origin: string) => unknown]>([
  ["is for another host", "resource_mismatch", () => resourceDocument("https://evil.example/mcp")],
  ["is for a sibling", "resource_mismatch", (o) => resourceDocument(`${o}/mcp-other`)],
  ["is for something below", "resource_mismatch", (o) => resourceDocument(`${o}/mcp/inner`)],
  ["is for the same host over https", "resource_mismatch", (o) => resourceDocument(o.replace("http:", "https:"))],
  ["has a fragment", "resource_mismatch", (o) => resourceDocument(`${o}/mcp#x`)],
  ["is not an address", "resource_mismatch", () => resourceDocument("mcp")],
  ["has no resource", "bad_document", () => ({ authorization_servers: ["https://auth.example"] })],
  ["has no authorization server", "bad_document", (o) => ({ resource: `${o}/mcp` })],
  ["has an empty list of them", "bad_document", (o) => resourceDocument(`${o}/mcp`, { authorization_servers: [] })],
  ["has a list of other things", "bad_document", (o) => resourceDocument(`${o}/mcp`, { authorization_servers: [1] })],
  [
    "has an endless list",
    "bad_document",
    (o) => resourceDocument(`${o}/mcp`, { scopes_supported: Array(600).fill("x") }),
  ],
  ["is an outage", "network", () => 503],
])("resource metadata that %s is refused", async (_, code, document) => {
  await using server = publish((o) => ({ [`${PRM}/mcp`]: document(o) }));
  const found = discoverProtectedResource(http, new URL(`${server.origin}/mcp`), undefined);
  expect(await failureOf(found)).toMatchObject({ code });
});

test.each(["file:///etc/passwd", "http://example.com/x", "https://u:p@example.com/", "javascript:1"])(
  "resource metadata announced at %s is not fetched",
  async (announced) => {
    const found = discoverProtectedResource(http, new URL("http://127.0.0.1:1/mcp"), announced);
    expect(await failureOf(found)).toMatchObject({ code: "unsafe_url" });
  },
);

const OAUTH = "/.well-known/oauth-authorization-server";
const OPENID = "/.well-known/openid-configuration";

function serverDocument(issuer: string, more: Record<string, unknown> = {}): Record<string, unknown> {
  return { issuer, authorization_endpoint: `${issuer}/authorize`, token_endpoint: `${issuer}/token`, ...more };
}

test.each<[string, string, string, string[]]>([
  ["OAuth at the root", "", OAUTH, [OAUTH]],
  ["OpenID at the root", "", OPENID, [OAUTH, OPENID]],
  ["OAuth before the path", "/t1", `${OAUTH}/t1`, [`${OAUTH}/t1`]],
  ["OpenID before the path", "/t1", `${OPENID}/t1`, [`${OAUTH}/t1`, `${OPENID}/t1`]],
  ["OpenID after the path", "/t1", `/t1${OPENID}`, [`${OAUTH}/t1`, `${OPENID}/t1`, `/t1${OPENID}`]],
])("server metadata: %s", async (_, path, place, asked) => {
  await using server = publish((o) => ({ [place]: serverDocument(`${o}${path}`) }));
  const found = await discoverAuthorizationServer(http, `${server.origin}${path}`);
  expect(found.tokenEndpoint.href).toBe(`${server.origin}${path}/token`);
  expect(server.paths()).toEqual(asked);
});

test.each<[string, string, (origin: string) => unknown]>([
  ["names another issuer", "issuer_mismatch", () => serverDocument("https://evil.example")],
  ["adds a slash to the issuer", "issuer_mismatch", (o) => serverDocument(`${o}/`)],
  ["changes the case of the issuer", "issuer_mismatch", (o) => serverDocument(o.replace("http", "HTTP"))],
  ["has no issuer", "bad_document", (o) => ({ token_endpoint: `${o}/token` })],
  ["has no token endpoint", "bad_document", (o) => ({ issuer: o })],
  ["sends tokens to a file", "unsafe_url", (o) => serverDocument(o, { token_endpoint: "file:///tmp/x" })],
  ["opens a script for the user", "unsafe_url", (o) => serverDocument(o, { authorization_endpoint: "javascript:1" })],
  [
    "registers over plain http elsewhere",
    "unsafe_url",
    (o) => serverDocument(o, { registration_endpoint: "http://a.example" }),
  ],
])("server metadata that %s is refused, and nothing else is tried", async (_, code, document) => {
  await using server = publish((o) => ({ [OAUTH]: document(o), [OPENID]: serverDocument(o) }));
  expect(await failureOf(discoverAuthorizationServer(http, server.origin))).toMatchObject({ code });
  expect(server.paths()).toEqual([OAUTH]);
});

test("server metadata: a server without any is refused", async () => {
  await using server = publish(() => ({}));
  expect(await failureOf(discoverAuthorizationServer(http, server.origin))).toMatchObject({ code: "no_metadata" });
});

test.each(["https://auth.example/?x=1", "https://auth.example/#x"])("an issuer like %s is refused", async (issuer) => {
  expect(await failureOf(discoverAuthorizationServer(http, issuer))).toMatchObject({ code: "bad_document" });
});

test("a 2025-03-26 server is its own authorization server, by metadata", async () => {
  await using server = publish((o) => ({ [OAUTH]: serverDocument(o, { token_endpoint: `${o}/oauth/token` }) }));
  const found = await discoverLegacyServer(http, new URL(`${server.origin}/mcp`));
  expect(found.tokenEndpoint.href).toBe(`${server.origin}/oauth/token`);
});

test("a 2025-03-26 server without metadata has its fixed endpoints", async () => {
  await using server = publish(() => ({}));
  const found = await discoverLegacyServer(http, new URL(`${server.origin}/deep/mcp`));
  const endpoints = [found.authorizationEndpoint, found.tokenEndpoint, found.registrationEndpoint];
  expect(endpoints.map((url) => url?.pathname)).toEqual(["/authorize", "/token", "/register"]);
  expect(found.issuer).toBe(server.origin);
});

test("a 2025-03-26 server may not speak for another issuer either", async () => {
  await using server = publish(() => ({ [OAUTH]: serverDocument("https://evil.example") }));
  const found = discoverLegacyServer(http, new URL(`${server.origin}/mcp`));
  expect(await failureOf(found)).toMatchObject({ code: "issuer_mismatch" });
});
