// What each client may hold is bounded; so is what all of them may hold together.
import { expect, test } from "bun:test";
import { SubscriptionSet } from "../src/server/subscriptions.ts";
import { readBody } from "../src/wire/http-body.ts";
import { SharedBudget } from "../src/wire/shared-budget.ts";
import { kitchenSink } from "./fixtures/kitchen-sink.ts";
import { modernMeta, rawConnection } from "./fixtures/raw-connection.ts";

test("bodies on their way share one budget, and give it back", async () => {
  const receiving = new SharedBudget(150_000);
  const slow = bodyInPieces();
  const first = readBody(slow.request, 1_000_000, receiving);
  slow.send(100_000);
  const refused = await readBody(post("x".repeat(100_000)), 1_000_000, receiving);
  expect(refused).toMatchObject({ ok: false, status: 503 });
  expect(await readBody(post("small"), 1_000_000, receiving)).toEqual({ ok: true, text: "small" });
  slow.end();
  expect(await first).toMatchObject({ ok: true });
  expect(await readBody(post("x".repeat(100_000)), 1_000_000, receiving)).toMatchObject({ ok: true });
});

test("a body that breaks off gives back what it held", async () => {
  const receiving = new SharedBudget(150_000);
  const slow = bodyInPieces();
  const first = readBody(slow.request, 1_000_000, receiving);
  slow.send(100_000);
  slow.fail();
  await expect(first).rejects.toThrow();
  expect(receiving.take(150_000)).toBe(true);
});

test("subscriptions of all clients share one budget", () => {
  const budget = new SharedBudget(300);
  const [one, other] = [new SubscriptionSet(budget), new SubscriptionSet(budget)];
  one.add("test://a");
  one.add("test://a");
  one.add("test://b");
  expect(one.size).toBe(2);
  other.add("test://c");
  other.add("test://d");
  expect(() => other.add("test://e")).toThrow("try again later");
  one.delete("test://b");
  one.delete("test://b");
  other.add("test://e");
  expect(() => one.add("test://f")).toThrow("try again later");
  other.clear();
  for (const uri of ["test://f", "test://g", "test://h"]) one.add(uri);
  expect(one.list()).toEqual(["test://a", "test://f", "test://g", "test://h"]);
});

// More than all of them together may hold: it works because each has left before the next comes.
const ROUNDS = 22;
const URIS = Array.from({ length: 120 }, (_, n) => `test://${n}/${"x".repeat(8000)}`);

test("a client of 2026-07-28 that leaves takes its subscriptions with it", async () => {
  const server = kitchenSink();
  for (let round = 0; round < ROUNDS; round++) {
    const connection = rawConnection(server);
    const params = { notifications: { resourceSubscriptions: URIS }, _meta: modernMeta() };
    connection.say({ jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params });
    expect(await connection.nextJson()).toMatchObject({ method: "notifications/subscriptions/acknowledged" });
    await connection.end();
  }
});

test("so does one of an earlier revision", async () => {
  const server = kitchenSink();
  for (let round = 0; round < ROUNDS; round++) {
    const connection = rawConnection(server);
    const hello = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo: { name: "c", version: "0" } };
    connection.say({ jsonrpc: "2.0", id: 0, method: "initialize", params: hello });
    await connection.nextJson();
    connection.say({ jsonrpc: "2.0", method: "notifications/initialized" });
    URIS.forEach((uri, n) => {
      connection.say({ jsonrpc: "2.0", id: n + 1, method: "resources/subscribe", params: { uri } });
    });
    for (const _ of URIS) expect(await connection.nextJson()).toMatchObject({ result: {} });
    await connection.end();
  }
});

function post(body: string): Request {
  return new Request("http://localhost/", { method: "POST", body, headers: { "content-length": String(body.length) } });
}

function bodyInPieces() {
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const stream = new ReadableStream<Uint8Array>({
    start(given) {
      controller = given;
    },
  });
  return {
    request: new Request("http://localhost/", { method: "POST", body: stream, duplex: "half" }),
    send: (bytes: number) => controller?.enqueue(new Uint8Array(bytes).fill(0x61)),
    end: () => controller?.close(),
    fail: () => controller?.error(new Error("the connection broke")),
  };
}
