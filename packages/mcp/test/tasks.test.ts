// What is kept of tasks, and how long.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../src/wire/json-value.ts";
import { TaskStore, TASK_LIMITS } from "../src/server/tasks.ts";
import { createServer } from "../src/server/server.ts";
import { kitchenSink, newGate, pause, taskTools, until } from "./fixtures/kitchen-sink.ts";
import { modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import type { RawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer } from "./fixtures/http-peer.ts";

function ask(connection: RawConnection, id: number | string, method: string, params: JsonObject): Promise<JsonObject> {
  connection.say({ jsonrpc: "2.0", id, method, params });
  return connection.nextJson();
}

test("a session whose task still runs is not idle, one whose task has ended is", async () => {
  const gate = newGate();
  const peer = httpPeer(kitchenSink({}, gate), { sessionIdleMs: 50 });
  const headers = await peer.session("2025-11-25");
  const start = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job", arguments: {}, task: {} } };
  await peer.post(start, { headers });
  await until(() => gate.arrived === 1);
  await pause(300); // nothing tells of what does not happen: longer than the session may be idle
  expect([peer.endpoint.sessions(), gate.aborted]).toEqual([1, 0]);
  gate.open();
  await until(() => peer.endpoint.sessions() === 0);
  peer.endpoint.close();
});

describe("what is kept of tasks is bounded", () => {
  const store = (limits: Partial<typeof TASK_LIMITS>): TaskStore =>
    new TaskStore({ ...TASK_LIMITS, ...limits }, () => {});
  const done = { result: {} };

  test("so many running for one owner", () => {
    const tasks = store({ maxRunningPerOwner: 2 });
    expect([tasks.create("a"), tasks.create("a"), tasks.create("a")].map((task) => task !== undefined)).toEqual([
      true,
      true,
      false,
    ]);
    expect(tasks.create("b")).toBeDefined();
    tasks.of("a")[0]?.finish(done, false);
    expect(tasks.create("a")).toBeDefined();
  });

  test("so many in all: the oldest finished goes first, running ones stay", () => {
    const tasks = store({ maxKept: 3 });
    const [first, second, third] = ["a", "b", "c"].map((owner) => tasks.create(owner));
    expect(tasks.create("d")).toBeUndefined();
    second?.finish(done, false);
    third?.finish(done, false);
    expect(tasks.create("d")).toBeDefined();
    expect([first, second, third].map((task) => tasks.get(task?.id ?? "", task?.owner ?? "") !== undefined)).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("so long after the end, and no longer than the client wished", async () => {
    const tasks = store({});
    const [short, long] = [tasks.create("a", 10), tasks.create("a", 1e15)];
    expect(long?.ttlMs).toBe(TASK_LIMITS.ttlMs);
    await pause(30); // longer than the task's ttl, which no event ends
    expect(tasks.get(short?.id ?? "", "a")).toBeDefined(); // it still runs
    short?.finish(done, false);
    await pause(30); // the same
    expect(tasks.get(short?.id ?? "", "a")).toBeUndefined();
  });

  test("a task that is over cannot ask", async () => {
    const task = store({}).create("a");
    task?.cancel();
    await expect(task?.ask({ x: { method: "roots/list", params: {} } }) ?? Promise.resolve()).rejects.toThrow("over");
  });

  test("tools that run as tasks cannot come later: the capability is declared once", () => {
    const server = createServer({ name: "x", version: "0", tools: [] });
    expect(() => server.setTools(taskTools(newGate()))).toThrow("from the start");
  });
});

test("modern tasks on a connection end with it", async () => {
  const gate = newGate();
  const connection = rawConnection(kitchenSink({}, gate));
  const _meta = modernMeta({}, { extensions: { "io.modelcontextprotocol/tasks": {} } });
  expect(await ask(connection, 1, "tools/call", { name: "job", arguments: {}, _meta })).toMatchObject({
    result: { resultType: "task" },
  });
  await connection.end();
  await until(() => gate.aborted === 1);
});
