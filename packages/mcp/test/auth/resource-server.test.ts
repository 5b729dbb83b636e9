// The server's side: who is let in, and what everyone else is told.
import { expect, test } from "bun:test";
import { AuthorizationError } from "../../src/auth/authorization-error.ts";
import { createResourceServer } from "../../src/auth/resource-server.ts";
import type { ResourceServer, ResourceServerOptions } from "../../src/auth/resource-server.ts";
import { createStaticTokenVerifier, equalInConstantTime } from "../../src/auth/static-tokens.ts";
import type { VerifiedToken } from "../../src/auth/resource-server.ts";
import { parseChallenges } from "../../src/auth/www-authenticate.ts";
import { failureOf } from "./fixtures/failure.ts";

const resource = "https://mcp.example.com/team/mcp";
const metadataUrl = "https://mcp.example.com/.well-known/oauth-protected-resource/team/mcp";
const reader: VerifiedToken = {
  issuer: "https://auth.example",
  subject: "someone",
  clientId: undefined,
  scopes: ["read"],
  audience: [resource],
  expiresAtMs: undefined,
};

/** Knows one token, `good`, which says what the test wants it to say. */
function serverKnowing(token: Partial<VerifiedToken>, options: Partial<ResourceServerOptions> = {}): ResourceServer {
  return createResourceServer({
    resource,
    authorizationServers: ["https://auth.example"],
    verify: async (presented) =>
      presented === "good"
        ? { kind: "verified", token: { ...reader, ...token } }
        : { kind: "rejected", reason: 'not "known" \\ here' },
    ...options,
  });
}

function request(authorization?: string, query = ""): Request {
  return new Request(`${resource}${query}`, {
    method: "POST",
    headers: authorization === undefined ? {} : { authorization },
  });
}

async function refusal(server: ResourceServer, asked: Request): Promise<Record<string, unknown>> {
  const admission = await server.authenticate(asked);
  if (admission.kind !== "refused") throw new Error("was let in");
  const [challenge] = parseChallenges(admission.response.headers.get("www-authenticate"));
  return {
    status: admission.response.status,
    scheme: challenge?.scheme,
    ...Object.fromEntries(challenge?.params ?? []),
  };
}

test.each<[string, string | undefined, string, Record<string, unknown>]>([
  ["no token", undefined, "", { status: 401, scheme: "bearer", resource_metadata: metadataUrl, scope: "read" }],
  ["another scheme", "Basic Z29vZA==", "", { status: 401, resource_metadata: metadataUrl }],
  [
    "an unknown token",
    "Bearer bad",
    "",
    { status: 401, error: "invalid_token", error_description: 'not "known" \\ here' },
  ],
  ["nothing behind the scheme", "Bearer ", "", { status: 400, error: "invalid_request" }],
  ["two tokens", "Bearer good, Bearer good", "", { status: 400, error: "invalid_request" }],
  ["characters no token has", "Bearer go\u00fcd", "", { status: 400, error: "invalid_request" }],
  ["a token in the address", undefined, "?access_token=good", { status: 400, error: "invalid_request" }],
  ["a token in the address beside one in the header", "Bearer good", "?access_token=x", { status: 400 }],
])("refused: %s", async (_, authorization, query, expected) => {
  const server = serverKnowing({}, { requiredScopes: ["read"] });
  expect(await refusal(server, request(authorization, query))).toMatchObject(expected);
});

test("without a token nothing is called an error: nobody has done anything wrong yet", async () => {
  expect(await refusal(serverKnowing({}), request())).toEqual({
    status: 401,
    scheme: "bearer",
    resource_metadata: metadataUrl,
  });
});

test.each<[string, Partial<VerifiedToken>]>([
  ["for another server", { audience: ["https://other.example/mcp"] }],
  ["for a sibling", { audience: [`${resource}-other`] }],
  ["for the origin above", { audience: ["https://mcp.example.com"] }],
  ["for nobody", { audience: [] }],
  ["that has ended", { expiresAtMs: 1_000 }],
])("refused: a token %s, even if the verifier let it through", async (_, token) => {
  expect(await refusal(serverKnowing(token), request("Bearer good"))).toMatchObject({
    status: 401,
    error: "invalid_token",
  });
});

test.each<[string, string, Partial<VerifiedToken>, Partial<ResourceServerOptions>]>([
  ["the token for this server", "Bearer good", {}, {}],
  ["the scheme in any case", "bEARER good", {}, {}],
  ["one audience of several", "Bearer good", { audience: ["https://other.example", resource] }, {}],
  [
    "an audience that was configured",
    "Bearer good",
    { audience: ["api://team"] },
    { acceptedAudiences: ["api://team"] },
  ],
  [
    "a scope that includes the needed one",
    "Bearer good",
    { scopes: ["admin"] },
    { requiredScopes: ["read"], impliedScopes: { admin: ["write"], write: ["read"] } },
  ],
  [
    "scopes that include each other in a circle",
    "Bearer good",
    { scopes: ["a"] },
    { requiredScopes: ["b"], impliedScopes: { a: ["b"], b: ["a"] } },
  ],
])("let in: %s", async (_, authorization, token, options) => {
  const admission = await serverKnowing(token, options).authenticate(request(authorization));
  expect(admission.kind).toBe("admitted");
});

test("what was verified does not hold the token: nothing behind can pass it on", async () => {
  const admission = await serverKnowing({}).authenticate(request("Bearer good"));
  expect(JSON.stringify(admission)).not.toContain("good");
});

test("a missing scope: 403 with everything that is needed, at once", async () => {
  const server = serverKnowing({ scopes: [] }, { requiredScopes: ["read"] });
  expect(await refusal(server, request("Bearer good"))).toMatchObject({
    status: 403,
    error: "insufficient_scope",
    scope: "read",
    resource_metadata: metadataUrl,
  });
  const more = server.requireScopes({ ...reader, scopes: ["read"] }, ["write", "delete"]);
  expect(more?.status).toBe(403);
  expect(more?.headers.get("www-authenticate")).toContain('scope="read write delete"');
  expect(server.requireScopes({ ...reader, scopes: ["write", "delete"] }, ["write"])).toBeUndefined();
});

test("a verifier that cannot tell is an outage, not a reason to sign in again", async () => {
  const verify = async (): Promise<never> => {
    throw new AuthorizationError("network", "keys are out of reach");
  };
  const admission = await serverKnowing({}, { verify }).authenticate(request("Bearer good"));
  if (admission.kind !== "refused") throw new Error("was let in");
  expect(admission.response.status).toBe(503);
  expect(admission.response.headers.has("www-authenticate")).toBe(false);
});

test("a bug in a verifier is not hidden", async () => {
  const verify = async (): Promise<never> => {
    throw new TypeError("a bug");
  };
  const work = serverKnowing({}, { verify }).authenticate(request("Bearer good"));
  expect(await failureOf(work)).toMatchObject({ message: "a bug" });
});

test("the metadata document: at the well-known place between host and path, and only there", async () => {
  const server = serverKnowing({}, { scopesSupported: ["read", "write"], resourceName: "Team" });
  expect(server.metadataUrl).toBe(metadataUrl);
  const response = server.metadata(new Request(metadataUrl));
  expect(response?.headers.get("content-type")).toBe("application/json");
  expect(await response?.json()).toEqual({
    resource,
    authorization_servers: ["https://auth.example"],
    scopes_supported: ["read", "write"],
    bearer_methods_supported: ["header"],
    resource_name: "Team",
  });
  expect(server.metadata(new Request(metadataUrl, { method: "POST" }))?.status).toBe(405);
  expect(await server.metadata(new Request(metadataUrl, { method: "HEAD" }))?.text()).toBe("");
  expect(server.metadata(new Request(resource))).toBeUndefined();
  expect(server.metadata(new Request("https://mcp.example.com/.well-known/oauth-protected-resource"))).toBeUndefined();
});

test.each<[string, string]>([
  ["https://mcp.example.com", "https://mcp.example.com/.well-known/oauth-protected-resource"],
  ["https://mcp.example.com/", "https://mcp.example.com/.well-known/oauth-protected-resource"],
  ["https://mcp.example.com/mcp/", "https://mcp.example.com/.well-known/oauth-protected-resource/mcp"],
])("the metadata of %s is at %s", (named, location) => {
  expect(serverKnowing({}, { resource: named }).metadataUrl).toBe(location);
});

test("a server with tokens by hand alone has no metadata, and does not point at any", async () => {
  const server = serverKnowing({}, { authorizationServers: [] });
  expect(server.metadata(new Request(metadataUrl))).toBeUndefined();
  expect(await refusal(server, request())).toEqual({ status: 401, scheme: "bearer" });
});

test.each<[string, Partial<ResourceServerOptions>]>([
  ["offline_access among its scopes", { scopesSupported: ["read", "offline_access"] }],
  ["offline_access among the required ones", { requiredScopes: ["offline_access"] }],
  ["a scope with a quote", { requiredScopes: ['a"b'] }],
  ["a relative resource", { resource: "/mcp" }],
  ["a resource with a fragment", { resource: `${resource}#x` }],
  ["a resource with a password", { resource: "https://u:p@mcp.example.com/mcp" }],
])("a server cannot be made with %s", (_, options) => {
  expect(() => serverKnowing({}, options)).toThrow(expect.objectContaining({ code: "bad_configuration" }));
});

const handed = "0123456789abcdef-handed-out";

test("tokens by hand: each is known, with its own scopes; nothing near it is", async () => {
  const verify = createStaticTokenVerifier([
    { token: handed, subject: "me", scopes: ["read"] },
    { token: `${handed}2` },
  ]);
  expect(await verify(handed, resource)).toMatchObject({
    kind: "verified",
    token: { subject: "me", scopes: ["read"], audience: [resource] },
  });
  expect(await verify(`${handed}2`, resource)).toMatchObject({ kind: "verified", token: { scopes: [] } });
  const wrong = ["", handed.slice(1), handed.slice(0, -1), `${handed}3`, handed.toUpperCase(), "x".repeat(100_000)];
  for (const token of wrong) expect(await verify(token, resource)).toMatchObject({ kind: "rejected" });
});

test.each(["", "short", "has a space in its middle", "ünïcödé-ünïcödé-ünïcödé", "x".repeat(5000)])(
  "a token by hand like %p is refused when configured",
  (token) => {
    expect(() => createStaticTokenVerifier([{ token }])).toThrow(
      expect.objectContaining({ code: "bad_configuration" }),
    );
  },
);

test("comparison: equal only when every byte and the length are", () => {
  const bytes = new TextEncoder().encode("0123456789abcdef");
  expect(equalInConstantTime(bytes, bytes.slice())).toBe(true);
  for (let at = 0; at < bytes.length; at += 1) {
    const changed = bytes.slice();
    changed[at] = changed[at]! ^ 1;
    expect(equalInConstantTime(bytes, changed)).toBe(false);
    expect(equalInConstantTime(bytes, bytes.slice(0, at))).toBe(false);
  }
  expect(equalInConstantTime(bytes, Uint8Array.of(...bytes, 0))).toBe(false);
});
