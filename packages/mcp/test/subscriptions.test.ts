import { describe, expect, test } from "bun:test";
import { connectTransport } from "../src/client/connect.ts";
import { serveConnection } from "../src/server/connection.ts";
import { transportPair } from "../src/wire/transport.ts";
import type { Json, JsonObject } from "../src/wire/json-value.ts";
import { notificationText } from "../src/wire/message.ts";
import { kitchenSink, newGate, until } from "./fixtures/kitchen-sink.ts";
import { modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import { events, httpPeer, messages } from "./fixtures/http-peer.ts";

const SUBSCRIPTION = "io.modelcontextprotocol/subscriptionId";
const TASKS = { extensions: { "io.modelcontextprotocol/tasks": {} } };
const listen = (id: Json, notifications: Json, capabilities: JsonObject = {}): JsonObject => ({
  jsonrpc: "2.0",
  id,
  method: "subscriptions/listen",
  params: { notifications, _meta: modernMeta({}, capabilities) },
});

describe("subscriptions/listen", () => {
  test("acknowledges first, then tells only what was granted, with its id", async () => {
    const server = kitchenSink();
    const connection = rawConnection(server);
    connection.say(listen("sub", { toolsListChanged: true, resourceSubscriptions: ["test://a"], unknown: true }));
    expect(await connection.nextJson()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: {
        notifications: { toolsListChanged: true, resourceSubscriptions: ["test://a"] },
        _meta: { [SUBSCRIPTION]: "sub" },
      },
    });
    server.setPrompts([]);
    server.resourceUpdated("test://b");
    server.resourceUpdated("test://a");
    server.setTools([]);
    expect(await connection.nextJson()).toMatchObject({
      method: "notifications/resources/updated",
      params: { uri: "test://a", _meta: { [SUBSCRIPTION]: "sub" } },
    });
    expect(await connection.nextJson()).toMatchObject({
      method: "notifications/tools/list_changed",
      params: { _meta: { [SUBSCRIPTION]: "sub" } },
    });
    await connection.end();
  });

  test("several at once are told apart, ids keep their type and all their digits", async () => {
    const server = kitchenSink();
    const connection = rawConnection(server);
    connection.say(listen(1, { promptsListChanged: true }));
    connection.say(listen("1", { promptsListChanged: true }));
    connection.write(
      `${JSON.stringify(listen("big", { promptsListChanged: true })).replace('"big"', "12345678901234567890")}\n`,
    );
    for (let i = 0; i < 3; i++) await connection.next();
    server.setPrompts([]);
    const told = [await connection.next(), await connection.next(), await connection.next()].map(
      (line) => /"_meta":(\{.*?\})/.exec(line)?.[1],
    );
    expect(told).toEqual([
      `{"${SUBSCRIPTION}":1}`,
      `{"${SUBSCRIPTION}":"1"}`,
      `{"${SUBSCRIPTION}":12345678901234567890}`,
    ]);
    await connection.end();
  });

  test("ends when the client cancels it", async () => {
    const server = kitchenSink();
    const connection = rawConnection(server);
    connection.say(listen(0, { promptsListChanged: true }));
    await connection.next();
    connection.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 0 } });
    connection.say({ jsonrpc: "2.0", id: 5, method: "tools/list", params: { _meta: modernMeta() } });
    expect(await connection.nextJson()).toMatchObject({ id: 5 });
    server.setPrompts([]);
    connection.say({ jsonrpc: "2.0", id: 6, method: "tools/list", params: { _meta: modernMeta() } });
    expect(await connection.nextJson()).toMatchObject({ id: 6 });
    await connection.end();
  });

  test("ends from the server's side with a result that carries its id", async () => {
    const server = kitchenSink();
    const peer = httpPeer(server);
    const response = await peer.modern(
      "subscriptions/listen",
      { notifications: { toolsListChanged: true } },
      { id: "s" },
    );
    const stream = events(response);
    await stream.next();
    server.close();
    const last = (await stream.next()).value;
    expect(JSON.parse(last ? last.data : "")).toMatchObject({
      id: "s",
      result: { resultType: "complete", _meta: { [SUBSCRIPTION]: "s" } },
    });
    expect((await stream.next()).done).toBe(true);
  });

  test.each<[string, JsonObject]>([
    ["no notifications", {}],
    ["notifications that are no object", { notifications: [] }],
    ["URIs that are no list", { notifications: { resourceSubscriptions: "test://a" } }],
    [
      "too many URIs",
      { notifications: { resourceSubscriptions: Array.from({ length: 1001 }, (_, i) => `test://${i}`) } },
    ],
  ])("%s is -32602", async (_, params) => {
    expect(await messages(await httpPeer(kitchenSink()).modern("subscriptions/listen", params))).toMatchObject([
      { error: { code: -32602 } },
    ]);
  });

  test("tells of tasks, only of one's own and only to clients that know them", async () => {
    const gate = newGate();
    const server = kitchenSink({}, gate);
    const mine = rawConnection(server);
    const other = rawConnection(server);
    mine.say({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "job", arguments: {}, _meta: modernMeta({}, TASKS) },
    });
    const { taskId } = (await mine.nextJson())["result"] as { taskId: string };
    mine.say(listen(2, { taskIds: [taskId] }, TASKS));
    other.say(listen(2, { taskIds: [taskId] }, TASKS));
    expect(await mine.nextJson()).toMatchObject({ params: { notifications: { taskIds: [taskId] } } });
    await other.nextJson();
    const without = rawConnection(server);
    without.say(listen(3, { taskIds: [taskId] }));
    expect(((await without.nextJson())["params"] as JsonObject)["notifications"]).toEqual({});
    gate.open();
    expect(await mine.nextJson()).toMatchObject({
      method: "notifications/tasks",
      params: { taskId, status: "completed", _meta: { [SUBSCRIPTION]: 2 } },
    });
    await Promise.all([mine.end(), other.end(), without.end()]);
    expect(other.texts).toHaveLength(1);
  });
});

describe("a client that listens", () => {
  test("hears until it has had enough", async () => {
    const server = kitchenSink();
    const [mine, theirs] = transportPair();
    void serveConnection(server, theirs);
    const heard: string[] = [];
    const client = await connectTransport(mine, {
      name: "c",
      version: "0",
      onNotification: (method) => void heard.push(method),
    });
    const stop = new AbortController();
    const listening = client.listen({ toolsListChanged: true }, stop.signal);
    await until(() => heard.length === 1);
    server.setTools([]);
    await until(() => heard.length === 2);
    stop.abort();
    await listening;
    await client.close();
  });

  test.each(["the final result", "a cancellation"])("is told the end by %s", async (how) => {
    const server = kitchenSink();
    const [mine, theirs] = transportPair();
    void serveConnection(server, theirs);
    const heard: string[] = [];
    const client = await connectTransport(mine, {
      name: "c",
      version: "0",
      onNotification: (method) => void heard.push(method),
    });
    const listening = client.listen({ toolsListChanged: true }, new AbortController().signal);
    await until(() => heard.length === 1);
    if (how === "the final result") server.close();
    else await theirs.send(notificationText("notifications/cancelled", { requestId: 2 }));
    await listening;
    await client.close();
  });

  test("a callback that throws does not end the connection", async () => {
    const server = kitchenSink();
    const [mine, theirs] = transportPair();
    void serveConnection(server, theirs);
    const client = await connectTransport(mine, {
      name: "c",
      version: "0",
      era: "legacy",
      onNotification() {
        throw new Error("of the test's own making");
      },
    });
    await client.ping();
    server.setTools([]);
    await client.ping();
    await client.close();
  });
});
