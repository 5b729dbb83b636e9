// What a call says while it runs: progress and log messages.
import { describe, expect, test } from "bun:test";
import { transportPair } from "../src/wire/transport.ts";
import { connectTransport } from "../src/client/connect.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import type { Progress } from "../src/client/outgoing-requests.ts";
import { kitchenSink, pause } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

const steps = (values: number[], pauseMs: number, _meta: JsonObject): JsonObject => ({
  jsonrpc: "2.0",
  id: 1,
  method: "tools/call",
  params: { name: "steps", arguments: { values, pauseMs }, _meta },
});
const progressIn = (texts: readonly JsonObject[]): unknown[] =>
  texts
    .filter(({ method }) => method === "notifications/progress")
    .map(({ params }) => (params as JsonObject)["progress"]);

async function exchange(message: JsonObject, revision: string | undefined): Promise<JsonObject[]> {
  const connection = rawConnection(kitchenSink());
  if (revision) await initialized(connection, revision);
  connection.say(message);
  const found: JsonObject[] = [];
  do found.push(await connection.nextJson());
  while (found.at(-1)?.["id"] === undefined);
  await pause(40); // nothing may follow
  await connection.end();
  expect(connection.texts.length - found.length).toBe(revision ? 1 : 0);
  return found;
}

describe("progress", () => {
  test.each<[string, number[], number, unknown[]]>([
    ["increases strictly: what does not is left out", [1, 1, 0, 2, 2, 3], 25, [1, 2, 3]],
    ["may be fractional and start at 0", [0, 0.5, 1], 25, [0, 0.5, 1]],
    ["of a burst the newest is said, the last always", [1, 2, 3, 4, 5], 0, [1, 5]],
  ])("%s", async (_, values, pauseMs, expected) => {
    for (const revision of ["2025-06-18", undefined]) {
      const meta = revision ? { progressToken: "t" } : modernMeta({ progressToken: "t" });
      expect(progressIn(await exchange(steps(values, pauseMs, meta), revision))).toEqual(expected);
    }
  });

  test.each<[string, JsonObject]>([
    ["no token", {}],
    ["a token of another type", { progressToken: { a: 1 } }],
    ["null", { progressToken: null }],
  ])("%s: none", async (_, meta) => {
    expect(progressIn(await exchange(steps([1, 2], 0, meta), "2025-11-25"))).toEqual([]);
  });

  test("token 0 is a token, and comes back as the number it was", async () => {
    const [first] = await exchange(steps([7], 0, { progressToken: 0 }), "2025-03-26");
    expect(first?.["params"]).toEqual({ progressToken: 0, progress: 7, total: 100, message: "at 7" });
  });

  test("over HTTP it comes on the stream of its own request, before the answer", async () => {
    const peer = httpPeer(kitchenSink());
    const response = await peer.modern(
      "tools/call",
      { name: "steps", arguments: { values: [1, 2], pauseMs: 30 } },
      { meta: { progressToken: "t" } },
    );
    const said = await messages(response);
    expect(progressIn(said)).toEqual([1, 2]);
    expect(said.at(-1)).toMatchObject({ id: 1, result: { resultType: "complete" } });
  });

  test("extends a client's patience, up to a total that nothing extends", async () => {
    const [mine, theirs] = transportPair();
    void serveConnection(kitchenSink(), theirs);
    const client = await connectTransport(mine, { name: "c", version: "0" });
    const seen: Progress[] = [];
    const args = { values: Array.from({ length: 10 }, (_, i) => i), pauseMs: 130 };
    const onProgress = (progress: Progress): void => void seen.push(progress);
    // Ten silences, each far shorter than what is allowed; together longer.
    await client.callTool("steps", args, { timeoutMs: 1000, onProgress });
    expect(seen.length).toBeGreaterThanOrEqual(4);
    const capped = client.callTool("steps", args, { timeoutMs: 1000, maxTotalMs: 150, onProgress });
    await expect(capped).rejects.toMatchObject({ reason: "timeout" });
    await client.close();
  });
});

describe("log messages", () => {
  const LOG = { name: "log", arguments: {} };
  const levelsIn = (said: readonly JsonObject[]): unknown[] =>
    said
      .filter(({ method }) => method === "notifications/message")
      .map(({ params }) => (params as JsonObject)["level"]);

  test.each<[string, string | undefined, unknown[]]>([
    ["before a level is set", undefined, ["debug", "info", "warning", "error"]],
    ["debug", "debug", ["debug", "info", "warning", "error"]],
    ["warning", "warning", ["warning", "error"]],
    ["emergency", "emergency", []],
  ])("legacy, %s", async (_, level, expected) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    if (level) {
      connection.say({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level } });
      expect(await connection.nextJson()).toMatchObject({ id: 1, result: {} });
    }
    connection.say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: LOG });
    const said: JsonObject[] = [];
    do said.push(await connection.nextJson());
    while (said.at(-1)?.["id"] !== 2);
    expect(levelsIn(said)).toEqual(expected);
    await connection.end();
  });

  test.each<[string, unknown[]]>([
    ["", []],
    ["warning", ["warning", "error"]],
    ["debug", ["debug", "info", "warning", "error"]],
  ])("2026-07-28 with logLevel '%s'", async (level, expected) => {
    const meta = level === "" ? {} : { "io.modelcontextprotocol/logLevel": level };
    expect(levelsIn(await messages(await httpPeer(kitchenSink()).modern("tools/call", LOG, { meta })))).toEqual(
      expected,
    );
  });

  test.each([["loud"], [3], [null], [undefined]])("an unknown level %p is -32602", async (level) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-06-18");
    connection.say({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: level === undefined ? {} : { level } });
    expect(await connection.nextJson()).toMatchObject({ error: { code: -32602 } });
    await connection.end();
  });

  test("one client's level is not another's", async () => {
    const server = kitchenSink();
    const [quiet, loud] = [rawConnection(server), rawConnection(server)];
    await Promise.all([initialized(quiet, "2025-11-25"), initialized(loud, "2025-11-25")]);
    quiet.say({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "emergency" } });
    await quiet.nextJson();
    for (const connection of [quiet, loud])
      connection.say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: LOG });
    expect(await quiet.nextJson()).toMatchObject({ id: 2 });
    expect(await loud.nextJson()).toMatchObject({ method: "notifications/message" });
    await Promise.all([quiet.end(), loud.end()]);
  });

  test("a server that did not declare logging does not log, and has no setLevel", async () => {
    const connection = rawConnection(kitchenSink({ logging: false }));
    const { result } = await initialized(connection, "2025-11-25");
    expect((result as { capabilities: object }).capabilities).not.toHaveProperty("logging");
    connection.say({ jsonrpc: "2.0", id: 1, method: "logging/setLevel", params: { level: "info" } });
    expect(await connection.nextJson()).toMatchObject({ error: { code: -32601 } });
    connection.say({ jsonrpc: "2.0", id: 2, method: "tools/call", params: LOG });
    expect(await connection.nextJson()).toMatchObject({ id: 2 });
    await connection.end();
  });

  test("a flood is thinned out, and says so", async () => {
    const said = await messages(
      await httpPeer(kitchenSink()).modern(
        "tools/call",
        { name: "log", arguments: { times: 1000 } },
        { meta: { "io.modelcontextprotocol/logLevel": "debug" } },
      ),
    );
    expect(said.length).toBeLessThan(300);
    expect(said.length).toBeGreaterThan(100);
  });
});
