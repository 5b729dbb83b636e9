// One tool call from its arguments to what the request is answered with: a result, questions, or a task that goes on.
import type { Ask } from "./ask.ts";
import { askerFor, demandCapabilities } from "./ask.ts";
import type { Call } from "./call.ts";
import { callTool } from "./call-tool.ts";
import type { Explain } from "./call-tool.ts";
import { createContext } from "./context.ts";
import type { LogLevel } from "./context.ts";
import { toolResultFor } from "./downgrade.ts";
import { isObject } from "../wire/json.ts";
import type { JsonObject } from "../wire/json.ts";
import { isModern, META, TASKS_EXTENSION } from "../wire/revisions.ts";
import {
  CAPABILITY_MISSING,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  METHOD_NOT_FOUND,
  RpcError,
} from "../wire/rpc-error.ts";
import type { StateCipher } from "./state-cipher.ts";
import { createdTask } from "./task-wire.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { Tool } from "./tool.ts";

export type ToolRuntime = {
  /** Does this server offer tasks at all? If not, a client's wish for one means nothing. */
  offersTasks: boolean;
  cipher: StateCipher;
  explain: Explain;
  tasks: TaskStore;
  /** The minimum level of the log messages this call sends; undefined for none. */
  levelFor(call: Call): LogLevel | undefined;
};

export function runTool(tool: Tool, call: Call, runtime: ToolRuntime): Promise<JsonObject> | JsonObject {
  const args = call.params["arguments"] ?? {};
  return tool.task === undefined ? runHere(tool, args, call, runtime) : runPerhapsAsTask(tool, args, call, runtime);
}

function runHere(tool: Tool, args: unknown, call: Call, runtime: ToolRuntime): Promise<JsonObject> | JsonObject {
  // A client that asks for a task where none is offered; without our capability the member means nothing.
  if (runtime.offersTasks && call.revision === "2025-11-25" && call.params["task"] !== undefined) {
    throw new RpcError(METHOD_NOT_FOUND, `${tool.name} cannot run as a task`);
  }
  const { context, settle } = createContext(call, runtime.cipher, runtime.levelFor(call));
  let running = false;
  try {
    const result = callTool(tool, args, context, runtime.explain);
    if (!(result instanceof Promise)) return toolResultFor(result, call.revision);
    running = true;
    return result.then((late) => toolResultFor(late, call.revision)).finally(settle);
  } finally {
    if (!running) settle();
  }
}

async function runPerhapsAsTask(tool: Tool, args: unknown, call: Call, runtime: ToolRuntime): Promise<JsonObject> {
  const wanted = taskWanted(tool, call);
  return new Promise((resolve, reject) => {
    let task: Task | undefined;
    // Until it becomes a task the work ends with the call; afterwards only with the task.
    const work = new AbortController();
    const onAbort = (): void => work.abort(call.signal.reason);
    if (call.signal.aborted) onAbort();
    call.signal.addEventListener("abort", onAbort, { once: true });

    const becomeTask = async (): Promise<boolean> => {
      if (wanted === "no" || task) return task !== undefined;
      task = runtime.tasks.create(call.owner, wanted === "from the start" ? wantedTtl(call) : undefined);
      if (!task) throw new RpcError(INVALID_REQUEST, "too many tasks are running: wait for one to finish");
      call.signal.removeEventListener("abort", onAbort);
      task.signal.addEventListener("abort", () => work.abort(), { once: true });
      resolve(createdTask(task, call.revision));
      return true;
    };
    const ask: Ask = async (questions, options) => {
      if (!task) return (await askerFor(call, runtime.cipher))(questions, options);
      demandCapabilities(call, questions);
      return task.ask(questions);
    };
    // 2025-11-25 goes on reporting until the task has ended, on the session's own stream; 2026-07-28 does not.
    const notify: Call["notify"] = (method, params) => {
      if (!task) return call.notify(method, params);
      if (!task.finished)
        call.session?.notify(method, { ...params, _meta: { [META.relatedTask]: { taskId: task.id } } });
    };
    const level = runtime.levelFor(call);
    const { context, settle } = createContext({ ...call, signal: work.signal, notify }, runtime.cipher, level, ask);

    const run = async (): Promise<void> => {
      if (wanted === "from the start") await becomeTask();
      const result = await settled(() => callTool(tool, args, { ...context, becomeTask }, runtime.explain), settle);
      const wire = toolResultFor(result, call.revision);
      // In 2025-11-25 a tool error is a failed task; in 2026-07-28 only a JSON-RPC error is.
      if (task) task.finish({ result: wire }, !isModern(call.revision) && result.isError === true);
      else resolve(wire);
    };
    run().catch((error: unknown) => {
      if (!task) return reject(error);
      const known =
        error instanceof RpcError ? error : new RpcError(INTERNAL_ERROR, `${tool.name} failed unexpectedly`);
      if (known !== error && !work.signal.aborted) console.error(error);
      task.finish({ error: known }, true);
    });
  });
}

async function settled<T>(work: () => Promise<T> | T, settle: () => void): Promise<T> {
  try {
    return await work();
  } finally {
    settle();
  }
}

/** In 2025-11-25 the client decides, in 2026-07-28 the server, for clients that can follow. */
function taskWanted(tool: Tool, call: Call): "no" | "from the start" | "when the tool says so" {
  if (call.revision === "2025-11-25") {
    if (call.params["task"] !== undefined) return "from the start";
    if (tool.task === "required") throw new RpcError(METHOD_NOT_FOUND, `${tool.name} runs as a task only`);
    return "no";
  }
  if (!isModern(call.revision)) return "no";
  if (hasTasksExtension(call)) return tool.task === "by itself" ? "when the tool says so" : "from the start";
  if (tool.task === "required") throw missingTasksExtension();
  return "no";
}

/** 2025-11-25: how long the client would like to be able to fetch the task. */
function wantedTtl(call: Call): number | undefined {
  const wish = call.params["task"];
  if (wish === undefined || isModern(call.revision)) return undefined;
  if (!isObject(wish)) throw new RpcError(INVALID_PARAMS, "task must be an object");
  const { ttl } = wish;
  if (ttl === undefined || ttl === null) return undefined;
  if (typeof ttl !== "number" || !(ttl >= 0))
    throw new RpcError(INVALID_PARAMS, "task.ttl must be a number of milliseconds");
  return ttl;
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
