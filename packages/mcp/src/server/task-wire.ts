// A task as each revision spells it.
import { isModern } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import type { JsonObject } from "../wire/json.ts";
import type { Task } from "./tasks.ts";

export function taskFields(task: Task, revision: Revision): JsonObject {
  const common: JsonObject = {
    taskId: task.id,
    status: task.status,
    ...(task.statusMessage === undefined ? {} : { statusMessage: task.statusMessage }),
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
  };
  return isModern(revision)
    ? { ...common, ttlMs: task.ttlMs, pollIntervalMs: task.pollIntervalMs }
    : { ...common, ttl: task.ttlMs, pollInterval: task.pollIntervalMs };
}

/** What the request that became a task is answered with. */
export function createdTask(task: Task, revision: Revision): JsonObject {
  const fields = taskFields(task, revision);
  return isModern(revision) ? { resultType: "task", ...fields } : { task: fields };
}
