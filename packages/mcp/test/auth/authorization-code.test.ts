// What may come back from the authorization page, and what must not be believed.
import { expect, test } from "bun:test";
import { createPkce, readCallback } from "../../src/auth/authorization-code.ts";
import { sha256Base64Url } from "../../src/auth/base64url.ts";

const redirectUri = "http://127.0.0.1:5000/callback";
const issuer = "https://auth.example";
const announces = { server: { issuer, sendsIss: true }, state: "S", redirectUri };
const silent = { server: { issuer, sendsIss: false }, state: "S", redirectUri };
const encoded = encodeURIComponent(issuer);

test.each<[string, string, typeof announces]>([
  ["with the issuer", `?code=C&state=S&iss=${encoded}`, announces],
  ["without an issuer where none was announced", "?code=C&state=S", silent],
  ["with the right issuer where none was announced", `?code=C&state=S&iss=${encoded}`, silent],
])("a code is accepted %s", (_, query, expected) => {
  expect(readCallback(new URL(redirectUri + query), expected)).toBe("C");
});

test.each<[string, string, string, typeof announces]>([
  ["no state", `?code=C&iss=${encoded}`, "state_mismatch", announces],
  ["an empty state", `?code=C&state=&iss=${encoded}`, "state_mismatch", announces],
  ["another state", `?code=C&state=T&iss=${encoded}`, "state_mismatch", announces],
  ["two states", `?code=C&state=S&state=S&iss=${encoded}`, "state_mismatch", announces],
  ["two codes", `?code=C&code=D&state=S&iss=${encoded}`, "state_mismatch", announces],
  ["no issuer though announced", "?code=C&state=S", "iss_mismatch", announces],
  ["an empty issuer", "?code=C&state=S&iss=", "iss_mismatch", silent],
  ["another issuer", "?code=C&state=S&iss=https%3A%2F%2Fevil.example", "iss_mismatch", announces],
  ["another issuer where none was announced", "?code=C&state=S&iss=https%3A%2F%2Fevil.example", "iss_mismatch", silent],
  ["the issuer with a slash", `?code=C&state=S&iss=${encoded}%2F`, "iss_mismatch", announces],
  ["the issuer in upper case", "?code=C&state=S&iss=HTTPS%3A%2F%2Fauth.example", "iss_mismatch", announces],
  [
    "the issuer with its default port",
    "?code=C&state=S&iss=https%3A%2F%2Fauth.example%3A443",
    "iss_mismatch",
    announces,
  ],
  ["an error without a state", `?error=access_denied&iss=${encoded}`, "state_mismatch", announces],
  [
    "an error of another issuer",
    "?error=access_denied&state=S&iss=https%3A%2F%2Fevil.example",
    "iss_mismatch",
    announces,
  ],
  ["an error without the announced issuer", "?error=access_denied&state=S", "iss_mismatch", announces],
  ["an error of the right issuer", `?error=access_denied&state=S&iss=${encoded}`, "authorization_denied", announces],
  ["an error beside a code", `?error=x&code=C&state=S&iss=${encoded}`, "authorization_denied", announces],
  ["neither code nor error", `?state=S&iss=${encoded}`, "authorization_denied", announces],
  ["an empty code", `?code=&state=S&iss=${encoded}`, "authorization_denied", announces],
])("a redirect is refused that has %s", (_, query, code, expected) => {
  expect(() => readCallback(new URL(redirectUri + query), expected)).toThrow(expect.objectContaining({ code }));
});

test.each([
  "http://127.0.0.1:5001/callback",
  "http://127.0.0.1:5000/other",
  "http://localhost:5000/callback",
  "file:///callback",
])("a redirect to %s is not ours", (elsewhere) => {
  const callback = new URL(`${elsewhere}?code=C&state=S`);
  expect(() => readCallback(callback, silent)).toThrow(expect.objectContaining({ code: "redirect_mismatch" }));
});

test("the server's description is shown bounded and unable to act", () => {
  const description = encodeURIComponent(`\u001b[2J\u202e${"x".repeat(2000)}`);
  const callback = new URL(`${redirectUri}?error=access_denied&error_description=${description}&state=S`);
  let message = "";
  try {
    readCallback(callback, silent);
  } catch (error) {
    message = String(error);
  }
  expect(message).toContain("access_denied");
  expect(message.length).toBeLessThan(600);
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("PKCE: the challenge of RFC 7636's own example", async () => {
  expect(await sha256Base64Url("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")).toBe(
    "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM",
  );
});

test("PKCE: verifiers are new each time and long enough", async () => {
  const pairs = await Promise.all(Array.from({ length: 50 }, createPkce));
  expect(new Set(pairs.map(({ verifier }) => verifier)).size).toBe(50);
  for (const { verifier, challenge } of pairs) {
    expect(verifier).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(challenge).toBe(await sha256Base64Url(verifier));
  }
});
