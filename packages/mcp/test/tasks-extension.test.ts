// The tasks extension of 2026-07-28.
import { describe, expect, test } from "bun:test";
import { TASKS_CAPABILITY } from "../src/client/client.ts";
import { connectTransport } from "../src/client/connect.ts";
import { serveConnection } from "../src/server/connection.ts";
import type { JsonObject } from "../src/wire/json-value.ts";
import { transportPair } from "../src/wire/transport.ts";
import { kitchenSink, newGate, pause, until } from "./fixtures/kitchen-sink.ts";
import { httpPeer, messages } from "./fixtures/http-peer.ts";

describe("the tasks extension of 2026-07-28", () => {
  const capabilities = { elicitation: {}, extensions: { "io.modelcontextprotocol/tasks": {} } };
  const tell = async (
    peer: ReturnType<typeof httpPeer>,
    method: string,
    params: JsonObject,
    declared: JsonObject = capabilities,
  ): Promise<JsonObject> => (await messages(await peer.modern(method, params, { capabilities: declared })))[0] ?? {};
  /** What `tasks/get` says once the task has ended. */
  const ended = async (peer: ReturnType<typeof httpPeer>, taskId: string): Promise<JsonObject> => {
    for (;;) {
      const said = await tell(peer, "tasks/get", { taskId });
      if ((said["result"] as JsonObject)["status"] !== "working") return said;
      await pause(5); // as clients poll
    }
  };

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
    expect(await ended(peer, taskId)).toMatchObject({
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
    expect(await ended(peer, failing.taskId)).toMatchObject({
      result: { status: "completed", result: { isError: true } },
    });
    expect(await ended(peer, broken.taskId)).toMatchObject({
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
      capabilities: TASKS_CAPABILITY,
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
    const client = await connectTransport(mine, { name: "c", version: "0", capabilities: TASKS_CAPABILITY });
    const stop = new AbortController();
    const job = client.callTool("job", {}, { signal: stop.signal, ...options });
    await until(() => gate.arrived === 1);
    if (how === "a signal") stop.abort();
    await expect(job).rejects.toMatchObject({ reason: how === "a signal" ? "cancelled" : "timeout" });
    await until(() => gate.aborted === 1);
    await client.close();
  });
});
