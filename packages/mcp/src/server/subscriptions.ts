// subscriptions/listen (2026-07-28): a stream of the changes a client asked to hear of.
import type { Call } from "./call.ts";
import type { Change, Changes } from "./changes.ts";
import { isObject } from "../wire/json.ts";
import type { Json, JsonObject } from "../wire/json.ts";
import { idValue } from "../wire/message.ts";
import type { Methods } from "./method-table.ts";
import { META } from "../wire/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";
import { hasTasksExtension } from "./run-as-task.ts";
import type { SharedBudget } from "../wire/shared-budget.ts";
import { MAX_SUBSCRIPTIONS, MAX_URI_CHARS, WatchedUris } from "./watched-uris.ts";

type Granted = { tools: boolean; prompts: boolean; resources: boolean; uris: WatchedUris; tasks: WatchedUris };
export type Offered = { tools: boolean; prompts: boolean; resources: boolean; tasks: boolean };

export function subscriptionMethods(
  changes: Changes,
  offered: () => Offered,
  closing: AbortSignal,
  watched: SharedBudget,
): Methods {
  return {
    "subscriptions/listen": {
      era: "modern",
      async run(call) {
        const wanted = call.params["notifications"];
        if (!isObject(wanted)) throw new RpcError(INVALID_PARAMS, "notifications is required");
        const granted = {
          ...grant(wanted, offered()),
          uris: new WatchedUris(watched),
          tasks: new WatchedUris(watched),
        };
        try {
          if (offered().resources) watch(granted.uris, wanted["resourceSubscriptions"]);
          if (offered().tasks && hasTasksExtension(call)) watch(granted.tasks, wanted["taskIds"]);
          return await listen(call, changes, granted, closing);
        } finally {
          granted.uris.clear();
          granted.tasks.clear();
        }
      },
    },
  };
}

async function listen(call: Call, changes: Changes, granted: Granted, closing: AbortSignal): Promise<JsonObject> {
  const _meta = { [META.subscriptionId]: idValue(call.id) };
  call.notify("notifications/subscriptions/acknowledged", { notifications: wireForm(granted), _meta });
  const stop = changes.listen((change) => {
    const message = notificationFor(change, granted, call.owner);
    if (message) call.notify(message.method, { ...message.params, _meta });
  });
  try {
    await eitherAborts(call.signal, closing);
  } finally {
    stop();
  }
  // Reached only when the server ends it: a client that hangs up gets no answer.
  return { _meta };
}

function grant(wanted: JsonObject, offered: Offered): Pick<Granted, "tools" | "prompts" | "resources"> {
  return {
    tools: wanted["toolsListChanged"] === true && offered.tools,
    prompts: wanted["promptsListChanged"] === true && offered.prompts,
    resources: wanted["resourcesListChanged"] === true && offered.resources,
  };
}

function wireForm(granted: Granted): JsonObject {
  return {
    ...(granted.tools ? { toolsListChanged: true } : {}),
    ...(granted.prompts ? { promptsListChanged: true } : {}),
    ...(granted.resources ? { resourcesListChanged: true } : {}),
    ...(granted.uris.size > 0 ? { resourceSubscriptions: granted.uris.list() } : {}),
    ...(granted.tasks.size > 0 ? { taskIds: granted.tasks.list() } : {}),
  };
}

function notificationFor(
  change: Change,
  granted: Granted,
  owner: string,
): { method: string; params: JsonObject } | undefined {
  switch (change.kind) {
    case "resource":
      return granted.uris.has(change.uri)
        ? { method: "notifications/resources/updated", params: { uri: change.uri } }
        : undefined;
    case "task":
      return granted.tasks.has(change.taskId) && change.owner === owner
        ? { method: "notifications/tasks", params: change.status }
        : undefined;
    default:
      return granted[change.kind] ? { method: `notifications/${change.kind}/list_changed`, params: {} } : undefined;
  }
}

function watch(watched: WatchedUris, value: Json | undefined): void {
  if (value === undefined) return;
  if (!Array.isArray(value)) throw new RpcError(INVALID_PARAMS, "resourceSubscriptions and taskIds are arrays");
  if (value.length > MAX_SUBSCRIPTIONS)
    throw new RpcError(INVALID_PARAMS, `more than ${MAX_SUBSCRIPTIONS} subscriptions`);
  for (const item of value) if (typeof item === "string" && item.length <= MAX_URI_CHARS) watched.add(item);
}

function eitherAborts(...signals: AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      for (const signal of signals) signal.removeEventListener("abort", done);
      resolve();
    };
    for (const signal of signals) {
      if (signal.aborted) return done();
      signal.addEventListener("abort", done, { once: true });
    }
  });
}
