import { describe, expect, test } from "bun:test";
import { FOLLOWS_TASKS } from "../src/client/client.ts";
import { connectTransport } from "../src/client/connect.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { JsonObject } from "../src/wire/json.ts";
import { TaskStore, TASK_LIMITS } from "../src/server/tasks.ts";
import { transportPair } from "../src/wire/transport.ts";
import { createServer } from "../src/server/server.ts";
import { kitchenSink, newGate, pause, sinkTools, taskTools, until } from "./fixtures/kitchen-sink.ts";
import { initialized, modernMeta, rawConnection } from "./fixtures/raw-connection.ts";
import type { RawConnection } from "./fixtures/raw-connection.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

const RELATED = "io.modelcontextprotocol/related-task";
type TaskFields = {
  taskId: string;
  status: string;
  ttl: number;
  pollInterval: number;
  createdAt: string;
  lastUpdatedAt: string;
};

function ask(connection: RawConnection, id: number | string, method: string, params: JsonObject): Promise<JsonObject> {
  connection.say({ jsonrpc: "2.0", id, method, params });
  return connection.nextJson();
}

async function startTask(
  connection: RawConnection,
  name = "job",
  args = {},
  task: JsonObject = {},
): Promise<TaskFields> {
  const { result } = await ask(connection, `start ${name}`, "tools/call", { name, arguments: args, task });
  return (result as { task: TaskFields }).task;
}

describe("tasks of 2025-11-25", () => {
  test("are declared, and tools say whether they run as one", async () => {
    const connection = rawConnection(kitchenSink());
    const { result } = await initialized(connection, "2025-11-25");
    expect((result as JsonObject)["capabilities"]).toMatchObject({
      tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
    });
    const { tools } = (await ask(connection, 1, "tools/list", {}))["result"] as {
      tools: { name: string; execution?: unknown }[];
    };
    const execution = (name: string): unknown => tools.find((tool) => tool.name === name)?.execution;
    expect([execution("job"), execution("asking_job"), execution("echo")]).toEqual([
      { taskSupport: "optional" },
      { taskSupport: "required" },
      undefined,
    ]);
    await connection.end();
  });

  test("from creation to result", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    const task = await startTask(connection, "job", {}, { ttl: 60_000 });
    expect(task).toMatchObject({ status: "working", ttl: 60_000, pollInterval: 500 });
    expect(task.taskId.length).toBeGreaterThanOrEqual(32);
    expect(Number.isNaN(Date.parse(task.createdAt) + Date.parse(task.lastUpdatedAt))).toBe(false);
    const { taskId } = task;
    expect(await ask(connection, 2, "tasks/get", { taskId })).toMatchObject({ result: { taskId, status: "working" } });
    expect(await ask(connection, 3, "tasks/list", {})).toMatchObject({ result: { tasks: [{ taskId }] } });
    connection.say({ jsonrpc: "2.0", id: 4, method: "tasks/result", params: { taskId } });
    gate.open();
    expect(await connection.nextJson()).toMatchObject({
      id: 4,
      result: { content: [{ text: "the job is done" }], _meta: { [RELATED]: { taskId } } },
    });
    expect(await ask(connection, 5, "tasks/get", { taskId })).toMatchObject({ result: { status: "completed" } });
    expect(await ask(connection, 6, "tasks/result", { taskId })).toMatchObject({
      id: 6,
      result: { content: [{ text: "the job is done" }] },
    });
    expect(await ask(connection, 7, "tasks/cancel", { taskId })).toMatchObject({ error: { code: -32602 } });
    await connection.end();
  });

  test("a tool error is a failed task, a protocol error is thrown by tasks/result", async () => {
    const gate = newGate();
    gate.open();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    const failing = await startTask(connection, "job", { fail: true });
    expect(await ask(connection, 2, "tasks/result", { taskId: failing.taskId })).toMatchObject({
      result: { isError: true },
    });
    expect(await ask(connection, 3, "tasks/get", { taskId: failing.taskId })).toMatchObject({
      result: { status: "failed" },
    });
    const broken = await startTask(connection, "broken_job");
    expect(await ask(connection, 4, "tasks/result", { taskId: broken.taskId })).toMatchObject({
      error: { code: -32050, message: "broken" },
    });
    expect(await ask(connection, 5, "tasks/get", { taskId: broken.taskId })).toMatchObject({
      result: { status: "failed", statusMessage: "broken" },
    });
    await connection.end();
  });

  test("cancelling stops the work, and whoever waits for the result is told", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    const { taskId } = await startTask(connection);
    connection.say({ jsonrpc: "2.0", id: "result", method: "tasks/result", params: { taskId } });
    connection.say({ jsonrpc: "2.0", id: "cancel", method: "tasks/cancel", params: { taskId } });
    const answers = [await connection.nextJson(), await connection.nextJson()];
    expect(answers.find(({ id }) => id === "cancel")).toMatchObject({ result: { taskId, status: "cancelled" } });
    expect(answers.find(({ id }) => id === "result")).toMatchObject({ error: { code: -32602 } });
    await until(() => gate.aborted === 1);
    await connection.end();
  });

  test("the request that created it can no longer cancel it, and the end of the connection does", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    await startTask(connection);
    connection.say({ jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "start job" } });
    await ask(connection, 1, "ping", {});
    await pause(10);
    expect(gate.aborted).toBe(0);
    await connection.end();
    await until(() => gate.aborted === 1);
  });

  test("questions in a task are put to whoever waits for its result", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25", { elicitation: {} });
    const { taskId } = await startTask(connection, "asking_job");
    expect(await ask(connection, 1, "tasks/get", { taskId })).toMatchObject({ result: { status: "input_required" } });
    connection.say({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId } });
    for (const name of ["Anna", "Berta"]) {
      const question = await connection.nextJson();
      expect(question).toMatchObject({
        method: "elicitation/create",
        params: { mode: "form", _meta: { [RELATED]: { taskId } } },
      });
      connection.say({ jsonrpc: "2.0", id: question["id"] ?? 0, result: { action: "accept", content: { name } } });
    }
    const { result } = await connection.nextJson();
    expect(JSON.stringify(result)).toContain("Berta");
    await connection.end();
  });

  test("a client that refuses to answer fails the task instead of leaving it open", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25", { elicitation: {} });
    const { taskId } = await startTask(connection, "asking_job");
    connection.say({ jsonrpc: "2.0", id: 2, method: "tasks/result", params: { taskId } });
    const question = await connection.nextJson();
    connection.say({ jsonrpc: "2.0", id: question["id"] ?? 0, error: { code: -32601, message: "not here" } });
    expect(await connection.nextJson()).toMatchObject({ id: 2, error: { message: "not here" } });
    expect(await ask(connection, 3, "tasks/get", { taskId })).toMatchObject({ result: { status: "failed" } });
    await connection.end();
  });

  test("a task cannot ask what the client did not declare", async () => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    const { taskId } = await startTask(connection, "asking_job");
    expect(await ask(connection, 2, "tasks/result", { taskId })).toMatchObject({ error: { code: -32600 } });
    await connection.end();
  });

  test("progress goes on until the task has ended, with the original token", async () => {
    const gate = newGate();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, "2025-11-25");
    connection.say({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "job", arguments: {}, task: {}, _meta: { progressToken: "t" } },
    });
    // The first report may come before the answer that names the task: the request is still open then.
    const both = [await connection.nextJson(), await connection.nextJson()];
    const created = both.find(({ id }) => id === 1)?.["result"] as { task: TaskFields };
    const related = { [RELATED]: { taskId: created.task.taskId } };
    expect(both.find(({ method }) => method === "notifications/progress")).toMatchObject({
      params: { progressToken: "t", progress: 1, _meta: related },
    });
    await pause(30);
    gate.open();
    expect(await connection.nextJson()).toMatchObject({
      method: "notifications/progress",
      params: { progress: 2, _meta: related },
    });
    await connection.end();
  });

  test.each<[string, JsonObject, number]>([
    ["a task where the tool offers none", { name: "echo", task: {} }, -32601],
    ["no task where the tool needs one", { name: "asking_job" }, -32601],
    ["a task that is no object", { name: "job", task: 5 }, -32602],
    ["a negative ttl", { name: "job", task: { ttl: -1 } }, -32602],
    ["a ttl that is no number", { name: "job", task: { ttl: "long" } }, -32602],
  ])("%s", async (_, params, code) => {
    const connection = rawConnection(kitchenSink());
    await initialized(connection, "2025-11-25");
    expect(await ask(connection, 1, "tools/call", params)).toMatchObject({ error: { code } });
    await connection.end();
  });

  test("a server without tasks takes no notice of the wish for one", async () => {
    const connection = rawConnection(kitchenSink({ tools: sinkTools(newGate()) }));
    await initialized(connection, "2025-11-25");
    expect(await ask(connection, 1, "tools/call", { name: "echo", task: {} })).toMatchObject({
      result: { content: [{ text: "" }] },
    });
    expect(await ask(connection, 2, "tasks/list", {})).toMatchObject({ error: { code: -32601 } });
    await connection.end();
  });

  test.each(["2025-03-26", "2025-06-18"])("%s has never heard of them", async (revision) => {
    const gate = newGate();
    gate.open();
    const connection = rawConnection(kitchenSink({}, gate));
    await initialized(connection, revision);
    expect(await ask(connection, 1, "tools/call", { name: "job", arguments: {}, task: {} })).toMatchObject({
      result: { content: [{ text: "the job is done" }] },
    });
    for (const method of ["tasks/get", "tasks/list", "tasks/result", "tasks/cancel"]) {
      expect(await ask(connection, 2, method, { taskId: "x" })).toMatchObject({ error: { code: -32601 } });
    }
    await connection.end();
  });

  test("nobody sees another's tasks", async () => {
    const server = kitchenSink();
    const [mine, other] = [rawConnection(server), rawConnection(server)];
    await Promise.all([initialized(mine, "2025-11-25"), initialized(other, "2025-11-25")]);
    const { taskId } = await startTask(mine);
    for (const method of ["tasks/get", "tasks/result", "tasks/cancel"]) {
      expect(await ask(other, method, method, { taskId })).toMatchObject({ error: { code: -32602 } });
    }
    expect(await ask(other, 1, "tasks/list", {})).toMatchObject({ result: { tasks: [] } });
    await Promise.all([mine.end(), other.end()]);
  });
});

describe("the tasks extension of 2026-07-28", () => {
  const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const tell = async (
    peer: ReturnType<typeof httpPeer>,
    method: string,
    params: JsonObject,
    declared: JsonObject = capabilities,
  ): Promise<JsonObject> => (await messages(await peer.modern(method, params, { capabilities: declared })))[0] ?? {};

  test("from creation to result, all fields at the top", async () => {
    const gate = newGate();
    const peer = httpPeer(kitchenSink({}, gate));
    const { result } = await tell(peer, "tools/call", { name: "job", arguments: {}, task: { ttl: 1 } });
    expect(result).toMatchObject({ resultType: "task", status: "working", ttlMs: 300_000, pollIntervalMs: 500 });
    const { taskId } = result as { taskId: string };
    for (const absent of ["task", "ttl", "pollInterval", "requestState"]) expect(result).not.toHaveProperty(absent);
    expect(await tell(peer, "tasks/get", { taskId })).toMatchObject({
      result: { resultType: "complete", taskId, status: "working" },
    });
    gate.open();
    await pause(10);
    expect(await tell(peer, "tasks/get", { taskId })).toMatchObject({
      result: { status: "completed", result: { resultType: "complete", content: [{ text: "the job is done" }] } },
    });
    expect(await tell(peer, "tasks/cancel", { taskId })).toMatchObject({ result: { resultType: "complete" } });
  });

  test("a tool error completes, a protocol error fails", async () => {
    const gate = newGate();
    gate.open();
    const peer = httpPeer(kitchenSink({}, gate));
    const failing = (await tell(peer, "tools/call", { name: "job", arguments: { fail: true } }))["result"] as {
      taskId: string;
    };
    const broken = (await tell(peer, "tools/call", { name: "broken_job" }))["result"] as { taskId: string };
    await pause(10);
    expect(await tell(peer, "tasks/get", { taskId: failing.taskId })).toMatchObject({
      result: { status: "completed", result: { isError: true } },
    });
    expect(await tell(peer, "tasks/get", { taskId: broken.taskId })).toMatchObject({
      result: { status: "failed", error: { code: -32050, message: "broken" } },
    });
  });

  test("asks through polling, with keys that are never used twice", async () => {
    const peer = httpPeer(kitchenSink());
    const { taskId } = (await tell(peer, "tools/call", { name: "asking_job" }))["result"] as { taskId: string };
    const first = (await tell(peer, "tasks/get", { taskId }))["result"] as {
      status: string;
      inputRequests: JsonObject;
    };
    expect(first).toMatchObject({
      status: "input_required",
      inputRequests: { who: { method: "elicitation/create", params: { message: "Who?" } } },
    });
    expect(await tell(peer, "tasks/update", { taskId, inputResponses: { other: {} } })).toMatchObject({ result: {} });
    expect(await tell(peer, "tasks/update", { taskId, inputResponses: { who: 5 } })).toMatchObject({
      error: { code: -32602 },
    });
    await tell(peer, "tasks/update", { taskId, inputResponses: { who: { action: "accept", content: { name: "A" } } } });
    const second = (await tell(peer, "tasks/get", { taskId }))["result"] as { inputRequests: JsonObject };
    const [key = ""] = Object.keys(second.inputRequests);
    expect(key).not.toBe("who");
    await tell(peer, "tasks/update", {
      taskId,
      inputResponses: { who: { action: "decline" }, [key]: { action: "cancel" } },
    });
    const last = (await tell(peer, "tasks/get", { taskId }))["result"];
    expect(JSON.stringify(last)).toContain(`[{\\"who\\":{\\"action\\":\\"accept\\"`);
    expect(last).toMatchObject({ status: "completed" });
  });

  test.each<[string, string, JsonObject, JsonObject, number]>([
    ["tasks/get without the extension", "tasks/get", { taskId: "x" }, {}, -32021],
    ["tasks/update without the extension", "tasks/update", { taskId: "x" }, {}, -32021],
    ["tasks/cancel without the extension", "tasks/cancel", { taskId: "x" }, {}, -32021],
    ["an unknown task", "tasks/get", { taskId: "x" }, capabilities, -32602],
    ["a tool that needs it", "tools/call", { name: "asking_job" }, {}, -32021],
  ])("%s", async (_, method, params, declared, code) => {
    expect(await tell(httpPeer(kitchenSink()), method, params, declared)).toMatchObject({ error: { code } });
  });

  test("clients that do not know it get the result itself", async () => {
    const gate = newGate();
    gate.open();
    expect(await tell(httpPeer(kitchenSink({}, gate)), "tools/call", { name: "job" }, {})).toMatchObject({
      result: { resultType: "complete", content: [{ text: "the job is done" }] },
    });
  });

  test("a principal's tasks are nobody else's", async () => {
    let caller = "anna";
    const peer = httpPeer(kitchenSink(), { authorize: () => ({ id: caller, scopes: [] }) });
    const { taskId } = (await tell(peer, "tools/call", { name: "job" }))["result"] as { taskId: string };
    caller = "berta";
    expect(await tell(peer, "tasks/get", { taskId })).toMatchObject({ error: { code: -32602 } });
    caller = "anna";
    expect(await tell(peer, "tasks/get", { taskId })).toMatchObject({ result: { taskId } });
  });

  test("our client follows a task to its end, answering what it asks", async () => {
    const [mine, theirs] = transportPair();
    void serveConnection(kitchenSink({ tasks: { pollIntervalMs: 20 } }), theirs);
    const asked: unknown[] = [];
    const client = await connectTransport(mine, {
      name: "c",
      version: "0",
      capabilities: FOLLOWS_TASKS,
      elicit: async ({ message }) => {
        asked.push(message);
        return { action: "accept" };
      },
    });
    const { content } = await client.callTool("asking_job");
    expect(JSON.stringify(content)).toContain("nobody"); // the default, filled in
    expect(asked).toEqual(["Who?", "Who else?"]);
    await expect(client.callTool("broken_job")).rejects.toMatchObject({ code: -32050 });
    await client.close();
  });

  test.each<[string, JsonObject]>([
    ["at once", { status: "completed" }],
    ["later", { status: "working", pollIntervalMs: 20 }],
  ])("a task that is completed without a result is an error, %s", async (_, created) => {
    const [mine, theirs] = transportPair();
    const task = { resultType: "task", taskId: "t", ...created };
    const service = {
      handle: ({ method }: { method: string }): JsonObject =>
        method === "tools/call" ? task : { resultType: "complete", taskId: "t", status: "completed", result: 5 },
    };
    void serveConnection(service, theirs);
    const client = await connectTransport(mine, { name: "c", version: "0", era: "modern", timeoutMs: 5000 });
    await expect(client.callTool("x", {}, { maxTotalMs: 5000 })).rejects.toMatchObject({ reason: "invalid" });
    await client.close();
  });

  test.each<[string, object]>([
    ["a signal", {}],
    ["a total", { maxTotalMs: 60 }],
  ])("giving up by %s cancels the task", async (how, options) => {
    const gate = newGate();
    const [mine, theirs] = transportPair();
    void serveConnection(kitchenSink({ tasks: { pollIntervalMs: 20 } }, gate), theirs);
    const client = await connectTransport(mine, { name: "c", version: "0", capabilities: FOLLOWS_TASKS });
    const stop = new AbortController();
    const job = client.callTool("job", {}, { signal: stop.signal, ...options });
    await until(() => gate.arrived === 1);
    if (how === "a signal") stop.abort();
    await expect(job).rejects.toMatchObject({ reason: how === "a signal" ? "cancelled" : "timeout" });
    await until(() => gate.aborted === 1);
    await client.close();
  });
});

test("a session whose task still runs is not idle, one whose task has ended is", async () => {
  const gate = newGate();
  const peer = httpPeer(kitchenSink({}, gate), { sessionIdleMs: 50 });
  const headers = await peer.session("2025-11-25");
  const start = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "job", arguments: {}, task: {} } };
  await peer.post(start, { headers });
  await until(() => gate.arrived === 1);
  await pause(300);
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
    await pause(30);
    expect(tasks.get(short?.id ?? "", "a")).toBeDefined(); // it still runs
    short?.finish(done, false);
    await pause(30);
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
