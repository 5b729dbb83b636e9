import { expect, test } from "bun:test";
import { httpUrl, isLoopback, normaliseHost } from "../../src/hosts/host-name.ts";

test.each<[string, string | undefined]>([
  ["Example.COM", "example.com"],
  ["example.com.", "example.com"],
  ["a_b.example", "a_b.example"],
  ["127.0.0.1", "127.0.0.1"],
  ["[::1]", "[::1]"],
  ["example.com..", undefined],
  [".example.com", undefined],
  ["exa\u0000mple.com", undefined],
  ["exa mple.com", undefined],
  ["exämple.com", undefined],
  ["good.com\\@evil", undefined],
  ["good.com@evil", undefined],
  ["good.com/evil", undefined],
  ["127.1", undefined],
  ["0x7f.0.0.1", undefined],
  ["2130706433", undefined],
  ["0177.0.0.1", undefined],
  ["256.0.0.1", undefined],
  ["-x.com", undefined],
  ["[::1", undefined],
  ["", undefined],
  ["a".repeat(64), undefined],
  [`${"a.".repeat(127)}com`, undefined],
])("the host %p is %p", (written, host) => {
  expect(normaliseHost(written)).toBe(host as string);
});

test("addresses keep their host, or are none", () => {
  expect(httpUrl("HTTP://Example.com:8080/x")?.host).toBe("example.com:8080");
  expect(httpUrl("http://example.com./x")?.hostname).toBe("example.com.");
  for (const bad of ["ftp://h/", "http://", "http://u@h/", "http://h:p@evil/", "//h/", "http://h\\x/", "http://%31/"]) {
    expect(httpUrl(bad)).toBeUndefined();
  }
});

test("loopback is known in its forms", () => {
  expect(["localhost", "127.0.0.1", "127.9.9.9", "[::1]", "::1", "LOCALHOST"].every(isLoopback)).toBe(true);
  expect(
    ["localhost.evil", "128.0.0.1", "127.0.0.1.evil", "127.0.0.999", "x.localhost", "0.0.0.0"].some(isLoopback),
  ).toBe(false);
});
