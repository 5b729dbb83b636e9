// Which server runs a task: known from the answer that named it, or found by asking.
import { isObject } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import type { Backend } from "../servers/backend.ts";
import { askInTurn } from "./ask-in-turn.ts";
import { allPages } from "./all-pages.ts";
import { LIST_TIMEOUT_MS, withTimeout } from "./wait-for-most.ts";

const MAX_TASKS = 1000;

export class TaskRoutes {
  private readonly backends: readonly Backend[];
  private readonly byId = new Map<string, Backend>();

  constructor(backends: readonly Backend[]) {
    this.backends = backends;
  }

  /** A result that may name a task of this server's. */
  note(backend: Backend, result: JsonObject): void {
    const task = isObject(result["task"]) ? result["task"] : result;
    const id = task["taskId"];
    if (typeof id !== "string") return;
    this.byId.set(id, backend);
    for (const oldest of this.byId.keys()) {
      if (this.byId.size <= MAX_TASKS) break;
      this.byId.delete(oldest);
    }
  }

  async request(call: Call): Promise<JsonObject | RawJson> {
    if (call.method === "tasks/list") return this.list(call);
    const id = call.params["taskId"];
    const known = typeof id === "string" ? this.byId.get(id) : undefined;
    if (known) return known.request(call);
    return askInTurn(this.backends, call, "no server runs this task");
  }

  private async list(call: Call): Promise<JsonObject> {
    const lists = await Promise.all(
      this.backends.map(async (backend): Promise<Json[]> => {
        if (backend.isBackingOff) return [];
        const listed = await withTimeout(LIST_TIMEOUT_MS, allPages(backend, call, call.method, "tasks"));
        for (const task of listed?.items ?? []) this.note(backend, task);
        return listed?.items ?? [];
      }),
    );
    return { tasks: lists.flat() };
  }
}
