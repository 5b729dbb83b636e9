import { describe, expect, test } from "bun:test";
import { createRedactStream } from "../../src/secrets/redact-stream.ts";
import { createRedactor, masked, redact } from "../../src/secrets/redact.ts";
import { isSecretName, isSecretVariable } from "../../src/secrets/secret-shapes.ts";

// Secrets are put together at run time so that no scanner takes this file for a leak.
const A = "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9";
const UP = "ABCDEFGH23456789";
const pem = (kind: string) => `-----BEGIN ${kind}PRIVATE KEY-----\nMIIEabc+/=\nAAAA\n-----END ${kind}PRIVATE KEY-----`;
const jwt = `eyJ${"hbGciOiJIUzI1NiJ9"}.eyJ${"zdWIiOiIxMjM0In0"}.${A}`;

const SECRETS: [string, string, string][] = [
  ["GitHub", `token is ghp_${A}xyz9 ok`, `ghp_${A}`],
  ["GitHub fine-grained", `github_pat_${A}_${A}`, A],
  ["GitLab", `glpat-${A}`, A],
  ["Anthropic", `sk-ant-api03-${A}`, A],
  ["OpenAI project", `sk-proj-${A}`, A],
  ["OpenAI old", `sk-${A}${A}`, A],
  ["OpenRouter", `sk-or-v1-${A}`, A],
  ["Stripe", `sk_live_${A}`, A],
  ["Slack", `xoxb-1234567890-${A}`, A],
  ["Slack hook", `https://hooks.slack.com/services/T0001/B0001/${A}`, A],
  ["AWS id", `id=AKIA${UP} x`, UP],
  ["Google", `AIza${A}12345678`, A],
  ["Google OAuth", `ya29.${A}`, A],
  ["Hugging Face", `hf_${A}`, A],
  ["npm", `//registry/:_authToken=npm_${A}`, A],
  ["PyPI", `pypi-${A}`, A],
  ["SendGrid", `SG.${A}.${A}`, A],
  ["Groq", `gsk_${A}`, A],
  ["Vault", `hvs.${A}`, A],
  ["JWT", `cookie ${jwt} end`, A],
  ["JWT without signature", `eyJ${"hbGciOiJub25lIn0"}.eyJ${"zdWIiOiJ4In0"}`, "zdWIiOiJ4In0"],
  ["private key", `x ${pem("")} y`, "MIIEabc"],
  ["RSA key", pem("RSA "), "MIIEabc"],
  ["OpenSSH key", pem("OPENSSH "), "MIIEabc"],
  ["key without an end", `-----BEGIN PRIVATE KEY-----\nMIIEabc`, "MIIEabc"],
  ["key inside JSON", JSON.stringify({ k: pem("EC ") }), "MIIEabc"],
  ["bearer header", `Authorization: Bearer ${A}`, A],
  ["lower case header", `authorization: bearer ${A}`, A],
  ["basic header", "authorization: Basic dXNlcjpwYXNzd29yZA==", "dXNlcjpwYXNz"],
  ["bearer in prose", `sent Bearer ${A} to`, A],
  ["api key header", "X-Api-Key: abc123", "abc123"],
  ["cookie header", "Set-Cookie: sid=s3cr3tvalue; Path=/", "s3cr3tvalue"],
  ["URL password", "postgres://bob:hunter2@db/x", "hunter2"],
  ["URL password with an at sign", "https://bob:hun%40ter@2@host/x", "hun%40ter"],
  ["URL token", `https://${A}@host/repo.git`, A],
  ["URL query", "https://h/x?api_key=abc123&y=1", "abc123"],
  ["variable", "GITHUB_TOKEN=abc123", "abc123"],
  ["variable with KEY", "export DEPLOY_KEY='abc 123'", "abc 123"],
  ["variable SECRET", "MY_SECRET=hunter2 cmd", "hunter2"],
  ["variable PASSWORD", 'DB_PASSWORD="hun ter2"', "hun ter2"],
  ["PGPASSWORD", "PGPASSWORD=hunter2", "hunter2"],
  ["JSON member", '{"password":"hunter2","a":1}', "hunter2"],
  ["JSON member, camel case", '{"apiKey": "abc123"}', "abc123"],
  ["JSON in a string", JSON.stringify({ body: '{"client_secret":"hunter2"}' }), "hunter2"],
  ["escaped quotes in the value", String.raw`{"password":"hun\"ter2"}`, "ter2"],
  ["YAML", "password: hunter2", "hunter2"],
  ["flag", "mysql --password hunter2 -e x", "hunter2"],
  ["flag with a sign", "tool --token=hunter2", "hunter2"],
  ["AWS secret", "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG", "wJalrXUtnFEMI"],
  ["curl user", "curl -u bob:hunter2 https://x", "hunter2"],
  ["curl user, quoted", "curl --user 'bob:hun ter2' https://x", "hun"],
  ["sshpass", "sshpass -p hunter2 ssh h", "hunter2"],
  ["a signed address", "https://s3/x?X-Amz-Signature=abc123def&y=1", "abc123def"],
  ["Azure", "DefaultEndpointsProtocol=https;AccountKey=abc123==;E", "abc123"],
];

describe("secrets are taken out", () => {
  test.each(SECRETS)("%s", (_, text, secret) => {
    const shown = redact(text);
    expect(shown).not.toContain(secret);
    expect(shown).toContain("[redacted ");
    expect(redact(shown)).toBe(shown);
  });

  test.each(SECRETS)("in pieces, cut anywhere: %s", (_, text, secret) => {
    const lines = `first\n${text}\nlast`;
    for (let cut = 0; cut <= lines.length; cut += 1) {
      const stream = createRedactStream(createRedactor());
      const shown = stream.push(lines.slice(0, cut)) + stream.push(lines.slice(cut)) + stream.flush();
      expect(shown).toBe(redact(lines));
      expect(shown).not.toContain(secret);
    }
  });

  test.each(SECRETS)("byte by byte inside an endless line: %s", (_, text, secret) => {
    if (text.includes("\n")) return; // a key has lines of its own
    const stream = createRedactStream(createRedactor());
    let shown = stream.push("a ".repeat(40_000));
    for (const character of ` ${text} `) shown += stream.push(character);
    shown += stream.push("b ".repeat(40_000)) + stream.flush();
    expect(shown).not.toContain(secret);
  });

  test("a secret known by value goes in every form", () => {
    const redactor = createRedactor({ secrets: ["pa ss/wörd"] });
    for (const form of ["pa ss/wörd", encodeURIComponent("pa ss/wörd"), JSON.stringify("pa ss/wörd")]) {
      expect(redactor.text(`x ${form} y`)).toContain("[redacted secret]");
    }
  });

  test("values and strings of an object", () => {
    const value = { user: "bob", password: "hunter2", list: [`Bearer ${A}`], deep: { apiKey: 5, token: null } };
    expect(createRedactor().value(value)).toEqual({
      user: "bob",
      password: "[redacted secret]",
      list: ["Bearer [redacted credential]"],
      deep: { apiKey: "[redacted secret]", token: null },
    });
  });

  test("an endless token leaves one note, not its tail", () => {
    const stream = createRedactStream(createRedactor());
    let shown = stream.push("x Bearer ");
    for (let i = 0; i < 40; i += 1) shown += stream.push("A1".repeat(4096));
    shown += stream.push(" done\nnext") + stream.flush();
    expect(shown.length).toBeLessThan(2000);
    expect(shown).not.toContain("A1A1");
    expect(shown).toEndWith(" done\nnext");
  });

  test("a key that never ends does not swallow the log", () => {
    const stream = createRedactStream(createRedactor());
    let shown = stream.push("-----BEGIN PRIVATE KEY-----\n");
    for (let i = 0; i < 3000; i += 1) shown += stream.push(`line ${i} of the log\n`);
    shown += stream.flush();
    expect(shown).toContain("line 2999");
    expect(shown).not.toContain("line 5 ");
  });
});

describe("ordinary text is left alone", () => {
  test.each([
    ["prose", "The token count is 12, the key idea is secrecy. A basic training for bearer certificates."],
    ["token counts", '{"max_tokens": 4096, "token_count": 12, "prompt_tokens": 7}'],
    ["a plain key member", '{"key": "value", "primary_key": "id", "sort_key": "name"}'],
    ["a public key", "PUBLIC_KEY=abc"],
    ["settings that name a variable", 'key_env = "OPENROUTER_API_KEY"\nauth_env = "LAB"'],
    ["a placeholder", "GITHUB_TOKEN=$GITHUB_TOKEN password=${PASS} token=<your token>"],
    ["a task id", "task-0123456789abcdef0123456789abcdef"],
    ["a URL with a port", "http://127.0.0.1:8080/path@x"],
    ["a working folder", "PWD=/home/bob"],
    ["a hash", "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"],
    ["a certificate", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----"],
    ["an email", "mail bob@example.com"],
    ["options that look like a user", "docker run -u 1000 x && sort -u a && tar --user x"],
    ["a signature", "the signature: f(x)"],
    ["a boolean", '{"token": null, "password": false}'],
  ])("%s", (_, text) => {
    expect(redact(text)).toBe(text);
  });
});

describe("hostile text costs linear time", () => {
  test.each([
    ["eyJ repeated", "eyJ"],
    ["prefixes repeated", "sk-"],
    ["BEGIN repeated", "-----BEGIN PRIVATE KEY"],
    ["names repeated", "token_"],
    ["names with signs", "password="],
    ["quotes never closed", 'secret="'],
    ["URLs repeated", "a://b:c"],
    ["at signs", "://@@@@"],
    ["bearer repeated", "Bearer "],
    ["one letter", "a"],
    ["a JWT without end", "eyJabcdefghij."],
    ["users", " -u a:"],
    ["values of one letter", "password=xpassword=x"],
  ])("%s", (_, piece) => {
    // Linear takes a fraction of a second; quadratic would take hours: then the test never ends.
    expect(redact(piece.repeat(Math.ceil(1_600_000 / piece.length)))).not.toBe("");
  });
});

test.each([
  ["password", true],
  ["apiKey", true],
  ["API-KEY", true],
  ["GITHUB_TOKEN", true],
  ["clientSecret", true],
  ["x-auth-token", true],
  ["key", false],
  ["keyboard", false],
  ["max_tokens", false],
  ["token_count", false],
  ["publicKey", false],
  ["author", false],
])("the name %s is a secret's: %p", (name, secret) => {
  expect(isSecretName(name)).toBe(secret);
});

test("variables are judged more broadly", () => {
  expect(["SSH_KEY", "MY_AUTH", "SENTRY_DSN", "NPM_TOKENS"].filter(isSecretVariable)).toHaveLength(4);
  expect(["PWD", "PATH", "GIT_AUTHOR_NAME", "KEYBOARD"].filter(isSecretVariable)).toEqual([]);
});

test("what a question shows of a secret", () => {
  expect(masked("abcdefghijklmnop")).toBe('"ab…" (16 characters)');
  expect(masked("short")).toBe('"…" (5 characters)');
});
