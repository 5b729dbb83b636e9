// One connection from its first byte: framing, handshake, revisions side by side.
import { describe, expect, test } from "bun:test";
import type { Service } from "../src/server/call.ts";
import { createServer } from "../src/server/server.ts";
import { LEGACY_REVISIONS } from "../src/wire/revisions.ts";
import { failure, text } from "../src/wire/content.ts";
import type { ToolResult } from "../src/wire/content.ts";
import { serveConnection } from "../src/server/connection.ts";
import { defineTool } from "../src/server/tool.ts";
import { RpcError } from "../src/wire/rpc-error.ts";
import { transportPair } from "../src/wire/transport.ts";
import { object } from "../src/server/schema.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";

const ECHO = { name: "echo", arguments: { text: "hi" } };

const call = (id: number | string, name: string, args = {}, more: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...more },
});

const cancel = (requestId: number | string): JsonObject => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

describe("the edge cases of JSON-RPC on stdio", () => {
  // `undefined`: no answer at all; the ping that follows is answered next.
  const rows: [string, string, object | undefined][] = [
    ["not JSON", `{"jsonrpc":`, { error: { code: -32700 } }],
    ["not an object", `17`, { error: { code: -32600 } }],
    ["an empty batch", `[]`, { error: { code: -32600 } }],
    ["another jsonrpc", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, { id: 5, error: { code: -32600 } }],
    ["a fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, { error: { code: -32600 } }],
    ["id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, { error: { code: -32600 } }],
    ["array params", `{"jsonrpc":"2.0","id":5,"method":"ping","params":[]}`, { id: 5, error: { code: -32600 } }],
    ["result and error", `{"jsonrpc":"2.0","id":5,"result":{},"error":{}}`, { id: 5, error: { code: -32600 } }],
    ["an unknown method", `{"jsonrpc":"2.0","id":5,"method":"nope"}`, { id: 5, error: { code: -32601 } }],
    ["a method of Object", `{"jsonrpc":"2.0","id":5,"method":"constructor"}`, { id: 5, error: { code: -32601 } }],
    ["an unknown notification", `{"jsonrpc":"2.0","method":"notifications/nope"}`, undefined],
    ["a reply to nothing", `{"jsonrpc":"2.0","id":99,"result":{}}`, undefined],
    ["an error reply to nothing", `{"jsonrpc":"2.0","id":99,"error":{"code":1,"message":""}}`, undefined],
    ["an error reply with id null", `{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":""}}`, undefined],
    ["a blank line", ` \t `, undefined],
    ["CRLF", `{"jsonrpc":"2.0","id":5,"method":"ping"}\r`, { id: 5, result: {} }],
    ["leading blanks", `   {"jsonrpc":"2.0","id":5,"method":"ping"}`, { id: 5, result: {} }],
    ["an over-long line", `"${"x".repeat(2 << 20)}"`, { error: { code: -32700 } }],
    ["a big id", `{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, { result: {} }],
  ];
  for (const revision of LEGACY_REVISIONS) {
    test.each(rows)(`${revision}: %s`, async (_, line, expected) => {
      const connection = rawConnection(kitchenSink());
      await initialized(connection, revision);
      connection.write(`${line}\n{"jsonrpc":"2.0","id":"after","method":"ping"}\n`);
      const first = await connection.nextJson();
      if (expected) expect(first).toMatchObject(expected);
      if (expected && !("id" in expected)) expect("id" in first && first["id"] !== 12345678901234567000).toBe(false);
      const after = expected ? await connection.nextJson() : first;
      expect(after).toEqual({ jsonrpc: "2.0", id: "after", result: {} });
      await connection.end();
    });
  }

  test("invalid UTF-8 fails only its own line", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    connection.write(Uint8Array.of(0x22, 0xff, 0x22, 0x0a));
    connection.say({ jsonrpc: "2.0", id: 1, method: "ping" });
    expect(await connection.nextJson()).toMatchObject({ error: { code: -32700 } });
    expect(await connection.nextJson()).toMatchObject({ id: 1, result: {} });
    await connection.end();
  });

  test("a big id comes back digit by digit, and cancels by the same digits", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    connection.write(`{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}\n`);
    expect(await connection.next()).toBe(`{"jsonrpc":"2.0","id":12345678901234567890,"result":{}}`);
    connection.write(`{"jsonrpc":"2.0","id":12345678901234567891,"method":"tools/call","params":{"name":"wait"}}\n`);
    await until(() => gate.arrived === 1);
    connection.write(
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345678901234567890}}\n`,
    );
    await pause(20); // nothing tells of what does not happen
    expect(gate.aborted).toBe(0);
    connection.write(
      `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":12345678901234567891}}\n`,
    );
    await until(() => gate.aborted === 1);
    await connection.end();
  });

  test("a big progress token comes back digit by digit", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    connection.write(
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"steps","arguments":{"values":[1]},"_meta":{"progressToken":98765432109876543210}}}\n`,
    );
    expect(await connection.next()).toContain(`"progressToken":98765432109876543210`);
    await connection.end();
  });
});

describe("before initialize", () => {
  test.each<[string, JsonObject, object]>([
    ["ping is answered", { method: "ping" }, { result: {} }],
    ["other requests are refused", { method: "tools/list" }, { error: { code: -32600 } }],
    ["initialize without a version is refused", { method: "initialize", params: {} }, { error: { code: -32602 } }],
    [
      "modern requests need no handshake",
      { method: "tools/list", params: { _meta: modernMeta() } },
      { result: { resultType: "complete" } },
    ],
    [
      "an unknown version gets the newest legacy one",
      { method: "initialize", params: { protocolVersion: "1999-01-01" } },
      { result: { protocolVersion: "2025-11-25" } },
    ],
    [
      "a modern version gets a legacy one",
      { method: "initialize", params: { protocolVersion: "2026-07-28" } },
      { result: { protocolVersion: "2025-11-25" } },
    ],
    [
      "2024-11-05 gets one we speak",
      { method: "initialize", params: { protocolVersion: "2024-11-05" } },
      { result: { protocolVersion: "2025-11-25" } },
    ],
  ])("%s", async (_, message, expected) => {
    const connection = rawConnection(kitchenSink());
    connection.say({ jsonrpc: "2.0", id: 1, ...message });
    expect(await connection.nextJson()).toMatchObject({ id: 1, ...expected });
    await connection.end();
  });

  test("initialize happens once", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-06-18");
    connection.say({ jsonrpc: "2.0", id: 2, method: "initialize", params: { protocolVersion: "2025-06-18" } });
    expect(await connection.nextJson()).toMatchObject({ id: 2, error: { code: -32600 } });
    await connection.end();
  });

  test("initialize cannot be cancelled", async () => {
    const connection = rawConnection(kitchenSink());
    connection.write(
      `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}\n${JSON.stringify(cancel(0))}\n`,
    );
    expect(await connection.nextJson()).toMatchObject({ id: 0, result: { protocolVersion: "2025-11-25" } });
    await connection.end();
  });

  test("what is sent in one breath with initialize is served by its session", async () => {
    const connection = rawConnection(kitchenSink());
    const lines = [
      { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26", capabilities: {} } },
      { jsonrpc: "2.0", method: "notifications/initialized" },
      { jsonrpc: "2.0", id: 2, method: "tools/call", params: ECHO },
    ];
    connection.write(`${lines.map((line) => JSON.stringify(line)).join("\n")}\n`);
    expect(await connection.nextJson()).toMatchObject({ id: 1, result: { protocolVersion: "2025-03-26" } });
    expect(await connection.nextJson()).toMatchObject({ id: 2, result: { content: [{ text: "hi" }] } });
    await connection.end();
  });

  test("an initialize that takes long holds up what follows it, but not pings, and not the end of the connection", async () => {
    const gate = newGate();
    const sink = kitchenSink();
    const slow: Service = {
      ...sink,
      async handle(call) {
        if (call.method === "initialize") await gate.opened;
        return sink.handle(call);
      },
    };
    const connection = rawConnection(slow);
    connection.say({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } });
    connection.say(call(2, "echo", { text: "later" }));
    connection.say({ jsonrpc: "2.0", id: 3, method: "ping" });
    expect(await connection.nextJson()).toMatchObject({ id: 3 });
    gate.open();
    expect(await connection.nextJson()).toMatchObject({ id: 1, result: {} });
    expect(await connection.nextJson()).toMatchObject({ id: 2, result: { content: [{ text: "later" }] } });
    await connection.end();
    const stuck = rawConnection({ handle: () => new Promise(() => {}) });
    stuck.say({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-03-26" } });
    stuck.say({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    await stuck.end();
    expect(stuck.texts).toEqual([]);
  });

  test.each<[string, number]>([
    ["at once", 0],
    ["after a while", 20],
  ])("everything piped in before the end of input is answered, when initialize is %s", async (_, afterMs) => {
    const sink = kitchenSink();
    const greeting: Service = {
      ...sink,
      handle: (one) =>
        one.method === "initialize" && afterMs > 0 ? pause(afterMs).then(() => sink.handle(one)) : sink.handle(one),
    };
    const connection = rawConnection(greeting);
    connection.say({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: "2025-11-25" } });
    connection.say({ jsonrpc: "2.0", method: "notifications/initialized" });
    connection.say(call(2, "steps", { values: [1], pauseMs: 30 }));
    await connection.end();
    expect(connection.texts.map((line) => (JSON.parse(line) as JsonObject)["id"])).toEqual([1, 2]);
  });

  test("the end of input ends what does not end by itself", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    connection.say(call(1, "wait"));
    connection.say({
      jsonrpc: "2.0",
      id: 2,
      method: "subscriptions/listen",
      params: { notifications: {}, _meta: modernMeta() },
    });
    await until(() => gate.arrived === 1);
    await connection.end();
    expect(gate.aborted).toBe(1);
  });
});

describe("one connection, several revisions", () => {
  test("each message is judged by itself", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-06-18");
    connection.say({ jsonrpc: "2.0", id: 1, method: "tools/list", params: { _meta: modernMeta() } });
    connection.say({ jsonrpc: "2.0", id: 2, method: "tools/list" });
    connection.say({ jsonrpc: "2.0", id: 3, method: "ping", params: { _meta: modernMeta() } });
    connection.say({ jsonrpc: "2.0", id: 4, method: "server/discover" });
    connection.say({
      jsonrpc: "2.0",
      id: 5,
      method: "server/discover",
      params: { _meta: modernMeta({ "io.modelcontextprotocol/protocolVersion": "1900-01-01" }) },
    });
    connection.say({
      jsonrpc: "2.0",
      id: 6,
      method: "server/discover",
      params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } },
    });
    const answers: JsonObject[] = [];
    while (answers.length < 6) answers.push(await connection.nextJson());
    const byId = (id: number): JsonObject => answers.find((answer) => answer["id"] === id) ?? {};
    expect(byId(1)).toMatchObject({ result: { resultType: "complete", ttlMs: 0, cacheScope: "private" } });
    expect((byId(2)["result"] as JsonObject)["resultType"]).toBeUndefined();
    expect(byId(3)).toMatchObject({ error: { code: -32601 } });
    expect(byId(4)).toMatchObject({ error: { code: -32601 } });
    expect(byId(5)).toMatchObject({
      error: { code: -32022, data: { supported: ["2026-07-28"], requested: "1900-01-01" } },
    });
    expect(byId(6)).toMatchObject({ error: { code: -32602 } });
    await connection.end();
  });

  test.each([
    "ping",
    "initialize",
    "logging/setLevel",
    "resources/subscribe",
    "resources/unsubscribe",
    "tasks/result",
    "tasks/list",
  ])("%s does not exist in 2026-07-28", async (method) => {
    const connection = rawConnection(kitchenSink());
    connection.say({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: { protocolVersion: "2025-11-25", level: "info", uri: "test://a", _meta: modernMeta() },
    });
    expect(await connection.nextJson()).toMatchObject({ id: 1, error: { code: -32601 } });
    await connection.end();
  });
});

describe("a tool that answers at once and one that answers later are answered alike", () => {
  const circular: JsonObject = {};
  circular["self"] = circular;
  const outcomes: [string, () => ToolResult, object][] = [
    ["with a result", () => text("done"), { result: { content: [{ type: "text", text: "done" }] } }],
    ["with its failure", () => failure("no"), { result: { isError: true } }],
    [
      "when it throws",
      () => {
        throw new RpcError(-32050, "its own");
      },
      { error: { code: -32050, message: "its own" } },
    ],
    ["when its result is no JSON", () => ({ ...text(""), _meta: circular }), { error: { code: -32603 } }],
  ];
  test.each(outcomes)("%s", async (_, outcome, expected) => {
    const tools = [
      defineTool({ name: "now", description: "", input: object({}), run: outcome }),
      defineTool({ name: "later", description: "", input: object({}), run: async () => (await pause(1), outcome()) }),
    ];
    const connection = rawConnection(createServer({ name: "s", version: "1", tools }));
    await initialized(connection, "2025-11-25");
    const said = console.error;
    console.error = () => {}; // what is no JSON is a bug, and its stack is not for this test's reader
    try {
      for (const [id, name] of ["now", "later"].entries()) {
        connection.say(call(id, name));
        expect(await connection.nextJson()).toMatchObject({ id, ...expected });
        // It has ended: its id can be used again.
        connection.say({ jsonrpc: "2.0", id, method: "ping" });
        expect(await connection.nextJson()).toEqual({ jsonrpc: "2.0", id, result: {} });
      }
    } finally {
      console.error = said;
    }
    await connection.end();
  });
});

test("whoever puts something before the messages hears them all, also those that could go past it", async () => {
  const heard: string[] = [];
  const [ours, theirs] = transportPair();
  const incoming = {
    [Symbol.asyncIterator]: () => ours.incoming[Symbol.asyncIterator](),
    each: () => Promise.reject(new Error("past whoever listens")),
  };
  async function* overheard() {
    for await (const message of incoming) {
      heard.push(message.kind);
      yield message;
    }
  }
  const served = serveConnection(kitchenSink(), { ...ours, incoming: overheard() });
  await theirs.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`);
  for await (const answer of theirs.incoming) {
    expect(answer).toMatchObject({ kind: "reply", result: {} });
    break;
  }
  await theirs.close();
  await served;
  expect(heard).toEqual(["request"]);
});

test("`initialized` said twice does not double what the client hears", async () => {
  const server = kitchenSink();
  const connection = rawConnection(server);
  await initialized(connection, "2025-11-25");
  connection.say({ jsonrpc: "2.0", method: "notifications/initialized" });
  connection.say({ jsonrpc: "2.0", id: 1, method: "ping" });
  await connection.nextJson();
  server.setPrompts([]);
  connection.say({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect(await connection.nextJson()).toMatchObject({ method: "notifications/prompts/list_changed" });
  expect(await connection.nextJson()).toMatchObject({ id: 2 });
  await connection.end();
});
