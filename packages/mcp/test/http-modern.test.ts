// 2026-07-28 over HTTP: what is refused first, and that hanging up is cancelling.
import { describe, expect, test } from "bun:test";
import { text } from "../src/wire/content.ts";
import { object } from "../src/server/schema.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate, until } from "./fixtures/kitchen-sink.ts";
import { httpPeer } from "./fixtures/http-peer.ts";

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
