// Tokens bound to a key of ours: proofs that verify, nonces of both servers, and no binding where it would lock us out.
import { expect, test } from "bun:test";
import { createDpopKey, createDpopNonces, dpopProof } from "../../src/auth/dpop.ts";
import { readJwtPart, sha256, startAuthorizationServer, thumbprintOf } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { serveOnLoopback } from "./fixtures/loopback-server.ts";
import type { LoopbackServer } from "./fixtures/loopback-server.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post } from "./fixtures/signed-in.ts";

async function verifies(proof: string): Promise<boolean> {
  const [header = "", claims = "", signature = ""] = proof.split(".");
  const jwk = readJwtPart(proof, 0)["jwk"] as JsonWebKeyLike;
  const key = await crypto.subtle.importKey("jwk", jwk, { name: "ECDSA", namedCurve: "P-256" }, false, ["verify"]);
  const content = new TextEncoder().encode(`${header}.${claims}`);
  return await crypto.subtle.verify(
    { name: "ECDSA", hash: "SHA-256" },
    key,
    Buffer.from(signature, "base64url"),
    content,
  );
}

type JsonWebKeyLike = { kty: string; crv: string; x: string; y: string };

test("a proof names method, address, token and nonce, and verifies under the key it shows", async () => {
  const key = await createDpopKey();
  const url = new URL("https://a.example:8443/mcp?secret=1#part");
  const proof = await dpopProof(key, { method: "POST", url, accessToken: "token", nonce: "n" });
  expect(readJwtPart(proof, 0)).toEqual({ typ: "dpop+jwt", alg: "ES256", jwk: key.publicJwk });
  expect(readJwtPart(proof, 1)).toMatchObject({
    htm: "POST",
    htu: "https://a.example:8443/mcp",
    ath: await sha256("token"),
    nonce: "n",
  });
  expect(await verifies(proof)).toBe(true);
});

test("proofs are never the same twice, and the private key cannot be taken out", async () => {
  const key = await createDpopKey();
  const request = { method: "POST", url: new URL("https://a.example/") };
  const proofs = await Promise.all(Array.from({ length: 20 }, () => dpopProof(key, request)));
  expect(new Set(proofs.map((proof) => readJwtPart(proof, 1)["jti"])).size).toBe(20);
  expect(key.privateKey.extractable).toBe(false);
});

test("nonces belong to one origin, the newest counts, and their number is bounded", () => {
  const nonces = createDpopNonces();
  const of = (nonce: string): Headers => new Headers({ "dpop-nonce": nonce });
  const here = new URL("https://a.example/x");
  expect(nonces.learn(here, of("one"))).toBe(true);
  expect(nonces.learn(here, of("one"))).toBe(false);
  expect(nonces.learn(here, of("two"))).toBe(true);
  expect(nonces.learn(here, new Headers())).toBe(false);
  expect(nonces.learn(here, of("x".repeat(5000)))).toBe(false);
  expect(nonces.read(new URL("https://a.example/other"))).toBe("two");
  expect(nonces.read(new URL("https://b.example/x"))).toBeUndefined();
  for (let count = 0; count < 1000; count += 1) nonces.learn(new URL(`https://${count}.example`), of("n"));
  expect(nonces.read(here)).toBeUndefined();
});

/** A server that takes nothing but DPoP, checks each proof and refuses a proof it has seen. */
function startDpopServer(issuer: () => string, nonce?: string): LoopbackServer & { url: string; problems: string[] } {
  const problems: string[] = [];
  const used = new Set<unknown>();
  const server = serveOnLoopback(async ({ path, method, headers }) => {
    if (path !== "/mcp") return Response.json({ resource: `${server.origin}/mcp`, authorization_servers: [issuer()] });
    const metadata = `resource_metadata="${server.origin}/.well-known/oauth-protected-resource/mcp"`;
    const refuse = (error: string): Response =>
      new Response("", { status: 401, headers: { "www-authenticate": `DPoP ${error}${metadata}` } });
    const [scheme, token = ""] = (headers.get("authorization") ?? "").split(" ");
    if (scheme === "") return refuse("");
    const proof = headers.get("dpop") ?? "";
    const claims = readJwtPart(proof, 1);
    const bound = readJwtPart(token, 1)["cnf"] as { jkt?: string } | undefined;
    if (scheme !== "DPoP") problems.push(`scheme ${scheme}`);
    if (!(await verifies(proof))) problems.push("signature");
    if (used.has(claims["jti"])) problems.push("replay");
    if (claims["htm"] !== method || claims["htu"] !== `${server.origin}/mcp`) problems.push("wrong request");
    if (claims["ath"] !== (await sha256(token))) problems.push("wrong token");
    if (bound?.jkt !== (await thumbprintOf(readJwtPart(proof, 0)["jwk"]))) problems.push("wrong key");
    used.add(claims["jti"]);
    if (nonce !== undefined && claims["nonce"] !== nonce) {
      const response = refuse('error="use_dpop_nonce", ');
      response.headers.set("dpop-nonce", nonce);
      return response;
    }
    return Response.json({ in: true });
  });
  return Object.assign(server, { url: `${server.origin}/mcp`, problems });
}

const supportsDpop = (): Record<string, unknown> => ({ dpop_signing_alg_values_supported: ["ES256"] });

test.each<[string, string | undefined, string | undefined]>([
  ["without nonces", undefined, undefined],
  ["with a nonce of the authorization server", "as-nonce", undefined],
  ["with a nonce of the MCP server", undefined, "rs-nonce"],
  ["with nonces of both", "as-nonce", "rs-nonce"],
])("a server that wants DPoP gets it, %s", async (_, asNonce, rsNonce) => {
  await using as = await startAuthorizationServer({
    metadata: supportsDpop,
    ...(asNonce === undefined ? {} : { dpopNonce: asNonce }),
  });
  await using server = startDpopServer(() => as.issuer, rsNonce);
  const fetch = authorizedFetch(server.url);
  for (let count = 0; count < 3; count += 1) expect((await post(fetch, server.url)).status).toBe(200);
  expect(server.problems).toEqual([]);
  expect(as.authorizations).toHaveLength(1);
});

test("a server that changes its nonce with every answer does not hold us in a loop", async () => {
  await using as = await startAuthorizationServer({ metadata: supportsDpop });
  let count = 0;
  await using server = serveOnLoopback(({ path }) => {
    if (path !== "/mcp") return Response.json({ resource: `${server.origin}/mcp`, authorization_servers: [as.issuer] });
    const headers = { "www-authenticate": 'DPoP error="use_dpop_nonce"', "dpop-nonce": `n${(count += 1)}` };
    return new Response("", { status: 401, headers });
  });
  expect((await post(authorizedFetch(`${server.origin}/mcp`), `${server.origin}/mcp`)).status).toBe(401);
  expect(count).toBeLessThan(4);
});

test("a server that speaks only Bearer gets an unbound token, whatever the authorization server can do", async () => {
  await using as = await startAuthorizationServer({ metadata: supportsDpop });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  expect((await post(authorizedFetch(server.url), server.url)).status).toBe(200);
  expect(as.tokenRequests[0]?.headers.has("dpop")).toBe(false);
});

test.each<[string, Parameters<typeof startAuthorizationServer>[0]]>([
  ["the authorization server cannot bind", {}],
  [
    "only algorithms we do not speak are offered",
    { metadata: () => ({ dpop_signing_alg_values_supported: ["RS512"] }) },
  ],
  [
    "an unbound token comes back",
    { metadata: supportsDpop, token: () => Response.json({ access_token: "abc", token_type: "Bearer" }) },
  ],
])("a server that wants DPoP gets no bearer token when %s", async (_, bent) => {
  await using as = await startAuthorizationServer(bent);
  await using server = startDpopServer(() => as.issuer);
  expect(await failureOf(post(authorizedFetch(server.url), server.url))).toMatchObject({ code: "dpop_required" });
  expect(server.seen.some(({ headers }) => headers.has("authorization"))).toBe(false);
});

test("a refresh proves the same key", async () => {
  await using as = await startAuthorizationServer({
    metadata: supportsDpop,
    tokenLifetimeS: 10,
    givesRefreshTokens: true,
  });
  await using server = startDpopServer(() => as.issuer);
  const fetch = authorizedFetch(server.url);
  for (let count = 0; count < 2; count += 1) expect((await post(fetch, server.url)).status).toBe(200);
  const proofs = as.tokenRequests.map(({ headers }) => headers.get("dpop") ?? "");
  const keys = await Promise.all(proofs.map((proof) => thumbprintOf(readJwtPart(proof, 0)["jwk"])));
  expect([keys.length, new Set(keys).size]).toEqual([2, 1]);
  expect(server.problems).toEqual([]);
});
