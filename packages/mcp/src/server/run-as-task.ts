// A tool call that may outlive its request: answered with its result, or with a task that goes on (2025-11-25 core, and the
// extension of 2026-07-28).
import { askerFor, demandCapabilities } from "./ask.ts";
import type { Ask } from "./ask.ts";
import type { Call } from "./call.ts";
import { callTool } from "./call-tool.ts";
import type { Explain } from "./call-tool.ts";
import { withContext } from "./context.ts";
import type { LogLevel } from "./context.ts";
import { toolResultFor } from "./downgrade.ts";
import type { StateCipher } from "./state-cipher.ts";
import { createdTask, hasTasksExtension, missingTasksExtension } from "./task-methods.ts";
import type { Task, TaskStore } from "./tasks.ts";
import type { Tool } from "./tool.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { rpcErrorFor } from "../wire/reply.ts";
import { isModern, META } from "../wire/revisions.ts";
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";

export type ToolRuntime = {
  /** Does this server offer tasks at all? If not, a client's wish for one means nothing. */
  offersTasks: boolean;
  cipher: StateCipher;
  explain: Explain;
  tasks: TaskStore;
  /** The minimum level of the log messages this call sends; undefined for none. */
  levelFor(call: Call): LogLevel | undefined;
};

export async function runAsTask(tool: Tool, args: unknown, call: Call, runtime: ToolRuntime): Promise<JsonObject> {
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
    const options = { cipher: runtime.cipher, level: runtime.levelFor(call), ask };
    const run = async (): Promise<void> => {
      if (wanted === "from the start") await becomeTask();
      const result = await withContext({ ...call, signal: work.signal, notify }, options, (context) =>
        callTool(tool, args, { ...context, becomeTask }, runtime.explain),
      );
      const wire = toolResultFor(result, call.revision);
      // In 2025-11-25 a tool error is a failed task; in 2026-07-28 only a JSON-RPC error is.
      if (task) task.finish({ result: wire }, !isModern(call.revision) && result.isError === true);
      else resolve(wire);
    };
    run().catch((error: unknown) => {
      if (!task) return reject(error);
      if (!task.finished) task.finish({ error: rpcErrorFor(error) }, true); // a cancelled one may fail as it likes
    });
  });
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
