// HTTP behind an authorization server: a real one on loopback, the real server process, and the OAuth client.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { connectHttp, createAuthorizedFetch, createHeadlessInteraction } from "@bosun/mcp/client";
import { startAuthorizationServer } from "../../mcp/test/auth/fixtures/authorization-server.ts";
import type { TestAuthorizationServer } from "../../mcp/test/auth/fixtures/authorization-server.ts";
import { signJwt } from "../../mcp/src/auth/jwt.ts";
import { HttpServer } from "./harness/http.ts";

const AUDIENCE = "https://tools.example/team/mcp";
const METADATA = "https://tools.example/.well-known/oauth-protected-resource/team/mcp";
const INITIALIZE = {
  jsonrpc: "2.0",
  id: 1,
  method: "initialize",
  params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "t", version: "1" } },
};

let issuer: TestAuthorizationServer;
let server: HttpServer;
beforeAll(async () => {
  issuer = await startAuthorizationServer();
  server = await HttpServer.start({
    args: `--sandbox off --auth-issuer ${issuer.issuer} --auth-audience ${AUDIENCE} --auth-scope tools`.split(" "),
  });
});
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await issuer[Symbol.asyncDispose]();
});

const SOON = Math.floor(Date.now() / 1000) + 3600;

async function token(claims: Record<string, unknown> = {}, by = issuer): Promise<string> {
  const usual = { iss: issuer.issuer, sub: "ada", aud: AUDIENCE, exp: SOON, scope: "tools" };
  return signJwt(by.signingKey, { typ: "at+jwt" }, { ...usual, ...claims });
}

async function postWith(bearer: string | undefined, more: Record<string, string> = {}): Promise<Response> {
  return server.post(INITIALIZE, { ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }), ...more });
}

test("it says whose tokens it takes, and warns of nothing", () => {
  expect(server.stderr).toContain(`tokens of ${issuer.issuer}`);
  expect(server.stderr).not.toContain("no token is set");
});

test("without a token: 401, and where to look for one", async () => {
  const refused = await postWith(undefined);
  expect(refused.status).toBe(401);
  expect(refused.headers.get("www-authenticate")).toBe(`Bearer scope="tools", resource_metadata="${METADATA}"`);
});

test("the metadata is there for everybody, also behind its public name and for web pages", async () => {
  const place = new URL(new URL(METADATA).pathname, server.url);
  const response = await fetch(place, { headers: { host: "tools.example" } });
  expect(response.status).toBe(200);
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(await response.json()).toEqual({
    resource: AUDIENCE,
    authorization_servers: [issuer.issuer],
    scopes_supported: ["tools"],
    bearer_methods_supported: ["header"],
    resource_name: "bosun",
  });
});

test("a token for this server is let in, under its public name too", async () => {
  expect((await postWith(await token())).status).toBe(200);
  expect((await postWith(await token(), { host: "tools.example" })).status).toBe(200);
});

test.each<[string, Record<string, unknown>, number, string]>([
  ["for another server", { aud: "https://other.example/mcp" }, 401, "invalid_token"],
  ["for this machine's own address", { aud: "http://127.0.0.1:8080/mcp" }, 401, "invalid_token"],
  ["of another issuer", { iss: "https://auth.example" }, 401, "invalid_token"],
  ["that has ended", { exp: SOON - 7200 }, 401, "invalid_token"],
  ["without an end", { exp: undefined }, 401, "invalid_token"],
  ["without the scope", { scope: "other" }, 403, "insufficient_scope"],
])("a token %s is refused", async (_, claims, status, error) => {
  const refused = await postWith(await token(claims));
  expect(refused.status).toBe(status);
  expect(refused.headers.get("www-authenticate")).toContain(`error="${error}"`);
});

test("a token that another key signed is refused", async () => {
  await using stranger = await startAuthorizationServer();
  const refused = await postWith(await token({}, stranger));
  expect(refused.status).toBe(401);
});

test.each<[string, Record<string, string>]>([
  ["Host", { host: "evil.example" }],
  ["Origin", { origin: "https://evil.example" }],
])("another %s is refused before any token is looked at", async (_, headers) => {
  expect((await postWith(await token(), headers)).status).toBe(403);
});

test("a session is its principal's alone", async () => {
  const session = await server.session({ authorization: `Bearer ${await token()}` });
  expect((await session.post({ jsonrpc: "2.0", id: 2, method: "ping" })).status).toBe(200);
  const other = { ...session.headers, authorization: `Bearer ${await token({ sub: "grace" })}` };
  expect((await server.post({ jsonrpc: "2.0", id: 3, method: "ping" }, other)).status).toBe(404);
});

test("the OAuth client finds its way in: metadata, registration, consent, token, tools", async () => {
  const port = freePort();
  const url = `http://127.0.0.1:${port}/mcp`;
  await using own = await HttpServer.start({
    args: ["--sandbox", "off", "--port", String(port), "--auth-issuer", issuer.issuer, "--auth-audience", url],
  });
  const plain = (to: string | URL, init?: RequestInit): Promise<Response> => fetch(to, init);
  const interaction = createHeadlessInteraction({ fetch: plain, redirectUri: "http://127.0.0.1:4321/callback" });
  const grant = { kind: "authorization_code", interaction } as const;
  const client = await connectHttp(own.url, {
    name: "t",
    version: "1",
    fetch: createAuthorizedFetch({ fetch: plain, serverUrl: own.url, grant }),
  });
  expect((await client.listTools()).map(({ name }) => name)).toContain("bash");
  expect(issuer.authorizations.at(-1)?.get("resource")).toBe(url);
  await client.close();
});

test("keys that cannot be fetched are an outage, not a reason to sign in again", async () => {
  await using gone = await HttpServer.start({
    args: ["--sandbox", "off", "--auth-issuer", `http://127.0.0.1:${freePort()}`, "--auth-audience", AUDIENCE],
  });
  const bearer = await token({ iss: /tokens of (\S+)"/.exec(gone.stderr)?.[1] });
  const refused = await gone.post(INITIALIZE, { authorization: `Bearer ${bearer}` });
  expect(refused.status).toBe(503);
});

function freePort(): number {
  const probe = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
  const { port = 0 } = probe;
  void probe.stop(true);
  return port;
}
