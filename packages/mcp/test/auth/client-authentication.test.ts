// How the client proves itself at the token endpoint.
import { expect, test } from "bun:test";
import { authenticateClient, chooseAuthMethod } from "../../src/auth/client-authentication.ts";
import type { AuthMethod, ClientIdentity } from "../../src/auth/credential-store.ts";
import { importSigningKey } from "../../src/auth/jwt.ts";
import { readJwtPart, startAuthorizationServer } from "./fixtures/authorization-server.ts";
import { failureOf } from "./fixtures/failure.ts";
import { startProtectedServer } from "./fixtures/protected-server.ts";
import { authorizedFetch, post } from "./fixtures/signed-in.ts";

const secret: ClientIdentity = { clientId: "id", clientSecret: "secret" };

test.each<[string, ClientIdentity, string[] | undefined, AuthMethod]>([
  ["Basic before post", secret, ["client_secret_post", "client_secret_basic"], "client_secret_basic"],
  ["post alone", secret, ["client_secret_post"], "client_secret_post"],
  ["none alone", secret, ["none"], "none"],
  ["Basic where nothing is said", secret, undefined, "client_secret_basic"],
  ["nothing without a secret", { clientId: "id" }, ["client_secret_basic"], "none"],
  ["what the registration fixed", { ...secret, authMethod: "client_secret_post" }, undefined, "client_secret_post"],
])("%s", (_, client, supported, expected) => {
  expect(chooseAuthMethod(client, supported)).toBe(expected);
});

test("a server that takes no secret is told apart", () => {
  expect(() => chooseAuthMethod(secret, ["tls_client_auth"])).toThrow(
    expect.objectContaining({ code: "no_client_identity" }),
  );
});

test("Basic encodes both parts as a form does: a colon cannot move the border", async () => {
  const client = { clientId: "a:b c%", clientSecret: "ü&=+/", authMethod: "client_secret_basic" as const };
  const form = new URLSearchParams();
  const { authorization = "" } = await authenticateClient(
    client,
    { issuer: "https://a.example", authMethods: undefined },
    form,
  );
  expect(atob(authorization.slice("Basic ".length))).toBe("a%3Ab+c%25:%C3%BC%26%3D%2B%2F");
  expect([...form]).toEqual([]);
});

test("post puts both parts into the form, none only the id", async () => {
  const server = { issuer: "https://a.example", authMethods: undefined };
  const sent = async (authMethod: AuthMethod): Promise<unknown> => {
    const form = new URLSearchParams();
    const headers = await authenticateClient({ ...secret, authMethod }, server, form);
    return { ...Object.fromEntries(form), ...headers };
  };
  expect(await sent("client_secret_post")).toEqual({ client_id: "id", client_secret: "secret" });
  expect(await sent("none")).toEqual({ client_id: "id" });
});

async function privateKeyPem(): Promise<{ pem: string; publicKey: CryptoKey }> {
  const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, true, ["sign", "verify"]);
  const bytes = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  const lines = Buffer.from(bytes).toString("base64").replace(/.{64}/g, "$&\n");
  return { pem: `-----BEGIN PRIVATE KEY-----\n${lines}\n-----END PRIVATE KEY-----\n`, publicKey: pair.publicKey };
}

test("a private key signs an assertion for this issuer alone, short-lived and new each time", async () => {
  const { pem, publicKey } = await privateKeyPem();
  const signingKey = await importSigningKey(pem, "ES256", "my-key");
  expect(signingKey.privateKey.extractable).toBe(false);
  const assertions = await Promise.all(
    [1, 2].map(async () => {
      const form = new URLSearchParams();
      await authenticateClient(
        { clientId: "id", signingKey },
        { issuer: "https://a.example", authMethods: undefined },
        form,
      );
      expect(form.get("client_assertion_type")).toBe("urn:ietf:params:oauth:client-assertion-type:jwt-bearer");
      return form.get("client_assertion") ?? "";
    }),
  );
  const [one = "", two = ""] = assertions;
  const claims = readJwtPart(one, 1) as { exp: number; iat: number };
  expect(readJwtPart(one, 0)).toEqual({ typ: "JWT", kid: "my-key", alg: "ES256" });
  expect(claims).toMatchObject({ iss: "id", sub: "id", aud: "https://a.example" });
  expect(claims.exp - claims.iat).toBeLessThanOrEqual(300);
  expect(readJwtPart(two, 1)["jti"]).not.toBe(readJwtPart(one, 1)["jti"]);
  const [header, body, signature = ""] = one.split(".");
  const content = new TextEncoder().encode(`${header}.${body}`);
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  expect(await crypto.subtle.verify(algorithm, publicKey, Buffer.from(signature, "base64url"), content)).toBe(true);
});

test.each<[string, string]>([
  ["no PEM", "hello"],
  ["another kind of PEM", "-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----"],
  ["a PEM of nothing", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"],
])("a private key that is %s is refused by name", async (_, pem) => {
  expect(await failureOf(importSigningKey(pem, "ES256"))).toMatchObject({ code: "bad_key" });
});

test.each<[AuthMethod]>([["client_secret_basic"], ["client_secret_post"], ["none"]])(
  "a dynamic registration asks for %s where the server takes only that, and uses it",
  async (method) => {
    await using as = await startAuthorizationServer({
      metadata: () => ({ token_endpoint_auth_methods_supported: [method] }),
      registration: () => (method === "none" ? {} : { client_secret: "given" }),
    });
    await using server = startProtectedServer({ issuers: () => [as.issuer] });
    expect((await post(authorizedFetch(server.url), server.url)).status).toBe(200);
    expect(as.registrations[0]?.["token_endpoint_auth_method"]).toBe(method);
    const { headers, form } = as.tokenRequests[0]!;
    const used = headers.has("authorization")
      ? "client_secret_basic"
      : form.has("client_secret")
        ? "client_secret_post"
        : "none";
    expect(used).toBe(method);
  },
);
