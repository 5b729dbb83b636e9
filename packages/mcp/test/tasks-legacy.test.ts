// Tasks as 2025-11-25 has them.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "../src/wire/json-value.ts";
import { kitchenSink, newGate, pause, sinkTools, until } from "./fixtures/kitchen-sink.ts";
import { initialized, rawConnection } from "./fixtures/raw-connection.ts";
import type { RawConnection } from "./fixtures/raw-connection.ts";

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
    await pause(10); // nothing tells of what does not happen
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
    await pause(30); // longer than progress is held back
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
