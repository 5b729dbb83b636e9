// Streams that outlive their connection, and what is kept of them.
import { describe, expect, test } from "bun:test";
import { EventStream, ReplayBudget, parseEventId, STREAM_LIMITS } from "../src/http/event-stream.ts";
import { createServer } from "../src/server/server.ts";
import { text } from "../src/wire/content.ts";
import { object } from "../src/server/schema.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import type { ServerEvent } from "@bosun/platform/sse";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import type { Gate } from "./fixtures/kitchen-sink.ts";
import { events, httpPeer } from "./fixtures/http-peer.ts";

function polling(gate: Gate): ReturnType<typeof createServer> {
  return createServer({
    name: "polling",
    version: "0",
    logging: true,
    tools: [
      {
        name: "poll",
        description: "Lets go of the connection and finishes later.",
        input: object({}),
        async run(_, context) {
          context.log("info", "one");
          context.releaseConnection(120);
          context.log("info", "two");
          await gate.opened;
          return text("late");
        },
      },
    ],
  });
}

const POLL = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "poll" } };

async function all(response: Response): Promise<ServerEvent[]> {
  const found: ServerEvent[] = [];
  for await (const event of events(response)) found.push(event);
  return found;
}

describe("a client that is told to come back", () => {
  test("2025-11-25: primed, told when, and served the rest by Last-Event-ID", async () => {
    const gate = newGate();
    const peer = httpPeer(polling(gate));
    const headers = await peer.session("2025-11-25");
    const first = await all(await peer.post(POLL, { headers }));
    expect(first[0]).toMatchObject({ data: "", retryMs: undefined });
    expect(first[1]?.data).toContain("one");
    expect(first.at(-1)).toMatchObject({ data: "", retryMs: 120 });
    const lastId = first.at(-1)?.id ?? "";
    const again = await peer.send("GET", undefined, { headers: { ...headers, "last-event-id": lastId } });
    gate.open();
    const rest = await all(again);
    const said = rest.map(({ data }) => data).filter((data) => data !== "");
    expect(said).toHaveLength(2);
    expect(said[0]).toContain("two");
    expect(said[1]).toContain("late");
    // The same position again: the same rest, and never an event of another stream.
    const replay = await all(await peer.send("GET", undefined, { headers: { ...headers, "last-event-id": lastId } }));
    expect(replay.map(({ data }) => data)).toEqual(rest.map(({ data }) => data));
    const mid = await all(
      await peer.send("GET", undefined, {
        headers: { ...headers, "last-event-id": rest.find(({ data }) => data.includes("two"))?.id ?? "" },
      }),
    );
    expect(mid.filter(({ data }) => data !== "")).toHaveLength(1);
    peer.endpoint.close();
  });

  test.each(["2025-03-26", "2025-06-18"])("%s: no event without data, and the connection is kept", async (revision) => {
    const gate = newGate();
    const peer = httpPeer(polling(gate));
    const headers = await peer.session(revision);
    const response = await peer.post(POLL, { headers });
    gate.open();
    const said = await all(response);
    expect(said.every(({ data }) => data !== "")).toBe(true);
    expect(said.map(({ id }) => id !== undefined)).toEqual([true, true, true]);
    expect(said.at(-1)?.data).toContain("late");
    peer.endpoint.close();
  });

  test("a connection that breaks is taken up again where it broke", async () => {
    const peer = httpPeer(kitchenSink());
    const headers = await peer.session("2025-06-18");
    const call = {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "steps", arguments: { values: [1, 2, 3, 4], pauseMs: 30 }, _meta: { progressToken: "t" } },
    };
    const stream = events(await peer.post(call, { headers }));
    const first = (await stream.next()).value as ServerEvent;
    await stream.return(undefined); // the connection is gone
    const rest = await all(
      await peer.send("GET", undefined, { headers: { ...headers, "last-event-id": first.id ?? "" } }),
    );
    const progress = rest.map(({ data }) => (JSON.parse(data) as { params?: JsonObject }).params?.["progress"]);
    expect(progress).toEqual([2, 3, 4, undefined]);
    peer.endpoint.close();
  });

  test.each(["nonsense", "zz_1", "1_", "_1", "1_99999999999999999"])(
    "Last-Event-ID %s is refused, and not as a lost session",
    async (id) => {
      const peer = httpPeer(kitchenSink());
      const headers = await peer.session("2025-11-25");
      expect((await peer.send("GET", undefined, { headers: { ...headers, "last-event-id": id } })).status).toBe(400);
      peer.endpoint.close();
    },
  );
});

describe("the server's own stream", () => {
  test("says what was said before it was opened, once", async () => {
    const server = kitchenSink();
    const peer = httpPeer(server);
    const headers = await peer.session("2025-11-25");
    server.setPrompts([]);
    const stream = events(await peer.send("GET", undefined, { headers }));
    expect((await stream.next()).value).toMatchObject({ data: "" });
    expect(((await stream.next()).value as ServerEvent).data).toContain("notifications/prompts/list_changed");
    await stream.return(undefined);
    await pause(5); // the server hears of a reader that has gone when it likes
    server.setTools([]);
    const again = events(await peer.send("GET", undefined, { headers }));
    expect((await again.next()).value).toMatchObject({ data: "" });
    expect(((await again.next()).value as ServerEvent).data).toContain("notifications/tools/list_changed");
    peer.endpoint.close();
  });

  test("each message goes to one stream: a newer reader takes the place of the older", async () => {
    const server = kitchenSink();
    const peer = httpPeer(server);
    const headers = await peer.session("2025-06-18");
    const older = await peer.send("GET", undefined, { headers });
    const newer = events(await peer.send("GET", undefined, { headers }));
    expect(await all(older)).toEqual([]);
    server.setPrompts([]);
    expect(((await newer.next()).value as ServerEvent).data).toContain("list_changed");
    peer.endpoint.close();
  });

  test("a replaced reader that hangs up late does not cut off its successor", async () => {
    const stream = new EventStream("1", { resumable: true, primed: false }, STREAM_LIMITS);
    const older = stream.attach(0);
    stream.send("unread");
    const newer = stream.attach(1);
    await older.body?.cancel();
    expect(stream.attached).toBe(true);
    stream.send("heard");
    stream.end();
    expect(await newer.text()).toContain("heard");
  });
});

describe("what a stream keeps is bounded", () => {
  const keeping = (limits: Partial<typeof STREAM_LIMITS>, budget?: ReplayBudget): EventStream =>
    new EventStream("1", { resumable: true, primed: false }, { ...STREAM_LIMITS, ...limits }, budget);

  test("in events", async () => {
    const stream = keeping({ maxEvents: 3 });
    for (let i = 1; i <= 10; i++) stream.send(`event ${i}`);
    stream.end();
    expect((await all(stream.attach(0))).map(({ data }) => data)).toEqual(["event 8", "event 9", "event 10"]);
  });

  test("in characters, but the last event stays", async () => {
    const stream = keeping({ maxChars: 10 });
    for (let i = 1; i <= 5; i++) stream.send("x".repeat(100 + i));
    stream.end();
    expect((await all(stream.attach(0))).map(({ data }) => data.length)).toEqual([105]);
  });

  test("together with all other streams, and given back", () => {
    const budget = new ReplayBudget(1000);
    const streams = Array.from({ length: 20 }, () => keeping({}, budget));
    for (const stream of streams) for (let i = 0; i < 20; i++) stream.send("x".repeat(50));
    expect(budget.chars).toBeLessThanOrEqual(1000);
    for (const stream of streams) stream.forget();
    expect(budget.chars).toBe(0);
  });

  test("the streams that have been quiet longest go first", async () => {
    const budget = new ReplayBudget(1000);
    const streams = Array.from({ length: 5 }, () => keeping({}, budget));
    for (const stream of streams) stream.send("x".repeat(400));
    streams[3]?.send("more");
    streams[0]?.send("y".repeat(400));
    expect(budget.chars).toBeLessThanOrEqual(1000);
    const kept = streams.map((stream) => {
      stream.end();
      return stream.attach(0).text();
    });
    expect((await Promise.all(kept)).map((text) => text.match(/[xy]{400}|more/g))).toEqual([
      ["y".repeat(400)],
      null,
      null,
      ["x".repeat(400), "more"],
      null,
    ]);
  });

  test("a reply that is no longer kept is said to be lost, so that nobody comes back for it again and again", () => {
    const budget = new ReplayBudget(1000);
    const [older, newer] = [keeping({}, budget), keeping({}, budget)];
    older.send("on its way");
    older.send("the reply");
    older.end();
    expect([older.lostItsEnd(0), older.lostItsEnd(2)]).toEqual([false, false]);
    newer.send("x".repeat(1000));
    expect([older.lostItsEnd(1), older.lostItsEnd(2), newer.lostItsEnd(0)]).toEqual([true, false, false]);
  });

  test("an event larger than what all may keep is kept alone", () => {
    const budget = new ReplayBudget(1000);
    const [first, second] = [keeping({}, budget), keeping({}, budget)];
    first.send("x".repeat(900));
    second.send("x".repeat(5000));
    expect(budget.chars).toBe(5000);
    first.send("x");
    expect(budget.chars).toBe(1);
  });

  test("a reader that stops reading is let go, and a call of 2026-07-28 is cancelled by it", async () => {
    let hungUp = 0;
    const stream = new EventStream(
      "0",
      { resumable: false, primed: false },
      { ...STREAM_LIMITS, maxUnsentBytes: 100_000 },
    );
    stream.onHangUp = () => hungUp++;
    const response = stream.attach(0);
    for (let i = 0; i < 50; i++) stream.send("x".repeat(10_000));
    expect(hungUp).toBe(1);
    expect(stream.attached).toBe(false);
    await response.text().then(
      () => expect("read to the end").toBe("an error"),
      () => {},
    );
  });
});

test("a quiet stream shows that it is alive", async () => {
  const peer = httpPeer(kitchenSink(), { streams: { keepAliveMs: 10 } });
  const response = await peer.send("GET", undefined, { headers: await peer.session("2025-06-18") });
  const reader = response.body?.getReader();
  expect(new TextDecoder().decode((await reader?.read())?.value)).toBe(": keep-alive\n\n");
  expect(response.headers.get("x-accel-buffering")).toBe("no");
  expect(response.headers.get("cache-control")).toBe("no-cache");
  await reader?.cancel();
  peer.endpoint.close();
});

test("the end of a session ends its calls and its streams", async () => {
  const gate = newGate();
  const peer = httpPeer(kitchenSink({}, gate));
  const headers = await peer.session("2025-11-25");
  const stream = await peer.send("GET", undefined, { headers });
  void peer.post({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "wait" } }, { headers });
  await until(() => gate.arrived === 1);
  await peer.send("DELETE", undefined, { headers });
  await until(() => gate.aborted === 1);
  expect((await all(stream)).map(({ data }) => data)).toEqual([""]);
});

test.each<[string, ReturnType<typeof parseEventId>]>([
  ["a_1", { stream: "a", number: 1 }],
  ["1z_0", { stream: "1z", number: 0 }],
  ["A_1", undefined],
  ["a_-1", undefined],
  ["a_1x", undefined],
  ["", undefined],
])("event id %s", (id, expected) => {
  expect(parseEventId(id)).toEqual(expected);
});
