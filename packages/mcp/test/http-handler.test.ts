// The HTTP endpoint: who may call, and what a request must look like.
import { describe, expect, test } from "bun:test";
import { createHttpHandler } from "../src/http/http-handler.ts";
import { LEGACY_REVISIONS } from "../src/wire/revisions.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate, until } from "./fixtures/kitchen-sink.ts";
import { ENDPOINT, events, httpPeer, messages } from "./fixtures/http-peer.ts";
import { modernMeta } from "./fixtures/raw-connection.ts";

const PING = { jsonrpc: "2.0", id: 1, method: "ping" };

const call = (id: number | string, name: string, args = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args },
});

describe("the edge cases of JSON-RPC over HTTP", () => {
  const rows: [string, string, number, object | undefined][] = [
    ["not JSON", `{"jsonrpc":`, 400, { error: { code: -32700 } }],
    ["nothing", ``, 400, { error: { code: -32700 } }],
    ["not an object", `17`, 400, { error: { code: -32600 } }],
    ["an empty batch", `[]`, 400, { error: { code: -32600 } }],
    ["another jsonrpc", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, 400, { id: 5, error: { code: -32600 } }],
    ["a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, 400, { error: { code: -32600 } }],
    ["id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, 400, { error: { code: -32600 } }],
    ["array params", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}`, 400, { id: 5, error: { code: -32600 } }],
    ["result and error", `{"jsonrpc":"2.0","id":5,"result":{},"error":{}}`, 400, { id: 5, error: { code: -32600 } }],
    ["an unknown method", `{"jsonrpc":"2.0","id":5,"method":"nope"}`, 200, { id: 5, error: { code: -32601 } }],
    ["an unknown notification", `{"jsonrpc":"2.0","method":"notifications/nope"}`, 202, undefined],
    ["a reply to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, 202, undefined],
  ];
  for (const revision of LEGACY_REVISIONS) {
    test.each(rows)(`${revision}: %s`, async (_, body, status, expected) => {
      const peer = httpPeer(kitchenSink());
      const response = await peer.post(body, { headers: await peer.session(revision) });
      expect(response.status).toBe(status);
      const text = await response.text();
      if (expected) {
        expect(JSON.parse(text)).toMatchObject(expected);
        if (!("id" in expected)) expect("id" in (JSON.parse(text) as object)).toBe(false);
      } else expect(text).toBe("");
      peer.endpoint.close();
    });
  }

  test.each<[string, JsonObject, number, object | undefined]>([
    ["an unknown method is 404", { id: 5, method: "nope" }, 404, { id: 5, error: { code: -32601 } }],
    ["a legacy method is unknown", { id: 5, method: "ping" }, 404, { id: 5, error: { code: -32601 } }],
    ["an unknown notification", { method: "notifications/nope" }, 202, undefined],
    ["a posted reply is refused", { id: 5, result: {} }, 400, { id: 5, error: { code: -32600 } }],
  ])("2026-07-28: %s", async (_, message, status, expected) => {
    const peer = httpPeer(kitchenSink());
    const params = "method" in message ? { params: { _meta: modernMeta() } } : {};
    const headers = { "mcp-protocol-version": "2026-07-28", "mcp-method": String(message["method"]) };
    const response = await peer.post({ jsonrpc: "2.0", ...message, ...params }, { headers });
    expect(response.status).toBe(status);
    if (expected) expect(await response.json()).toMatchObject(expected);
  });

  test("a request id that is still running is refused with 400", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const headers = await peer.session("2025-11-25");
    const first = peer.post(call(1, "wait"), { headers });
    await until(() => gate.arrived === 1);
    const second = await peer.post(call(1, "echo"), { headers });
    expect(second.status).toBe(400);
    expect(await second.json()).toMatchObject({ id: 1, error: { code: -32600 } });
    gate.open();
    expect(await messages(await first)).toMatchObject([{ id: 1, result: {} }]);
    peer.endpoint.close();
  });
});

describe("batches over HTTP", () => {
  const note = { jsonrpc: "2.0", method: "notifications/nope" };
  test.each<[string, string, unknown[], number, unknown]>([
    ["2025-03-26 answers with an array", "2025-03-26", [PING, note], 200, [{ id: 1, result: {} }]],
    ["one bad message does not spoil the rest", "2025-03-26", [PING, 7], 200, [{ id: 1 }, { error: { code: -32600 } }]],
    ["nothing to answer is 202", "2025-03-26", [note, { jsonrpc: "2.0", id: 4, result: {} }], 202, undefined],
    [
      "initialize inside is refused",
      "2025-03-26",
      [PING, { ...PING, id: 2, method: "initialize" }],
      400,
      { error: { code: -32600 } },
    ],
    [
      "a modern message inside is refused",
      "2025-03-26",
      [PING, { ...PING, id: 2, params: { _meta: modernMeta() } }],
      400,
      { error: { code: -32600 } },
    ],
    ["2025-06-18 has none", "2025-06-18", [PING], 400, { error: { code: -32600 } }],
    ["2025-11-25 has none", "2025-11-25", [PING], 400, { error: { code: -32600 } }],
  ])("%s", async (_, revision, items, status, expected) => {
    const peer = httpPeer(kitchenSink());
    const response = await peer.post(items, { headers: await peer.session(revision) });
    expect(response.status).toBe(status);
    if (expected) expect(await response.json()).toMatchObject(expected as object);
    peer.endpoint.close();
  });

  test("2026-07-28 has none, and without a session there is none", async () => {
    const peer = httpPeer(kitchenSink());
    expect((await peer.post([PING], { headers: { "mcp-protocol-version": "2026-07-28" } })).status).toBe(400);
    expect((await peer.post([{ ...PING, method: "initialize" }])).status).toBe(400);
  });

  test("a batch that speaks before it answers does so in a stream", async () => {
    const peer = httpPeer(kitchenSink());
    const headers = await peer.session("2025-03-26");
    const response = await peer.post([call(1, "log"), call(2, "echo", { text: "x" })], { headers });
    const said: unknown[] = [];
    for await (const event of events(response)) said.push(JSON.parse(event.data));
    expect(said.slice(0, -1)).toHaveLength(4);
    expect(said.at(-1)).toMatchObject([{ id: 1 }, { id: 2 }]);
    peer.endpoint.close();
  });
});

describe("who may call", () => {
  test.each<[string, Record<string, string | undefined>, object, number]>([
    ["localhost", { host: "localhost" }, {}, 200],
    ["localhost with a port", { host: "localhost:1234" }, {}, 200],
    ["capitals", { host: "LocalHost:1" }, {}, 200],
    ["127.0.0.1", { host: "127.0.0.1:8080" }, {}, 200],
    ["::1", { host: "[::1]:8080" }, {}, 200],
    ["another name", { host: "evil.example" }, {}, 403],
    ["a name that starts like ours", { host: "localhost.evil.example" }, {}, 403],
    ["a name that ends like ours", { host: "evil-localhost" }, {}, 403],
    ["credentials in Host", { host: "localhost@evil.example" }, {}, 403],
    ["a trailing dot", { host: "localhost." }, {}, 403],
    ["another loopback address, where one may listen, too", { host: "127.0.0.2" }, {}, 200],
    ["a private address", { host: "10.0.0.1" }, {}, 403],
    ["a name that starts like a loopback address", { host: "127.0.0.1.evil.example" }, {}, 403],
    ["a name below localhost", { host: "evil.localhost" }, {}, 403],
    ["an allowed name", { host: "tools.example:443" }, { allowedHosts: ["tools.example"] }, 200],
    ["any name behind a gateway", { host: "whatever" }, { allowedHosts: ["*"] }, 200],
    ["no Origin", {}, {}, 200],
    ["our own Origin", { origin: "http://127.0.0.1:8080" }, {}, 200],
    ["another port", { origin: "http://127.0.0.1:9999" }, {}, 403],
    ["another Origin, Host valid", { origin: "https://evil.example" }, {}, 403],
    ["Origin null", { origin: "null" }, {}, 403],
    ["Origin with a path", { origin: "http://127.0.0.1:8080/x" }, {}, 403],
    ["Origin with credentials", { origin: "http://x@127.0.0.1:8080" }, {}, 403],
    ["Origin valid, Host forged", { host: "evil.example", origin: "http://127.0.0.1:8080" }, {}, 403],
    ["both forged alike", { host: "evil.example", origin: "http://evil.example" }, {}, 403],
    ["an allowed Origin", { origin: "https://app.example" }, { allowedOrigins: ["https://app.example"] }, 200],
    [
      "an allowed Origin does not admit others",
      { origin: "https://app.example.evil" },
      { allowedOrigins: ["https://app.example"] },
      403,
    ],
  ])("%s", async (_, headers, options, status) => {
    const peer = httpPeer(kitchenSink(), options);
    expect((await peer.modern("tools/list", {}, { headers })).status).toBe(status);
    const get = await peer.send("GET", undefined, { headers: { ...headers, "mcp-session-id": "x" } });
    expect(get.status).toBe(status === 200 ? 404 : 403);
  });

  test("a page that may call gets the CORS headers, errors included", async () => {
    const peer = httpPeer(kitchenSink(), {
      allowedOrigins: ["https://app.example"],
      authorize: () => Response.redirect("https://login.example/"),
    });
    const response = await peer.modern("nope", {}, { headers: { origin: "https://app.example" } });
    expect(response.headers.get("access-control-allow-origin")).toBe("https://app.example");
    expect(response.headers.get("access-control-expose-headers")).toContain("Mcp-Session-Id");
    expect(response.headers.get("access-control-expose-headers")).toContain("WWW-Authenticate");
    expect(response.headers.get("vary")).toContain("Origin");
  });

  test("a preflight allows the protocol's headers and those that tools name", async () => {
    const peer = httpPeer(kitchenSink(), { allowedOrigins: ["https://app.example"] });
    const headers = { origin: "https://app.example", "access-control-request-headers": "mcp-param-region, x-evil" };
    const response = await peer.send("OPTIONS", undefined, { headers });
    expect(response.status).toBe(204);
    const allowed = response.headers.get("access-control-allow-headers") ?? "";
    for (const name of [
      "Mcp-Method",
      "Mcp-Name",
      "Mcp-Protocol-Version",
      "Mcp-Session-Id",
      "Authorization",
      "Last-Event-ID",
      "mcp-param-region",
    ]) {
      expect(allowed).toContain(name);
    }
    expect(allowed).not.toContain("evil");
    expect((await httpPeer(kitchenSink()).send("OPTIONS", undefined)).status).toBe(403);
  });
});

describe("what a request must look like", () => {
  test.each<[string, string | undefined, number]>([
    ["JSON", "application/json", 200],
    ["JSON with a charset", "application/json; charset=utf-8", 200],
    ["capitals", "Application/JSON", 200],
    ["nothing", undefined, 415],
    ["a form", "application/x-www-form-urlencoded", 415],
    ["text", "text/plain", 415],
    ["something that starts alike", "application/jsonp", 415],
  ])("content type: %s", async (_, type, status) => {
    const peer = httpPeer(kitchenSink());
    expect((await peer.modern("tools/list", {}, { headers: { "content-type": type } })).status).toBe(status);
  });

  test.each<[string, boolean]>([
    ["declared", true],
    ["not declared", false],
  ])("a body over the limit is 413: length %s", async (_, declared) => {
    const peer = httpPeer(kitchenSink(), { maxBodyBytes: 1000 });
    const body = JSON.stringify({ ...PING, params: { padding: "x".repeat(2000) } });
    const bytes = new TextEncoder().encode(body);
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(bytes);
        controller.close();
      },
    });
    const headers: Record<string, string> = { host: "localhost", "content-type": "application/json" };
    if (declared) headers["content-length"] = String(bytes.length);
    const init = { method: "POST", headers, body: declared ? body : stream, duplex: "half" } as RequestInit;
    expect((await peer.endpoint.fetch(new Request(ENDPOINT, init))).status).toBe(413);
  });

  test("a body that is not UTF-8 is 400", async () => {
    const headers = { host: "localhost", "content-type": "application/json" };
    const response = await createHttpHandler(kitchenSink()).fetch(
      new Request(ENDPOINT, { method: "POST", headers, body: Uint8Array.of(0x22, 0xff, 0x22) }),
    );
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: -32700 } });
  });

  test.each<[string, string, Record<string, string>, string]>([
    ["PUT", "PUT", {}, "POST, GET, DELETE"],
    ["PATCH", "PATCH", {}, "POST, GET, DELETE"],
    ["GET in 2026-07-28", "GET", { "mcp-protocol-version": "2026-07-28" }, "POST"],
    ["DELETE in 2026-07-28", "DELETE", { "mcp-protocol-version": "2026-07-28" }, "POST"],
  ])("%s is 405", async (_, method, headers, allow) => {
    const response = await httpPeer(kitchenSink()).send(method, undefined, { headers });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe(allow);
  });
});
