// tasks/*: the experimental core of 2025-11-25, and the extension of 2026-07-28. One store, two spellings.
import { wireForm } from "./ask.ts";
import type { Answers, Question } from "./ask.ts";
import type { Call } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject } from "../wire/json-value.ts";
import type { Methods } from "./method-table.ts";
import { pageOf, withCursor } from "./pagination.ts";
import { isModern, META, TASKS_EXTENSION } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import { CAPABILITY_MISSING, INVALID_PARAMS, METHOD_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";
import type { Task, TaskStore } from "./tasks.ts";

export function taskMethods(store: TaskStore, pageSize: number): Methods {
  return {
    "tasks/get": {
      era: "both",
      run(call) {
        const task = find(store, call);
        return isModern(call.revision) ? detailed(task, call) : taskFields(task, call.revision);
      },
    },
    "tasks/update": {
      era: "modern",
      run(call) {
        const task = find(store, call);
        const responses = call.params["inputResponses"];
        if (!isObject(responses) || !Object.values(responses).every(isObject)) {
          throw new RpcError(INVALID_PARAMS, "inputResponses must be an object of objects");
        }
        task.answer(responses as Answers);
        return {};
      },
    },
    "tasks/cancel": {
      era: "both",
      run(call) {
        const task = find(store, call);
        if (isModern(call.revision)) {
          task.cancel(); // for a finished one there is nothing to do, and that is fine
          return {};
        }
        if (task.finished) throw new RpcError(INVALID_PARAMS, `the task is already ${task.status}`);
        task.cancel();
        return taskFields(task, call.revision);
      },
    },
    "tasks/result": { era: "legacy", run: (call) => awaitResult(find(store, call), call) },
    "tasks/list": {
      era: "legacy",
      run(call) {
        demandCore(call);
        const page = pageOf("tasks", store.of(call.owner), ({ id }) => id, call.params["cursor"], pageSize);
        return withCursor({ tasks: page.items.map((task) => taskFields(task, call.revision)) }, page);
      },
    },
  };
}

/** A task as each revision spells it. */
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

export function hasTasksExtension(call: Call): boolean {
  const extensions = call.client.capabilities["extensions"];
  return isObject(extensions) && isObject(extensions[TASKS_EXTENSION]);
}

export function missingTasksExtension(): RpcError {
  return new RpcError(CAPABILITY_MISSING, "this needs a client that declares the tasks extension", {
    requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } },
  });
}

function find(store: TaskStore, call: Call): Task {
  if (isModern(call.revision)) {
    if (!hasTasksExtension(call)) throw missingTasksExtension();
  } else {
    demandCore(call);
  }
  const id = call.params["taskId"];
  const task = typeof id === "string" ? store.get(id, call.owner) : undefined;
  if (!task) throw new RpcError(INVALID_PARAMS, "no such task: it may have expired");
  return task;
}

// Tasks came with 2025-11-25; older sessions have never heard of them.
function demandCore(call: Call): void {
  if (call.revision !== "2025-11-25") throw new RpcError(METHOD_NOT_FOUND, `${call.method} needs 2025-11-25`);
}

function detailed(task: Task, call: Call): JsonObject {
  const fields = taskFields(task, call.revision);
  if (task.status === "input_required") return { ...fields, inputRequests: wireQuestions(task.questions) };
  if (!task.outcome) return fields;
  return "error" in task.outcome
    ? { ...fields, error: task.outcome.error.toJson() }
    : { ...fields, result: { resultType: "complete", ...task.outcome.result } };
}

/** Blocks until the task has ended. Its questions are put to the client on this very stream. */
async function awaitResult(task: Task, call: Call): Promise<JsonObject> {
  const related = { [META.relatedTask]: { taskId: task.id } };
  while (!task.finished && !call.signal.aborted) {
    if (task.status === "input_required") await putQuestions(task, call, related);
    else await task.changed(call.signal);
  }
  if (task.outcome && "error" in task.outcome) throw task.outcome.error;
  if (!task.outcome) throw new RpcError(INVALID_PARAMS, `the task was ${task.status}`);
  const { result } = task.outcome;
  return { ...result, _meta: { ...(isObject(result["_meta"]) ? result["_meta"] : {}), ...related } };
}

async function putQuestions(task: Task, call: Call, related: JsonObject): Promise<void> {
  const asked = Object.entries(task.questions).map(async ([key, { method, params }]) => {
    try {
      const answer = await call.request(method, { ...params, _meta: related }, { signal: call.signal });
      task.answer({ [key]: answer });
    } catch (error) {
      // The client's own refusal is an answer; a lost connection is not: the question stays open.
      if (!(error instanceof RpcError)) throw error;
      task.refuse(key, error);
    }
  });
  await Promise.all(asked);
}

function wireQuestions(questions: { [key: string]: Question }): JsonObject {
  return Object.fromEntries(Object.entries(questions).map(([key, question]) => [key, wireForm(question)]));
}
