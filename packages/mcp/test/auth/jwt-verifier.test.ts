// Access tokens as JWTs: what verifies, what must not, and how keys come and go.
import { expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { createJwtVerifier } from "../../src/auth/jwt-verifier.ts";
import type { JwtVerifierOptions } from "../../src/auth/jwt-verifier.ts";
import { JWT_ALGORITHMS, signJwt } from "../../src/auth/jwt.ts";
import type { JwtAlgorithm, SigningKey } from "../../src/auth/jwt.ts";
import { failureOf } from "./fixtures/failure.ts";
import { serveOnLoopback } from "./fixtures/loopback-server.ts";
import { plainFetch } from "./fixtures/signed-in.ts";

const resource = "https://mcp.example.com/mcp";

type TestKey = { signing: SigningKey; jwk: Record<string, unknown> };

async function makeKey(algorithm: JwtAlgorithm, keyId = "key-1", modulusLength = 2048): Promise<TestKey> {
  const parameters = { ...JWT_ALGORITHMS[algorithm].import, modulusLength, publicExponent: Uint8Array.of(1, 0, 1) };
  const pair = (await crypto.subtle.generateKey(parameters, true, ["sign", "verify"])) as CryptoKeyPair;
  const jwk = await crypto.subtle.exportKey("jwk", pair.publicKey);
  return {
    signing: { privateKey: pair.privateKey, algorithm, keyId },
    jwk: { ...jwk, kid: keyId, alg: undefined, use: "sig", key_ops: undefined },
  };
}

type CryptoKeyPair = { privateKey: CryptoKey; publicKey: CryptoKey };

/** An issuer that publishes keys; the test changes them, and the time. */
function startIssuer(keys: Record<string, unknown>[]) {
  const state = { keys, nowMs: 1_800_000_000_000, down: false };
  const server = serveOnLoopback(({ path }) => {
    if (state.down) return new Response("", { status: 503 });
    if (path === "/jwks") return Response.json({ keys: state.keys });
    return Response.json({
      issuer: server.origin,
      token_endpoint: `${server.origin}/token`,
      jwks_uri: `${server.origin}/jwks`,
    });
  });
  const claims = (more: Record<string, unknown> = {}): Record<string, unknown> => {
    const nowS = state.nowMs / 1000;
    return {
      iss: server.origin,
      sub: "someone",
      aud: resource,
      iat: nowS,
      exp: nowS + 300,
      scope: "read write",
      ...more,
    };
  };
  const verifier = (options: Partial<JwtVerifierOptions> = {}) => {
    const verify = createJwtVerifier({
      issuers: [{ issuer: server.origin }],
      fetch: plainFetch,
      now: () => state.nowMs,
      ...options,
    });
    return async (token: string): Promise<string> => {
      const verdict = await verify(token, resource);
      return verdict.kind === "verified" ? "verified" : verdict.reason;
    };
  };
  const keyFetches = (): number => server.paths().filter((path) => path === "/jwks").length;
  return Object.assign(server, { state, claims, verifier, keyFetches });
}

test.each<[JwtAlgorithm]>([["RS256"], ["PS256"], ["ES256"], ["ES384"], ["EdDSA"]])("%s verifies", async (algorithm) => {
  const key = await makeKey(algorithm);
  await using issuer = startIssuer([key.jwk]);
  expect(await issuer.verifier()(await signJwt(key.signing, { typ: "at+jwt" }, issuer.claims()))).toBe("verified");
});

test("what the token says comes out typed", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const verify = createJwtVerifier({
    issuers: [{ issuer: issuer.origin }],
    fetch: plainFetch,
    now: () => issuer.state.nowMs,
  });
  const token = await signJwt(
    key.signing,
    {},
    issuer.claims({ aud: [resource, "other"], azp: "app", scope: undefined, scp: ["a", "b"] }),
  );
  expect(await verify(token, resource)).toEqual({
    kind: "verified",
    token: {
      issuer: issuer.origin,
      subject: "someone",
      clientId: "app",
      scopes: ["a", "b"],
      audience: [resource, "other"],
      expiresAtMs: issuer.state.nowMs + 300_000,
    },
  });
});

test.each<[string, Record<string, unknown>, Record<string, unknown>, string]>([
  ["ended", {}, { exp: 1_800_000_000 - 31 }, "expired"],
  ["without an end", {}, { exp: undefined }, "no end"],
  ["whose end is a text", {}, { exp: "9999999999" }, "no end"],
  ["not begun", {}, { nbf: 1_800_000_000 + 60 }, "not valid yet"],
  ["from the future", {}, { iat: 1_800_000_000 + 60 }, "future"],
  ["of another issuer", {}, { iss: "https://evil.example" }, "issuer"],
  ["without an issuer", {}, { iss: undefined }, "issuer"],
  ["whose issuer only normalises to ours", {}, { iss: "ORIGIN/" }, "issuer"],
  ["bound to a key", {}, { cnf: { jkt: "x" } }, "bound to a key"],
  ["that is a DPoP proof", { typ: "dpop+jwt" }, {}, "not an access token"],
  ["that is a client assertion", { typ: "client-authentication+jwt" }, {}, "not an access token"],
  ["with extensions nobody knows", { crit: ["b64"], b64: false }, {}, "extensions"],
])("refused: a token %s", async (_, header, claims, reason) => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const iss = claims["iss"] === "ORIGIN/" ? { iss: `${issuer.origin}/` } : {};
  const token = await signJwt(key.signing, header, issuer.claims({ ...claims, ...iss }));
  expect(await issuer.verifier()(token)).toContain(reason);
});

test("a little difference between clocks is forgiven", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const nowS = issuer.state.nowMs / 1000;
  const token = await signJwt(key.signing, {}, issuer.claims({ exp: nowS - 20, nbf: nowS + 20, iat: nowS + 20 }));
  expect(await issuer.verifier()(token)).toBe("verified");
  expect(await issuer.verifier({ clockSkewS: 5 })(token)).toContain("expired");
});

function part(value: unknown): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}

test("refused: unsigned tokens, in every spelling", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const verify = issuer.verifier();
  for (const alg of ["none", "None", "NONE", "", null, undefined, 1, ["ES256"], "__proto__", "constructor"]) {
    const unsigned = `${part({ alg })}.${part(issuer.claims())}.`;
    expect(await verify(unsigned)).not.toBe("verified");
    expect(await verify(`${unsigned}AAAA`)).not.toBe("verified");
  }
});

test("refused: our public key used as a shared secret", async () => {
  const key = await makeKey("RS256");
  await using issuer = startIssuer([key.jwk, { kty: "oct", k: part("x"), kid: "shared" }]);
  for (const [secret, kid] of [
    [JSON.stringify(key.jwk), "key-1"],
    [String(key.jwk["n"]), "key-1"],
    ['"x"', "shared"],
  ] as const) {
    const content = `${part({ alg: "HS256", kid })}.${part(issuer.claims())}`;
    const forged = `${content}.${createHmac("sha256", secret).update(content).digest("base64url")}`;
    expect(await issuer.verifier()(forged)).toContain("algorithm");
  }
});

test("refused: a key that the token brings along or points at", async () => {
  const [ours, theirs] = [await makeKey("ES256"), await makeKey("ES256")];
  await using issuer = startIssuer([ours.jwk]);
  await using thief = serveOnLoopback(() => Response.json({ keys: [theirs.jwk] }));
  const header = { jwk: theirs.jwk, jku: thief.origin, x5u: thief.origin };
  expect(await issuer.verifier()(await signJwt(theirs.signing, header, issuer.claims()))).toContain("signature");
  expect(thief.seen).toHaveLength(0);
});

test("refused: a key id of a key of another kind or purpose", async () => {
  const [ec, rsa] = [await makeKey("ES256", "ec"), await makeKey("RS256", "rsa")];
  await using issuer = startIssuer([ec.jwk, rsa.jwk]);
  const claim = async (signing: SigningKey, keyId: string) =>
    await issuer.verifier()(await signJwt({ ...signing, keyId }, {}, issuer.claims()));
  expect(await claim(ec.signing, "ec")).toBe("verified");
  expect(await claim(ec.signing, "rsa")).toContain("signature");
  issuer.state.keys = [{ ...ec.jwk, use: "enc" }];
  expect(await claim(ec.signing, "ec")).toContain("signature");
  issuer.state.keys = [{ ...ec.jwk, alg: "ES384" }];
  expect(await claim(ec.signing, "ec")).toContain("signature");
  issuer.state.keys = [{ ...ec.jwk, key_ops: ["sign"] }];
  expect(await claim(ec.signing, "ec")).toContain("signature");
});

test("refused: a key id that two keys claim, and no key id where several keys fit", async () => {
  const [one, two] = [await makeKey("ES256", "same"), await makeKey("ES256", "same")];
  await using issuer = startIssuer([one.jwk, two.jwk]);
  expect(await issuer.verifier()(await signJwt(one.signing, {}, issuer.claims()))).toContain("signature");
  const { privateKey, algorithm } = one.signing;
  const anonymous = await signJwt({ privateKey, algorithm }, {}, issuer.claims());
  expect(await issuer.verifier()(anonymous)).toContain("signature");
  issuer.state.keys = [one.jwk];
  expect(await issuer.verifier()(anonymous)).toBe("verified");
});

test("refused: an RSA key that is too small", async () => {
  const key = await makeKey("RS256", "small", 1024);
  await using issuer = startIssuer([key.jwk]);
  expect(await issuer.verifier()(await signJwt(key.signing, {}, issuer.claims()))).toContain("signature");
});

test("refused: an algorithm that was not allowed here", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const token = await signJwt(key.signing, {}, issuer.claims());
  expect(await issuer.verifier({ algorithms: ["RS256"] })(token)).toContain("algorithm");
});

test("refused: a token of one trusted issuer signed by another trusted one", async () => {
  const [one, two] = [await makeKey("ES256", "k"), await makeKey("ES256", "k")];
  await using first = startIssuer([one.jwk]);
  await using second = startIssuer([two.jwk]);
  const verify = first.verifier({ issuers: [{ issuer: first.origin }, { issuer: second.origin }] });
  expect(await verify(await signJwt(two.signing, {}, second.claims()))).toBe("verified");
  expect(await verify(await signJwt(two.signing, {}, first.claims()))).toContain("signature");
});

test("refused: a token changed in any one character", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const verify = issuer.verifier();
  const token = await signJwt(key.signing, {}, issuer.claims());
  expect(await verify(token)).toBe("verified");
  for (let at = 0; at < token.length; at += 1) {
    const other = token[at] === "A" ? "B" : "A";
    expect(await verify(token.slice(0, at) + other + token.slice(at + 1))).not.toBe("verified");
    expect(await verify(token.slice(0, at))).not.toBe("verified");
  }
});

test.each(["", ".", "..", "a.b", "a.b.c.d", "{}.{}.{}", `${"A".repeat(40_000)}.A.A`, `${part([])}.${part([])}.AAAA`])(
  "refused: %p is not a token",
  async (token) => {
    await using issuer = startIssuer([]);
    expect(await issuer.verifier()(token)).toContain("well-formed");
    expect(issuer.seen).toHaveLength(0);
  },
);

test("keys are fetched once for many tokens at once, and anew when a new one appears", async () => {
  const [old, next] = [await makeKey("ES256", "old"), await makeKey("ES256", "next")];
  await using issuer = startIssuer([old.jwk]);
  const verify = issuer.verifier();
  const token = await signJwt(old.signing, {}, issuer.claims());
  expect(await Promise.all(Array.from({ length: 30 }, () => verify(token)))).toEqual(Array(30).fill("verified"));
  expect(issuer.keyFetches()).toBe(1);
  issuer.state.keys = [old.jwk, next.jwk];
  issuer.state.nowMs += 31_000;
  expect(await verify(await signJwt(next.signing, {}, issuer.claims()))).toBe("verified");
  expect(issuer.keyFetches()).toBe(2);
});

test("invented key ids do not make us ask the issuer again and again", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const verify = issuer.verifier();
  for (let count = 0; count < 50; count += 1)
    expect(await verify(await signJwt({ ...key.signing, keyId: `invented-${count}` }, {}, issuer.claims()))).toContain(
      "signature",
    );
  expect(issuer.keyFetches()).toBe(1);
});

test("a withdrawn key is no longer believed once the keys are old", async () => {
  const [leaked, next] = [await makeKey("ES256", "leaked"), await makeKey("ES256", "next")];
  await using issuer = startIssuer([leaked.jwk]);
  const verify = issuer.verifier();
  expect(await verify(await signJwt(leaked.signing, {}, issuer.claims()))).toBe("verified");
  issuer.state.keys = [next.jwk];
  issuer.state.nowMs += 11 * 60_000;
  expect(await verify(await signJwt(leaked.signing, {}, issuer.claims()))).toContain("signature");
});

test("an outage of the issuer: known keys serve on for a day, without any nothing can be told", async () => {
  const key = await makeKey("ES256");
  await using issuer = startIssuer([key.jwk]);
  const verify = issuer.verifier();
  expect(await verify(await signJwt(key.signing, {}, issuer.claims()))).toBe("verified");
  issuer.state.down = true;
  issuer.state.nowMs += 60 * 60_000;
  expect(await verify(await signJwt(key.signing, {}, issuer.claims()))).toBe("verified");
  issuer.state.nowMs += 25 * 60 * 60_000;
  const later = await signJwt(key.signing, {}, issuer.claims());
  expect(await failureOf(verify(later))).toMatchObject({ code: "network" });
  expect(await failureOf(issuer.verifier()(later))).toMatchObject({ code: "network" });
});

test.each<[string, string]>([
  ["a key set that is no key set", "bad_document"],
  ["an issuer's metadata for somebody else", "issuer_mismatch"],
])("%s is an error, not a refusal", async (_, code) => {
  const key = await makeKey("ES256");
  await using issuer = serveOnLoopback(({ path }) =>
    path === "/jwks"
      ? Response.json({ keys: "none" })
      : Response.json({
          issuer: code === "issuer_mismatch" ? "https://evil.example" : issuer.origin,
          token_endpoint: `${issuer.origin}/token`,
          jwks_uri: `${issuer.origin}/jwks`,
        }),
  );
  const verify = createJwtVerifier({ issuers: [{ issuer: issuer.origin }], fetch: plainFetch });
  const exp = Math.floor(Date.now() / 1000) + 300;
  const token = await signJwt(key.signing, {}, { iss: issuer.origin, aud: resource, exp });
  expect(await failureOf(verify(token, resource))).toMatchObject({ code });
});
