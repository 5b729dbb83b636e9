// subscriptions/listen (2026-07-28): a stream of the changes a client asked to hear of.
import type { Call } from "./call.ts";
import type { Change, Changes } from "./changes.ts";
import { isObject } from "../wire/json.ts";
import type { Json, JsonObject } from "../wire/json.ts";
import { idValue } from "../wire/message.ts";
import type { Methods } from "./method.ts";
import { META } from "../wire/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";
import { hasTasksExtension } from "./run-tool.ts";

/** More than anybody watches, and a bound on what one client makes us keep. */
export const MAX_SUBSCRIPTIONS = 1000;
export const MAX_URI_CHARS = 8192;

type Granted = { tools: boolean; prompts: boolean; resources: boolean; uris: Set<string>; tasks: Set<string> };
export type Offered = { tools: boolean; prompts: boolean; resources: boolean; tasks: boolean };

export function subscriptionMethods(changes: Changes, offered: () => Offered, closing: AbortSignal): Methods {
  return { "subscriptions/listen": { era: "modern", run: (call) => listen(call, changes, offered(), closing) } };
}

async function listen(call: Call, changes: Changes, offered: Offered, closing: AbortSignal): Promise<JsonObject> {
  const wanted = call.params["notifications"];
  if (!isObject(wanted)) throw new RpcError(INVALID_PARAMS, "notifications is required");
  const granted = grant(wanted, offered, call);
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

function grant(wanted: JsonObject, offered: Offered, call: Call): Granted {
  return {
    tools: wanted["toolsListChanged"] === true && offered.tools,
    prompts: wanted["promptsListChanged"] === true && offered.prompts,
    resources: wanted["resourcesListChanged"] === true && offered.resources,
    uris: new Set(offered.resources ? strings(wanted["resourceSubscriptions"]) : []),
    tasks: new Set(offered.tasks && hasTasksExtension(call) ? strings(wanted["taskIds"]) : []),
  };
}

function wireForm(granted: Granted): JsonObject {
  return {
    ...(granted.tools ? { toolsListChanged: true } : {}),
    ...(granted.prompts ? { promptsListChanged: true } : {}),
    ...(granted.resources ? { resourcesListChanged: true } : {}),
    ...(granted.uris.size > 0 ? { resourceSubscriptions: [...granted.uris] } : {}),
    ...(granted.tasks.size > 0 ? { taskIds: [...granted.tasks] } : {}),
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

function strings(value: Json | undefined): string[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) throw new RpcError(INVALID_PARAMS, "resourceSubscriptions and taskIds are arrays");
  if (value.length > MAX_SUBSCRIPTIONS)
    throw new RpcError(INVALID_PARAMS, `more than ${MAX_SUBSCRIPTIONS} subscriptions`);
  return value.filter((item) => typeof item === "string" && item.length <= MAX_URI_CHARS) as string[];
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
