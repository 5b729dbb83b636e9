// Many calls on one connection: cancelled, slow, at once, and with a client that stops reading.
import { describe, expect, test } from "bun:test";
import { createServer } from "../src/server/server.ts";
import { text } from "../src/wire/content.ts";
import { object } from "../src/server/schema.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";

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

describe("cancellation", () => {
  test.each<[string, number | string, JsonObject | undefined]>([
    ["legacy", 7, undefined],
    ["legacy, id 0", 0, undefined],
    ["legacy, a string id", "x", undefined],
    ["modern", 7, modernMeta()],
    ["modern, id 0", 0, modernMeta()],
  ])("%s: the work stops and nothing is answered", async (_, id, meta) => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    if (!meta) await initialized(connection, "2025-11-25");
    connection.say(call(id, "wait", {}, meta ? { _meta: meta } : {}));
    await until(() => gate.arrived === 1);
    connection.say(cancel(id));
    await until(() => gate.aborted === 1);
    connection.say({ jsonrpc: "2.0", id: "after", method: "tools/list", params: meta ? { _meta: meta } : {} });
    expect(await connection.nextJson()).toMatchObject({ id: "after" });
    connection.say(call(id, "echo", { text: "again" }, meta ? { _meta: meta } : {}));
    expect(await connection.nextJson()).toMatchObject({ id, result: { content: [{ text: "again" }] } });
    await connection.end();
  });

  test.each([[999], ["7"], [null], [1.5], [{}]])("of %p, which is not running, means nothing", async (requestId) => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    connection.say(call(7, "wait"));
    await until(() => gate.arrived === 1);
    connection.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } as JsonObject });
    connection.say({ jsonrpc: "2.0", id: "after", method: "ping" });
    expect(await connection.nextJson()).toMatchObject({ id: "after" });
    gate.open();
    expect(await connection.nextJson()).toMatchObject({ id: 7, result: { content: [{ text: "through" }] } });
    await connection.end();
  });
});

test("an id that is still running is refused, and the running call is not disturbed", async () => {
  const gate = newGate();
  const connection = rawConnection(kitchenSink({}, gate));
  await initialized(connection, "2025-11-25");
  connection.say(call(1, "wait"));
  await until(() => gate.arrived === 1);
  connection.say(call(1, "echo"));
  expect(await connection.nextJson()).toMatchObject({ id: 1, error: { code: -32600 } });
  gate.open();
  expect(await connection.nextJson()).toMatchObject({ id: 1, result: {} });
  await connection.end();
});

test("a slow call does not hold up the ones behind it", async () => {
  const gate = newGate();
  const connection = rawConnection(kitchenSink({}, gate));
  await initialized(connection, "2025-11-25");
  connection.say(call(1, "wait"));
  connection.say({ jsonrpc: "2.0", id: 2, method: "ping" });
  expect(await connection.nextJson()).toMatchObject({ id: 2 });
  gate.open();
  expect(await connection.nextJson()).toMatchObject({ id: 1 });
  await connection.end();
});

test("a thousand calls at once are all answered, each with its own", async () => {
  const gate = newGate();
  const connection = rawConnection(kitchenSink({}, gate));
  await initialized(connection, "2025-11-25");
  for (let id = 0; id < 1000; id++) connection.say(id % 2 ? call(id, "wait") : call(id, "echo", { text: String(id) }));
  await until(() => gate.arrived === 500);
  gate.open();
  await until(() => connection.texts.length === 1001);
  const answers = connection.texts
    .slice(1)
    .map((line) => JSON.parse(line) as { id: number; result: { content: { text: string }[] } });
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1000);
  expect(answers.every(({ id, result }) => result.content[0]?.text === (id % 2 ? "through" : String(id)))).toBe(true);
  await connection.end();
});

test("two clients with the same ids never get each other's answers, nor cancel each other", async () => {
  const gate = newGate();
  const server = kitchenSink({}, gate);
  const [left, right] = [rawConnection(server), rawConnection(server)];
  await Promise.all([initialized(left, "2025-03-26"), initialized(right, "2025-11-25")]);
  for (let id = 0; id < 100; id++) {
    left.say(call(id, "echo", { text: `left ${id}` }));
    right.say(call(id, "echo", { text: `right ${id}` }));
  }
  await until(() => left.texts.length === 101 && right.texts.length === 101);
  expect(left.texts.slice(1).every((line) => line.includes("left"))).toBe(true);
  expect(right.texts.slice(1).every((line) => line.includes("right"))).toBe(true);
  left.say(call(500, "wait"));
  right.say(call(500, "wait"));
  await until(() => gate.arrived === 2);
  left.say(cancel(500));
  await until(() => gate.aborted === 1);
  gate.open();
  await until(() => right.texts.length === 102);
  expect(left.texts).toHaveLength(101);
  await Promise.all([left.end(), right.end()]);
});

test("a client that stops reading is no longer read from, and what need not be said is left out", async () => {
  let served = 0;
  const megabyte = "x".repeat(1 << 20);
  const server = createServer({
    name: "flood",
    version: "0",
    logging: true,
    tools: [
      {
        name: "flood",
        description: "",
        input: object({}),
        run(_, context) {
          served++;
          for (let i = 0; i < 50; i++) context.log("info", megabyte);
          return text(megabyte);
        },
      },
    ],
  });
  const connection = rawConnection(server);
  await initialized(connection, "2025-11-25");
  connection.stopReading();
  for (let id = 0; id < 200; id++) connection.say(call(id, "flood"));
  await pause(300); // nothing tells of what does not happen: more calls are not begun
  expect(served).toBeLessThan(20);
  const chars = connection.texts.reduce((sum, line) => sum + line.length, 0);
  expect(chars).toBeLessThan(80 << 20);
});
