import { expect, test } from "bun:test";
import { reachOf } from "@bosun/platform/hosts";
import { covers, policyFor, safeUrl } from "../../src/auth/safe-url.ts";
import type { Reach } from "@bosun/platform/hosts";
import { checkRedirectUri } from "../../src/auth/authorization-code.ts";

test.each<[string, Reach]>([
  ["localhost", "loopback"],
  ["LOCALHOST.", "loopback"],
  ["app.localhost", "loopback"],
  ["127.9.9.9", "loopback"],
  ["0.0.0.0", "loopback"],
  ["[::1]", "loopback"],
  ["[::ffff:7f00:1]", "loopback"],
  ["10.1.2.3", "private"],
  ["172.31.0.1", "private"],
  ["192.168.0.1", "private"],
  ["169.254.169.254", "private"],
  ["[fd00::1]", "private"],
  ["[fe80::1]", "private"],
  ["[::ffff:a9fe:a9fe]", "private"],
  ["172.32.0.1", "public"],
  ["8.8.8.8", "public"],
  ["localhost.example.com", "public"],
  ["127.0.0.1.example.com", "public"],
  ["[2001:db8::1]", "public"],
])("reach of %s is %s", (host, reach) => {
  expect(reachOf(host)).toBe(reach);
});

const publicServer = policyFor(new URL("https://mcp.example.com/mcp"), false);
const privateServer = policyFor(new URL("https://10.0.0.5/mcp"), false);
const localServer = policyFor(new URL("http://localhost:8080/mcp"), false);

test.each<[string, string, typeof publicServer]>([
  ["another scheme", "file:///etc/passwd", localServer],
  ["a script", "javascript:alert(1)", localServer],
  ["data", "data:application/json,{}", localServer],
  ["plain http elsewhere", "http://example.com/x", publicServer],
  ["a password", "https://user:secret@example.com/", publicServer],
  ["a user name", "https://user@example.com/", publicServer],
  ["loopback, named by a public server", "https://127.0.0.1/x", publicServer],
  ["loopback spelt as one number", "https://2130706433/x", publicServer],
  ["loopback spelt in hexadecimal", "https://0x7f.1/x", publicServer],
  ["the cloud metadata address", "https://169.254.169.254/latest", publicServer],
  ["loopback, named by a private server", "http://localhost/x", privateServer],
  ["a tab inside the scheme", "ht\ttps://example.com/", publicServer],
  ["a newline at the end", "https://example.com/\n", publicServer],
  ["a NUL in the host", "https://exa\0mple.com/", publicServer],
  ["an encoded NUL in the host", "https://exa%00mple.com/", publicServer],
  ["backslashes", "https:\\\\example.com\\x", publicServer],
  ["a relative address", "/authorize", publicServer],
  ["shell text", "https://example.com/$(touch /tmp/x) ;", publicServer],
  ["endless text", `https://example.com/${"x".repeat(9000)}`, publicServer],
])("refused: %s", (_, text, policy) => {
  expect(() => safeUrl(text, policy, "test")).toThrow(expect.objectContaining({ code: "unsafe_url" }));
});

test("a refused password is not repeated in the message", () => {
  expect(() => safeUrl("https://user:s3cr3t@example.com/", publicServer, "test")).not.toThrow(/s3cr3t/);
});

test.each<[string, string, typeof publicServer]>([
  ["https elsewhere", "https://auth.example.com/token", publicServer],
  ["upper case, made lower", "HTTPS://AUTH.EXAMPLE.COM/token", publicServer],
  ["a private neighbour of a private server", "https://10.0.0.6/token", privateServer],
  ["loopback http for a loopback server", "http://127.0.0.1:99/token", localServer],
  ["plain http when asked for", "http://example.com/x", policyFor(new URL("https://mcp.example.com"), true)],
])("accepted: %s", (_, text, policy) => {
  expect(safeUrl(text, policy, "test").href).toBe(new URL(text).href);
});

test.each<[string, string, boolean]>([
  ["https://a.example", "https://a.example/mcp", true],
  ["https://a.example/mcp", "https://a.example/mcp", true],
  ["https://a.example/mcp", "https://a.example/mcp/more", true],
  ["https://a.example/mcp/", "https://a.example/mcp", true],
  ["https://a.example/mcp", "https://a.example/mcp-evil", false],
  ["https://a.example/mcp", "https://a.example/", false],
  ["https://a.example/mcp", "https://a.example/mcp/../other", false],
  ["https://a.example", "https://a.example.evil/", false],
  ["http://a.example", "https://a.example/", false],
  ["https://a.example:444", "https://a.example/", false],
  ["https://a.example/mcp?tenant=1", "https://a.example/mcp?tenant=2", false],
])("%s covers %s: %s", (outer, inner, expected) => {
  expect(covers(new URL(outer), new URL(inner))).toBe(expected);
});

test.each<[string, boolean]>([
  ["http://127.0.0.1:1234/callback", true],
  ["http://localhost/callback", true],
  ["https://app.example/callback", true],
  ["http://app.example/callback", false],
  ["myapp://callback", false],
  ["https://app.example/callback#x", false],
  ["nonsense", false],
])("redirect URI %s: %s", (text, allowed) => {
  if (allowed) expect(checkRedirectUri(text).href).toBe(new URL(text).href);
  else expect(() => checkRedirectUri(text)).toThrow(expect.objectContaining({ code: "bad_configuration" }));
});
