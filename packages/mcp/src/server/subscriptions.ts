// What changes on a server, and who is notified: legacy sessions, and the streams of subscriptions/listen (2026-07-28).
import type { Call } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { idValue } from "../wire/message.ts";
import type { Methods } from "./method-table.ts";
import { META } from "../wire/revisions.ts";
import { INVALID_PARAMS, RpcError, INVALID_REQUEST } from "../wire/rpc-error.ts";
import { hasTasksExtension } from "./task-methods.ts";
import type { SharedBudget } from "../wire/shared-budget.ts";

type Granted = { tools: boolean; prompts: boolean; resources: boolean; uris: SubscriptionSet; tasks: SubscriptionSet };
type Offered = { tools: boolean; prompts: boolean; resources: boolean; tasks: boolean };

export function subscriptionMethods(
  changes: ChangeListeners,
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
          uris: new SubscriptionSet(watched),
          tasks: new SubscriptionSet(watched),
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

async function listen(
  call: Call,
  changes: ChangeListeners,
  granted: Granted,
  closing: AbortSignal,
): Promise<JsonObject> {
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

function watch(watched: SubscriptionSet, value: Json | undefined): void {
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

export type Change =
  | { kind: "tools" | "prompts" | "resources" }
  | { kind: "resource"; uri: string }
  | { kind: "task"; owner: string; taskId: string; status: JsonObject };

export class ChangeListeners {
  private readonly listeners = new Set<(change: Change) => void>();

  listen(listener: (change: Change) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  emit(change: Change): void {
    for (const listener of this.listeners) listener(change);
  }
}

/** More than anybody watches, and a bound on what one client makes us keep. */
const MAX_SUBSCRIPTIONS = 1000;
const MAX_URI_CHARS = 8192;
/** What all clients of a server may make us keep. */
export const MAX_SUBSCRIPTION_CHARS = 16 * 1024 * 1024;
/** A URI costs its entry too. */
const ENTRY_CHARS = 64;

export class SubscriptionSet {
  private readonly uris = new Set<string>();
  private readonly budget: SharedBudget;

  constructor(budget: SharedBudget) {
    this.budget = budget;
  }

  get size(): number {
    return this.uris.size;
  }

  has(uri: string): boolean {
    return this.uris.has(uri);
  }

  add(uri: string): void {
    if (this.uris.has(uri)) return;
    if (uri.length > MAX_URI_CHARS) {
      throw new RpcError(INVALID_PARAMS, `a URI of more than ${MAX_URI_CHARS} characters`);
    }
    if (this.uris.size >= MAX_SUBSCRIPTIONS) {
      throw new RpcError(INVALID_PARAMS, `more than ${MAX_SUBSCRIPTIONS} subscriptions: unsubscribe some first`);
    }
    if (!this.budget.take(costOf(uri))) {
      throw new RpcError(INVALID_REQUEST, "all clients together have too many subscriptions: try again later");
    }
    this.uris.add(uri);
  }

  delete(uri: string): void {
    if (this.uris.delete(uri)) this.budget.giveBack(costOf(uri));
  }

  clear(): void {
    for (const uri of this.uris) this.budget.giveBack(costOf(uri));
    this.uris.clear();
  }

  list(): string[] {
    return [...this.uris];
  }
}

function costOf(uri: string): number {
  return uri.length + ENTRY_CHARS;
}
