import { describe, expect, test } from "bun:test";
import { createHttpHandler } from "../src/http/http-handler.ts";
import { LEGACY_REVISIONS } from "../src/wire/revisions.ts";
import { text } from "../src/wire/content.ts";
import { object } from "../src/server/schema.ts";
import type { Service } from "../src/server/call.ts";
import type { JsonObject } from "../src/wire/json.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
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
    ["another loopback address", { host: "127.0.0.2" }, {}, 403],
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

describe("2026-07-28: the first thing that is wrong decides", () => {
  const VERSION = "io.modelcontextprotocol/protocolVersion";
  const CAPABILITIES = "io.modelcontextprotocol/clientCapabilities";
  const base = { method: "tools/call", params: { name: "echo", arguments: {} } as JsonObject };
  type Row = [
    string,
    { method?: string; params?: JsonObject; meta?: JsonObject; headers?: Record<string, string | undefined> },
    number,
    number,
  ];
  test.each<Row>([
    ["1 Host", { headers: { host: "evil", "content-type": undefined } }, 403, -32600],
    ["3 Content-Type before the body", { headers: { "content-type": undefined }, params: { name: 1 } }, 415, -32600],
    ["5 no version in _meta, the header modern", { meta: { [VERSION]: undefined } as JsonObject }, 400, -32602],
    [
      "5 no capabilities, before the header",
      { meta: { [CAPABILITIES]: undefined } as JsonObject, headers: { "mcp-protocol-version": "2025-11-25" } },
      400,
      -32602,
    ],
    ["5 capabilities that are no object", { meta: { [CAPABILITIES]: [] } }, 400, -32602],
    ["6 no version header", { headers: { "mcp-protocol-version": undefined } }, 400, -32020],
    ["6 header and _meta disagree", { headers: { "mcp-protocol-version": "2025-11-25" } }, 400, -32020],
    [
      "6 before 7: they disagree on nonsense",
      { meta: { [VERSION]: "v999" }, headers: { "mcp-protocol-version": "v998" } },
      400,
      -32020,
    ],
    [
      "7 they agree on nonsense",
      { meta: { [VERSION]: "1900-01-01" }, headers: { "mcp-protocol-version": "1900-01-01" } },
      400,
      -32022,
    ],
    [
      "7 before 8: and the method header is wrong",
      { meta: { [VERSION]: "v999" }, headers: { "mcp-protocol-version": "v999", "mcp-method": "x" } },
      400,
      -32022,
    ],
    [
      "7 a legacy version with metadata",
      { meta: { [VERSION]: "2025-11-25" }, headers: { "mcp-protocol-version": "2025-11-25" } },
      400,
      -32022,
    ],
    ["8 no Mcp-Method", { headers: { "mcp-method": undefined } }, 400, -32020],
    ["8 another Mcp-Method", { headers: { "mcp-method": "tools/list" } }, 400, -32020],
    ["8 Mcp-Method is case-sensitive", { headers: { "mcp-method": "Tools/Call" } }, 400, -32020],
    [
      "8 before 10: an unknown method with the wrong header",
      { method: "nope", headers: { "mcp-method": "tools/call" } },
      400,
      -32020,
    ],
    ["9 no Mcp-Name", { headers: { "mcp-name": undefined } }, 400, -32020],
    ["9 another Mcp-Name", { headers: { "mcp-name": "sum" } }, 400, -32020],
    ["9 an Mcp-Name that is not base64", { headers: { "mcp-name": "=?base64?ZWNobw?=" } }, 400, -32020],
    ["9 the right Mcp-Name, encoded", { headers: { "mcp-name": "=?base64?ZWNobw==?=" } }, 200, 0],
    ["10 an unknown method", { method: "nope", headers: { "mcp-name": undefined } }, 404, -32601],
    [
      "10 before 12: with a bad log level",
      { method: "nope", meta: { "io.modelcontextprotocol/logLevel": "loud" } },
      404,
      -32601,
    ],
    [
      "11 a mirrored argument without its header",
      { params: { name: "mirror", arguments: { region: "x" } } },
      400,
      -32020,
    ],
    [
      "11 before 12: and a bad log level",
      { params: { name: "mirror", arguments: { region: "x" } }, meta: { "io.modelcontextprotocol/logLevel": "loud" } },
      400,
      -32020,
    ],
    ["12 a bad log level", { meta: { "io.modelcontextprotocol/logLevel": "loud" } }, 400, -32602],
    [
      "12 before 13: and a missing capability",
      { params: { name: "ask_name" }, meta: { "io.modelcontextprotocol/logLevel": 3 } },
      400,
      -32602,
    ],
    ["13 a capability that the client lacks", { params: { name: "ask_name" } }, 400, -32021],
    ["13 tasks without the extension", { params: { name: "asking_job" } }, 400, -32021],
    ["14 an unknown tool", { params: { name: "nope" } }, 200, -32602],
    ["14 a handler's own error", { params: { name: "refuse" } }, 200, -32602],
    ["all is well", {}, 200, 0],
  ])("%s", async (_, { method = base.method, params = base.params, meta = {}, headers = {} }, status, code) => {
    const peer = httpPeer(kitchenSink());
    const response = await peer.modern(method, params, { meta, headers });
    expect(response.status).toBe(status);
    const body = (await response.json()) as { error?: { code: number }; id?: number };
    expect(body.error?.code ?? 0).toBe(code);
    if (code !== -32600) expect(body.id).toBe(1);
  });

  test("a version header in capitals of another session changes nothing: Mcp-Session-Id is ignored", async () => {
    const response = await httpPeer(kitchenSink()).modern(
      "tools/list",
      {},
      { headers: { "mcp-session-id": "no such", "last-event-id": "9_9" } },
    );
    expect(response.status).toBe(200);
  });

  test("-32021 names what is missing, as an object", async () => {
    const response = await httpPeer(kitchenSink()).modern(
      "tools/call",
      { name: "ask_all" },
      { capabilities: { elicitation: {} } },
    );
    expect(await response.json()).toMatchObject({
      error: { data: { requiredCapabilities: { elicitation: { url: {} } } } },
    });
  });
});

describe("sessions", () => {
  test("live from initialize to DELETE", async () => {
    const peer = httpPeer(kitchenSink());
    const headers = await peer.session("2025-11-25");
    expect(headers["mcp-session-id"]).toMatch(/^[\x21-\x7e]{16,}$/);
    expect((await peer.post(PING, { headers })).status).toBe(200);
    expect((await peer.send("DELETE", undefined, { headers })).status).toBe(204);
    expect((await peer.post(PING, { headers })).status).toBe(404);
    expect((await peer.send("DELETE", undefined, { headers })).status).toBe(404);
    expect(peer.endpoint.sessions()).toBe(0);
  });

  test.each<[string, Record<string, string>, number]>([
    ["no session id", {}, 400],
    ["an unknown one", { "mcp-session-id": "guess" }, 404],
    ["a version we do not speak", { "mcp-protocol-version": "1999-01-01" }, 400],
    ["no version header is fine", {}, 400],
  ])("%s", async (_, headers, status) => {
    const peer = httpPeer(kitchenSink());
    const response = await peer.post(PING, { headers });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32600 } });
  });

  test("without the version header the negotiated revision counts", async () => {
    const peer = httpPeer(kitchenSink());
    const { "mcp-session-id": id = "" } = await peer.session("2025-03-26");
    expect((await peer.post([PING], { headers: { "mcp-session-id": id } })).status).toBe(200);
    peer.endpoint.close();
  });

  test("belong to who opened them", async () => {
    let caller = "anna";
    const peer = httpPeer(kitchenSink(), { authorize: () => ({ id: caller, scopes: [] }) });
    const headers = await peer.session("2025-11-25");
    caller = "berta";
    for (const response of [
      await peer.post(PING, { headers }),
      await peer.send("GET", undefined, { headers }),
      await peer.send("DELETE", undefined, { headers }),
    ])
      expect(response.status).toBe(404);
    caller = "anna";
    expect((await peer.post(PING, { headers })).status).toBe(200);
    peer.endpoint.close();
  });

  test("end when nobody uses them, not while a stream is open or a call runs", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate), { sessionIdleMs: 300 });
    await peer.session("2025-11-25");
    const listening = await peer.session("2025-11-25");
    const stream = await peer.send("GET", undefined, { headers: listening });
    const working = await peer.session("2025-11-25");
    const running = peer.post(call(1, "wait"), { headers: working });
    await until(() => gate.arrived === 1);
    await until(() => peer.endpoint.sessions() === 2, "the end of the idle session");
    await pause(700);
    expect(peer.endpoint.sessions()).toBe(2);
    gate.open();
    await (await running).text();
    await stream.body?.cancel();
    await until(() => peer.endpoint.sessions() === 0, "the end of the others");
    peer.endpoint.close();
  });

  test("are limited in number: the longest idle goes first, busy ones stay", async () => {
    const gate = newGate();
    const server = kitchenSink({}, gate);
    const opened = new Set<string>();
    const service: Service = {
      ...server,
      opened(session) {
        opened.add(session.id);
        server.opened?.(session);
      },
      ended(owner) {
        opened.delete(owner);
        server.ended?.(owner);
      },
    };
    const peer = httpPeer(service, { maxSessions: 2 });
    const busy = await peer.session("2025-11-25");
    const running = peer.post(call(1, "wait"), { headers: busy });
    await until(() => gate.arrived === 1);
    const idle = await peer.session("2025-11-25");
    const next = await peer.session("2025-11-25");
    expect((await peer.post(PING, { headers: idle })).status).toBe(404);
    const alsoBusy = peer.post(call(1, "wait"), { headers: next });
    await until(() => gate.arrived === 2);
    const refused = await peer.post({ ...PING, method: "initialize", params: { protocolVersion: "2025-11-25" } });
    expect(refused.status).toBe(503);
    expect(opened.size).toBe(2);
    gate.open();
    await Promise.all([running, alsoBusy]);
    peer.endpoint.close();
  });

  test("keep their calls when the connection drops: hanging up is not cancelling", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const headers = await peer.session("2025-11-25");
    const stop = new AbortController();
    void peer.post(call(1, "wait"), { headers, signal: stop.signal }).catch(() => {});
    await until(() => gate.arrived === 1);
    stop.abort();
    await pause(30);
    expect(gate.aborted).toBe(0);
    await peer.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } }, { headers });
    expect(gate.aborted).toBe(1);
    peer.endpoint.close();
  });

  test("the same ids in two sessions stay apart, a cancel of id 0 included", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const [left, right] = [await peer.session("2025-06-18"), await peer.session("2025-06-18")];
    const cancelled = peer.post(call(0, "wait"), { headers: left });
    const other = peer.post(call(0, "wait"), { headers: right });
    await until(() => gate.arrived === 2);
    await peer.post({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } }, { headers: left });
    gate.open();
    expect(await (await cancelled).text()).toBe("");
    expect(await messages(await other)).toMatchObject([{ id: 0, result: { content: [{ text: "through" }] } }]);
    peer.endpoint.close();
  });
});

describe("2026-07-28: hanging up is cancelling", () => {
  test("before anything was said", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const stop = new AbortController();
    void peer.modern("tools/call", { name: "wait" }, { signal: stop.signal, id: 0 }).catch(() => {});
    await until(() => gate.arrived === 1);
    stop.abort();
    await until(() => gate.aborted === 1);
  });

  test("in the middle of a stream", async () => {
    let stopped = false;
    const server = kitchenSink({
      tools: [
        {
          name: "endless",
          description: "Speaks, then goes on in silence.",
          input: object({}),
          async run(_, context) {
            context.progress(1);
            await new Promise<void>((resolve) => context.signal.addEventListener("abort", () => resolve()));
            stopped = true;
            context.progress(2);
            return text("nobody hears this");
          },
        },
      ],
    });
    const response = await httpPeer(server).modern("tools/call", { name: "endless" }, { meta: { progressToken: 0 } });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain(`"progressToken":0`);
    await reader?.cancel();
    await until(() => stopped);
  });
});
