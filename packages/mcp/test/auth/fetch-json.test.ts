import { expect, test } from "bun:test";
import { getJson, MAX_DOCUMENT_BYTES, postForm } from "../../src/auth/fetch-json.ts";
import type { AuthHttp } from "../../src/auth/fetch-json.ts";
import { failureOf } from "./fixtures/failure.ts";
import { serveOnLoopback } from "./fixtures/loopback-server.ts";
import type { Answer } from "./fixtures/loopback-server.ts";

function http(timeoutMs = 20_000): AuthHttp {
  return { fetch: (url, init) => fetch(url, init), urls: { nearest: "loopback", insecureHttp: false }, timeoutMs };
}

function redirect(location: string, status = 302): Response {
  return new Response(null, { status, headers: { location } });
}

function endless(): Response {
  const chunk = new Uint8Array(64 * 1024).fill(0x20);
  return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
}

function neverEnding(): Response {
  return new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array([0x7b])) }));
}

test.each<[string, string, Answer]>([
  ["a redirect to a file", "unsafe_url", () => redirect("file:///etc/passwd")],
  ["a redirect to another host over plain http", "unsafe_url", () => redirect("http://example.com/")],
  ["a redirect to another origin", "redirect_refused", () => redirect("https://example.com/")],
  ["a redirect without a target", "redirect_refused", () => new Response(null, { status: 302 })],
  ["redirects in a circle", "redirect_refused", () => redirect("/again")],
  ["more than the cap", "response_too_large", () => Response.json({ padding: "x".repeat(MAX_DOCUMENT_BYTES) })],
  ["a body without an end", "response_too_large", endless],
])("get refuses %s", async (_, code, answer) => {
  await using server = serveOnLoopback(answer);
  expect(await failureOf(getJson(http(), new URL(server.origin)))).toMatchObject({ code });
});

test("get refuses a small download that unpacks to a large one", async () => {
  const packed = Bun.gzipSync(`"${" ".repeat(8 * MAX_DOCUMENT_BYTES)}"`);
  expect(packed.length).toBeLessThan(MAX_DOCUMENT_BYTES / 8);
  await using server = serveOnLoopback(() => new Response(packed, { headers: { "content-encoding": "gzip" } }));
  expect(await failureOf(getJson(http(), new URL(server.origin)))).toMatchObject({ code: "response_too_large" });
});

test("a redirect within the origin is followed", async () => {
  await using server = serveOnLoopback(({ path }) => (path === "/end" ? Response.json({ here: 1 }) : redirect("/end")));
  expect(await getJson(http(), new URL(server.origin))).toMatchObject({ status: 200, body: { here: 1 } });
});

test("a form is never sent on, not even within the origin", async () => {
  await using server = serveOnLoopback(() => redirect("/elsewhere", 307));
  const sent = postForm(http(), new URL(server.origin), new URLSearchParams({ code: "secret" }));
  expect(await failureOf(sent)).toMatchObject({ code: "redirect_refused" });
  expect(server.paths()).toEqual(["/"]);
});

test.each<[string, Answer]>([
  ["before the answer", () => new Promise<Response>(() => {})],
  ["in the middle of the body", neverEnding],
])("a server that stalls %s is given up", async (_, answer) => {
  await using server = serveOnLoopback(answer);
  expect(await failureOf(getJson(http(200), new URL(server.origin)))).toMatchObject({
    code: "network",
  });
});

test.each<[string, string]>([
  ["text", "hello"],
  ["a list", "[1]"],
  ["null", "null"],
  ["a page", "<html></html>"],
  ["nothing", ""],
])("%s is no document", async (_, text) => {
  await using server = serveOnLoopback(() => new Response(text));
  expect((await getJson(http(), new URL(server.origin))).body).toBeUndefined();
});

test("an unreachable server is a network error", async () => {
  const server = serveOnLoopback(() => new Response());
  const { origin } = server;
  await server[Symbol.asyncDispose]();
  expect(await failureOf(getJson(http(), new URL(origin)))).toMatchObject({ code: "network" });
});
