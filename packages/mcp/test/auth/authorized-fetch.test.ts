// Our OAuth client against our resource server, with a strict authorization server between them.
import { expect, test } from "bun:test";
import { createMemoryStore } from "../../src/auth/credential-store.ts";
import { startAuthorizationServer } from "./fixtures/authorization-server.ts";
import type { Bent } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { notFound, serveOnLoopback } from "./fixtures/loopback-server.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post, redirectUri, withUser } from "./fixtures/signed-in.ts";

test.each<[string, string | Uint8Array]>([
  ["text", "hello"],
  ["bytes", new TextEncoder().encode("hello")],
])("a request with a body of %s is authorised on demand and sent again whole", async (_, body) => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const response = await authorizedFetch(server.url)(server.url, { method: "POST", body });
  expect(await response.json()).toMatchObject({ echo: "hello" });
  expect(as.registrations).toEqual([
    {
      client_name: "Bosun",
      redirect_uris: [redirectUri],
      application_type: "native",
      grant_types: ["authorization_code", "refresh_token"],
      response_types: ["code"],
      token_endpoint_auth_method: "none",
    },
  ]);
  expect(as.authorizations[0]?.get("resource")).toBe(server.url);
  expect(as.tokenRequests[0]?.form.get("resource")).toBe(server.url);
});

test("one sign-in serves all later requests, also those of another client with the same store", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const store = createMemoryStore();
  const first = authorizedFetch(server.url, { store });
  for (let count = 0; count < 3; count += 1) expect((await post(first, server.url)).status).toBe(200);
  expect((await post(authorizedFetch(server.url, { store }), server.url)).status).toBe(200);
  expect(as.authorizations).toHaveLength(1);
});

test("the token travels in the header of every request and never in an address", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  await post(fetch, server.url);
  await post(fetch, `${server.url}?page=2`);
  const calls = server.seen.filter(({ method }) => method === "POST");
  expect(calls.map(({ headers }) => headers.get("authorization")?.split(" ")[0])).toEqual([
    undefined,
    "Bearer",
    "Bearer",
  ]);
  for (const { query } of [...server.seen, ...as.seen]) expect(query.has("access_token")).toBe(false);
});

test("a hundred requests at once cause one sign-in", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  const responses = await Promise.all(
    Array.from({ length: 100 }, (_, number) => post(fetch, server.url, String(number))),
  );
  const echoes = await Promise.all(
    responses.map(async (response) => ((await response.json()) as { echo: string }).echo),
  );
  expect(echoes).toEqual(Array.from({ length: 100 }, (_, number) => String(number)));
  expect(as.authorizations).toHaveLength(1);
});

test("requests that wait for a sign-in share its failure: the user is asked once", async () => {
  await using as = await startAuthorizationServer({
    callback(parameters) {
      parameters.delete("code");
      parameters.set("error", "access_denied");
    },
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url, {
    grant: {
      kind: "authorization_code",
      interaction: {
        redirectUri,
        async authorize(url) {
          await Bun.sleep(300); // long enough for the others to arrive
          const grant = withUser();
          if (grant.kind !== "authorization_code") throw new Error("not the user's grant");
          return await grant.interaction.authorize(url);
        },
      },
    },
  });
  const failures = await Promise.all(Array.from({ length: 10 }, () => failureOf(post(fetch, server.url))));
  for (const failure of failures)
    expect(failure).toMatchObject({ code: "authorization_denied", oauthError: "access_denied" });
  expect(as.authorizations).toHaveLength(1);
});

test("a caller who gives up stops waiting; the sign-in goes on for the others", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const user = withUser();
  if (user.kind !== "authorization_code") throw new Error("not the user's grant");
  const { interaction } = user;
  const fetch = authorizedFetch(server.url, {
    grant: {
      kind: "authorization_code",
      interaction: {
        redirectUri,
        async authorize(url) {
          asked.resolve();
          await answer.promise;
          return await interaction.authorize(url);
        },
      },
    },
  });
  const impatient = new AbortController();
  const abandoned = post(fetch, server.url, "first", { signal: impatient.signal });
  const patient = post(fetch, server.url, "second");
  await asked.promise;
  impatient.abort(new Error("changed my mind"));
  expect(await failureOf(abandoned)).toMatchObject({ message: "changed my mind" });
  answer.resolve();
  expect((await patient).status).toBe(200);
});

const refuseBeforeAuthorizing: [string, string, Bent][] = [
  ["PKCE is not announced", "pkce_unsupported", { metadata: () => ({ code_challenge_methods_supported: undefined }) }],
  [
    "PKCE is downgraded to plain",
    "pkce_unsupported",
    { metadata: () => ({ code_challenge_methods_supported: ["plain"] }) },
  ],
  ["the metadata names another issuer", "issuer_mismatch", { metadata: () => ({ issuer: "https://evil.example" }) }],
  ["the metadata is oversized", "response_too_large", { metadata: () => ({ padding: "x".repeat(300_000) }) }],
  ["registration is refused", "registration_refused", { registration: () => 400 }],
  ["registration gives no client id", "bad_document", { registration: () => ({ client_id: 7 }) }],
  ["nobody can register", "no_client_identity", { metadata: () => ({ registration_endpoint: undefined }) }],
];

test.each(refuseBeforeAuthorizing)("the user is not sent anywhere when %s", async (_, code, bent) => {
  await using as = await startAuthorizationServer(bent);
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  expect(await failureOf(post(authorizedFetch(server.url), server.url))).toMatchObject({ code });
  expect(as.authorizations).toHaveLength(0);
});

const refuseBeforeRedeeming: [string, string, NonNullable<Bent["callback"]>][] = [
  ["without the state", "state_mismatch", (query) => query.delete("state")],
  ["with another state", "state_mismatch", (query) => query.set("state", "guess")],
  ["without the issuer", "iss_mismatch", (query) => query.delete("iss")],
  ["with another issuer", "iss_mismatch", (query) => query.set("iss", "https://evil.example")],
  ["with a normalised issuer", "iss_mismatch", (query, issuer) => query.set("iss", `${issuer}/`)],
  ["with an error", "authorization_denied", (query) => query.set("error", "access_denied")],
];

test.each(refuseBeforeRedeeming)("no code is redeemed after a redirect %s", async (_, code, callback) => {
  await using as = await startAuthorizationServer({ callback });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  expect(await failureOf(post(authorizedFetch(server.url), server.url))).toMatchObject({ code });
  expect(as.authorizations).toHaveLength(1);
  expect(as.tokenRequests).toHaveLength(0);
});

test("a code of one server is not redeemed at another that was mixed in", async () => {
  await using honest = await startAuthorizationServer();
  // Shows the honest server's page, and waits at its own token endpoint for the honest server's code.
  await using attacker = await startAuthorizationServer({
    metadata: () => ({
      authorization_endpoint: `${honest.issuer}/authorize`,
      authorization_response_iss_parameter_supported: undefined,
    }),
  });
  await using server = startProtectedServer({ issuers: () => [attacker.issuer] });
  expect(await failureOf(post(authorizedFetch(server.url), server.url))).toMatchObject({ code: "iss_mismatch" });
  expect(honest.authorizations).toHaveLength(1);
  expect(attacker.tokenRequests).toHaveLength(0);
});

const tokenReplies: [string, string, Record<string, unknown>][] = [
  ["would end a header line", "bad_token_reply", { access_token: "a\r\nX-Evil: 1", token_type: "Bearer" }],
  ["is empty", "bad_document", { access_token: "", token_type: "Bearer" }],
  ["is missing", "bad_document", { token_type: "Bearer" }],
  ["has no type", "bad_document", { access_token: "abc" }],
  ["is of a type nobody asked for", "bad_token_reply", { access_token: "abc", token_type: "mac" }],
  ["is bound to a key we do not have", "bad_token_reply", { access_token: "abc", token_type: "DPoP" }],
  ["lasts a negative time", "bad_document", { access_token: "abc", token_type: "Bearer", expires_in: -1 }],
];

test.each(tokenReplies)("a token is refused that %s", async (_, code, reply) => {
  await using as = await startAuthorizationServer({ token: () => Response.json(reply) });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  expect(await failureOf(post(authorizedFetch(server.url), server.url))).toMatchObject({ code });
});

test("a server that never accepts is asked again once, and the user once", async () => {
  await using as = await startAuthorizationServer({ claims: { aud: "https://other.example/mcp" } });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const response = await post(authorizedFetch(server.url), server.url);
  expect(response.status).toBe(401);
  expect(response.headers.get("www-authenticate")).toContain("for another server");
  expect(as.authorizations).toHaveLength(1);
});

test("a server that never accepts, and twenty requests at once: the user is still asked once", async () => {
  await using as = await startAuthorizationServer({ claims: { aud: "https://other.example/mcp" } });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const fetch = authorizedFetch(server.url);
  const responses = await Promise.all(Array.from({ length: 20 }, () => post(fetch, server.url)));
  expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(401));
  expect(as.authorizations).toHaveLength(1);
});

test("a store that fails once is asked again", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const memory = createMemoryStore();
  let failures = 1;
  const store = {
    ...memory,
    async readIssuer(name: string) {
      if ((failures -= 1) >= 0) throw new Error("disk trouble");
      return await memory.readIssuer(name);
    },
  };
  const fetch = authorizedFetch(server.url, { store });
  expect(await failureOf(post(fetch, server.url))).toMatchObject({ message: "disk trouble" });
  expect((await post(fetch, server.url)).status).toBe(200);
});

test("a stream is sent once: it cannot be sent again", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const body = new Blob(["hello"]).stream();
  const response = await authorizedFetch(server.url)(server.url, { method: "POST", body, duplex: "half" });
  expect(response.status).toBe(401);
  expect(as.seen).toHaveLength(0);
});

test("the token stays with its server: other origins and other paths do not get it", async () => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  await using other = serveOnLoopback(() => Response.json({}));
  const fetch = authorizedFetch(server.url);
  await post(fetch, server.url);
  await post(fetch, `${other.origin}/mcp`);
  await post(fetch, `${server.origin}/mcp-other`);
  expect(other.seen.map(({ headers }) => headers.get("authorization"))).toEqual([null]);
  expect(server.seen.at(-1)?.path).toBe("/mcp-other");
  expect(server.seen.at(-1)?.headers.get("authorization")).toBeNull();
});

test.each<[string, number]>([
  ["temporary", 307],
  ["permanent", 308],
])("a %s redirect within the server keeps method, body and token", async (_, status) => {
  await using as = await startAuthorizationServer();
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    before: ({ path }) =>
      path === "/mcp/new"
        ? new Response("moved here")
        : path === "/mcp/old"
          ? new Response(null, { status, headers: { location: "/mcp/new" } })
          : undefined,
  });
  const fetch = authorizedFetch(server.url);
  await post(fetch, server.url);
  expect(await (await post(fetch, `${server.url}/old`, "kept")).text()).toBe("moved here");
  const { method, text, headers } = server.seen.at(-1)!;
  expect([method, text, headers.get("authorization")?.slice(0, 7)]).toEqual(["POST", "kept", "Bearer "]);
});

test("a redirect to another origin is handed back, not followed", async () => {
  await using as = await startAuthorizationServer();
  await using other = serveOnLoopback(() => Response.json({}));
  await using server = startProtectedServer({
    issuers: () => [as.issuer],
    before: ({ headers }) =>
      headers.has("authorization")
        ? new Response(null, { status: 307, headers: { location: other.origin } })
        : undefined,
  });
  expect((await post(authorizedFetch(server.url), server.url)).status).toBe(307);
  expect(other.seen).toHaveLength(0);
});

test("a server without metadata is taken at its 2025-03-26 word: fixed endpoints, no resource", async () => {
  await using as = await startAuthorizationServer();
  // The same origin plays both parts, as that revision has it; the endpoints are borrowed from the strict server.
  await using server = serveOnLoopback(async (request) => {
    if (request.path === "/mcp")
      return request.headers.has("authorization") ? Response.json({ in: true }) : new Response("", { status: 401 });
    if (!["/authorize", "/token", "/register"].includes(request.path)) return notFound();
    const query = request.query.size > 0 ? `?${request.query}` : "";
    const body = request.method === "POST" ? { body: request.text } : {};
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    return await fetch(`${as.origin}${request.path}${query}`, {
      method: request.method,
      headers,
      redirect: "manual",
      ...body,
    });
  });
  as.bent.callback = (query) => query.delete("iss");
  const response = await post(authorizedFetch(`${server.origin}/mcp`), `${server.origin}/mcp`);
  expect(await response.json()).toEqual({ in: true });
  expect(as.authorizations[0]?.has("resource")).toBe(false);
  expect(as.authorizations[0]?.get("code_challenge_method")).toBe("S256");
});

test.each(["http://mcp.example.com/mcp", "file:///mcp", "https://user:pass@mcp.example.com/mcp"])(
  "a client for %s is refused when it is made",
  (serverUrl) => {
    expect(() => authorizedFetch(serverUrl)).toThrow(expect.objectContaining({ code: "unsafe_url" }));
  },
);

test("no error tells a secret", async () => {
  const clientSecret = "very-secret-indeed";
  await using as = await startAuthorizationServer({
    token: () => Response.json({ error: "invalid_client", error_description: "no" }, { status: 401 }),
  });
  await using server = startProtectedServer({ issuers: () => [as.issuer] });
  const client = { clientId: "me", clientSecret, issuer: as.issuer };
  const failure = await failureOf(post(authorizedFetch(server.url, { client }), server.url));
  expect(failure).toMatchObject({ code: "token_refused", oauthError: "invalid_client" });
  expect(Bun.inspect(failure)).not.toContain(clientSecret);
});
