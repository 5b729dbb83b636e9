// A call that became a task (2026-07-28 extension): polled to its end, its questions answered on the way.
import type { ClientSession } from "./client-session.ts";
import type { CallOptions } from "./outgoing-requests.ts";
import { Deadline } from "../wire/deadline.ts";
import { pause } from "./event-stream-reader.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { ConnectionError, RpcError } from "../wire/rpc-error.ts";

const DEFAULT_POLL_MS = 1000;
const MAX_POLL_MS = 60_000;
const MIN_POLL_MS = 20;
const ENDED = new Set(["completed", "failed", "cancelled"]);

export async function pollTask(
  session: ClientSession,
  created: JsonObject,
  { signal: wanted, maxTotalMs = Number.POSITIVE_INFINITY }: CallOptions,
): Promise<JsonObject> {
  // Tasks are for what takes long: only a limit that the caller sets ends the waiting.
  const deadline = new Deadline(Number.POSITIVE_INFINITY, maxTotalMs, wanted);
  const { signal } = deadline;
  const { taskId } = created;
  if (typeof taskId !== "string") throw new ConnectionError("invalid", "the server created a task without an id");
  const answered = new Set<string>();
  let task = created;
  try {
    for (;;) {
      if (task["status"] === "completed") {
        if (isObject(task["result"])) return task["result"];
        // What creates a task does not carry its result yet; whoever asks for it must get it.
        if (task !== created) throw new ConnectionError("invalid", "the task was completed without a result");
      }
      if (task["status"] === "failed") throw RpcError.from(task["error"]);
      if (task["status"] === "cancelled") throw new ConnectionError("cancelled", "the server cancelled the task");
      if (isObject(task["inputRequests"])) await answer(session, taskId, task["inputRequests"], answered, signal);
      await pause(pollMs(task["pollIntervalMs"]), signal);
      task = await session.request("tasks/get", { taskId }, { signal });
    }
  } catch (error) {
    // The task has not ended, and nobody waits for it any more.
    if (!ENDED.has(String(task["status"]))) {
      void session.request("tasks/cancel", { taskId }).catch(() => {}); // it ends by its ttl otherwise
    }
    if (deadline.expired !== undefined) throw new ConnectionError("timeout", deadline.expired);
    throw error;
  } finally {
    deadline.over();
  }
}

async function answer(
  session: ClientSession,
  taskId: string,
  questions: JsonObject,
  answered: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  for (const [key, question] of Object.entries(questions)) {
    if (answered.has(key) || !isObject(question) || typeof question["method"] !== "string") continue;
    answered.add(key);
    const params = isObject(question["params"]) ? question["params"] : {};
    const given: Json = await session.answer(question["method"], params, signal);
    await session.request("tasks/update", { taskId, inputResponses: { [key]: given } }, { signal });
  }
}

function pollMs(said: Json | undefined): number {
  return typeof said === "number" && said > 0 ? Math.max(MIN_POLL_MS, Math.min(said, MAX_POLL_MS)) : DEFAULT_POLL_MS;
}
