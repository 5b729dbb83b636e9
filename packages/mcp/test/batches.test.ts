// Batches, where the negotiated revision has them.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";

const call = (id: number | string, name: string, args = {}, more: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "tools/call",
  params: { name, arguments: args, ...more },
});

describe("batches", () => {
  const ping = (id: number): JsonObject => ({ jsonrpc: "2.0", id, method: "ping" });
  const note = { jsonrpc: "2.0", method: "notifications/nope" };
  test("2025-03-26 answers in one array", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-03-26");
    connection.write(`${JSON.stringify([ping(1), note, 7, call(2, "echo", { text: "x" })])}\n`);
    const answers = JSON.parse(await connection.next()) as JsonObject[];
    expect(answers).toHaveLength(3);
    expect(answers.find(({ id }) => id === 2)).toMatchObject({ result: { content: [{ text: "x" }] } });
    expect(answers.find(({ error }) => error !== undefined)).toMatchObject({ error: { code: -32600 } });
    await connection.end();
  });

  test("a batch that asks nothing gets no answer", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-03-26");
    connection.write(`${JSON.stringify([note, { jsonrpc: "2.0", id: 1, result: {} }])}\n${JSON.stringify(ping(9))}\n`);
    expect(await connection.nextJson()).toMatchObject({ id: 9 });
    await connection.end();
  });

  test("the same id twice in one batch is answered once as a call and once as an error", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-03-26");
    connection.write(`${JSON.stringify([call(1, "steps", { values: [1], pauseMs: 5 }), ping(1)])}\n`);
    const answers = JSON.parse(await connection.next()) as JsonObject[];
    expect(answers.map(({ id, error }) => [id, error !== undefined])).toEqual([
      [1, false],
      [1, true],
    ]);
    await connection.end();
  });

  test.each<[string, string | undefined, JsonObject[]]>([
    ["before initialize", undefined, [ping(1)]],
    [
      "initialize inside one",
      undefined,
      [{ ...ping(1), method: "initialize", params: { protocolVersion: "2025-03-26" } }],
    ],
    ["in 2025-06-18", "2025-06-18", [ping(1)]],
    ["in 2025-11-25", "2025-11-25", [ping(1)]],
    ["with a modern request", "2025-03-26", [ping(1), { ...ping(2), params: { _meta: modernMeta() } }]],
    ["with a modern notification", "2025-03-26", [ping(1), { ...note, params: { _meta: modernMeta() } }]],
  ])("refused: %s", async (_, revision, items) => {
    const connection = rawConnection(kitchenSink());
    if (revision) await initialized(connection, revision);
    connection.write(`${JSON.stringify(items)}\n`);
    expect(await connection.nextJson()).toEqual({
      jsonrpc: "2.0",
      error: { code: -32600, message: "batches are not part of this protocol revision" },
    });
    await connection.end();
  });

  test("an initialize inside a 2025-03-26 batch changes nothing", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-03-26");
    connection.write(
      `[{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}]\n[${JSON.stringify(ping(2))}]\n`,
    );
    expect(JSON.parse(await connection.next())).toMatchObject([{ id: 1, error: { code: -32600 } }]);
    expect(JSON.parse(await connection.next())).toMatchObject([{ id: 2, result: {} }]);
    await connection.end();
  });
});
