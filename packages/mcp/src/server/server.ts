// A server: what it offers, as answers to calls of every revision. It knows no transport: connection.ts and
// http-handler.ts bring it its calls.
import type { Call, Service, Session } from "./call.ts";
import type { Explain } from "./call-tool.ts";
import { ChangeListeners, subscriptionMethods, MAX_SUBSCRIPTION_CHARS, SubscriptionSet } from "./subscriptions.ts";
import type { Change } from "./subscriptions.ts";
import type { Icon } from "../wire/content.ts";
import { isLogLevel, logLevelOf, withContext } from "./context.ts";
import type { LogLevel } from "./context.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { callMethod } from "./method-table.ts";
import type { Methods } from "./method-table.ts";
import { completionMethods, promptMethods } from "./prompt-methods.ts";
import { resourceMethods } from "./resource-methods.ts";
import type { InContext } from "./resource-methods.ts";
import type { Prompt, Resource, ResourceTemplate } from "./resource.ts";
import { atLeast, isModern, MODERN_REVISIONS, negotiate, TASKS_EXTENSION } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";
import { StateCipher } from "./state-cipher.ts";
import { SharedBudget } from "../wire/shared-budget.ts";
import { taskFields, taskMethods } from "./task-methods.ts";
import { TASK_LIMITS, TaskStore } from "./tasks.ts";
import type { TaskLimits } from "./tasks.ts";
import { ToolList, toolMethods } from "./tool-methods.ts";
import type { Tool } from "./tool.ts";

const DEFAULT_PAGE_SIZE = 1000;

export type ServerOptions = {
  name: string;
  version: string;
  title?: string;
  description?: string;
  websiteUrl?: string;
  icons?: Icon[];
  instructions?: string;
  tools?: readonly Tool[];
  resources?: readonly Resource[];
  resourceTemplates?: readonly ResourceTemplate[];
  prompts?: readonly Prompt[];
  /** Declares the logging capability, so that `context.log` reaches clients. */
  logging?: boolean;
  /** Tool results for the program's own errors. */
  explain?: Explain;
  pageSize?: number;
  /** How long clients of 2026-07-28 may keep lists; 0 means not at all. */
  cache?: { ttlMs: number; scope: "public" | "private" };
  tasks?: Partial<TaskLimits>;
  /** 32 bytes shared by all instances that serve the same clients. */
  stateKey?: Uint8Array<ArrayBuffer>;
};

export type Server = Service & {
  /** Replaces the tools and notifies every client that listens. */
  setTools(tools: readonly Tool[]): void;
  setResources(resources: readonly Resource[], templates?: readonly ResourceTemplate[]): void;
  setPrompts(prompts: readonly Prompt[]): void;
  resourceUpdated(uri: string): void;
  /** Ends listen streams; carriers close their connections themselves. */
  close(): void;
};

export function createServer(options: ServerOptions): Server {
  const changes = new ChangeListeners();
  const cipher = new StateCipher(options.stateKey);
  const closing = new AbortController();
  const pageSize = options.pageSize ?? DEFAULT_PAGE_SIZE;
  if (!(Number.isInteger(pageSize) && pageSize > 0)) throw new Error("pageSize must be a positive integer");
  const resultMeta = { cache: options.cache, serverInfo: implementation(options, "2026-07-28") };
  const sessions = new WeakMap<Session, SessionState>();
  let tools = new ToolList(options.tools ?? []);
  let resources = { resources: options.resources ?? [], templates: options.resourceTemplates ?? [] };
  let prompts = options.prompts ?? [];
  const offers = {
    tools: options.tools !== undefined,
    resources: options.resources !== undefined || options.resourceTemplates !== undefined,
    prompts: options.prompts !== undefined,
    tasks: tools.tools.some((tool) => tool.task !== undefined),
  };
  const tasks = new TaskStore({ ...TASK_LIMITS, ...options.tasks }, (task) =>
    changes.emit({ kind: "task", owner: task.owner, taskId: task.id, status: taskFields(task, "2026-07-28") }),
  );

  const watched = new SharedBudget(MAX_SUBSCRIPTION_CHARS);
  const stateOf = (session: Session): SessionState => {
    let state = sessions.get(session);
    if (!state) sessions.set(session, (state = { logLevel: "debug", uris: new SubscriptionSet(watched) }));
    return state;
  };
  const levelFor = (call: Call): LogLevel | undefined =>
    options.logging ? logLevelOf(call, call.session && stateOf(call.session).logLevel) : undefined;
  const inContext: InContext = (call, run) => withContext(call, { cipher, level: levelFor(call) }, run);

  const methods: Methods = {
    initialize: { era: "legacy", run: (call) => initialized(call) },
    ping: { era: "legacy", run: () => ({}) },
    "server/discover": { era: "modern", cacheable: true, run: () => discovered() },
  };
  if (offers.tools) {
    const runtime = {
      offersTasks: offers.tasks,
      cipher,
      explain: options.explain ?? (() => undefined),
      tasks,
      levelFor,
    };
    Object.assign(
      methods,
      toolMethods(() => tools, runtime, pageSize),
    );
  }
  if (offers.tasks) Object.assign(methods, taskMethods(tasks, pageSize));
  if (offers.resources) {
    const subscriptions = {
      add(call: Call, uri: string) {
        if (call.session) stateOf(call.session).uris.add(uri);
      },
      remove: (call: Call, uri: string) => void (call.session && stateOf(call.session).uris.delete(uri)),
    };
    Object.assign(
      methods,
      resourceMethods(() => resources, inContext, subscriptions, pageSize),
    );
  }
  if (offers.prompts)
    Object.assign(
      methods,
      promptMethods(() => prompts, inContext, pageSize),
    );
  if (offers.prompts || offers.resources) {
    Object.assign(
      methods,
      completionMethods(
        () => prompts,
        () => resources,
        inContext,
      ),
    );
  }
  if (offers.tools || offers.prompts || offers.resources) {
    Object.assign(
      methods,
      subscriptionMethods(changes, () => offers, closing.signal, watched),
    );
  }
  if (options.logging) methods["logging/setLevel"] = { era: "legacy", run: (call) => setLevel(call) };

  function initialized(call: Call): JsonObject {
    const requested = call.params["protocolVersion"];
    if (typeof requested !== "string") throw new RpcError(INVALID_PARAMS, "protocolVersion must be a string");
    const revision = negotiate(requested);
    const result: JsonObject = {
      protocolVersion: revision,
      capabilities: capabilities(revision),
      serverInfo: implementation(options, revision),
    };
    if (options.instructions !== undefined) result["instructions"] = options.instructions;
    return result;
  }

  function discovered(): JsonObject {
    const result: JsonObject = { supportedVersions: [...MODERN_REVISIONS], capabilities: capabilities("2026-07-28") };
    if (options.instructions !== undefined) result["instructions"] = options.instructions;
    return result;
  }

  function capabilities(revision: Revision): JsonObject {
    const declared: JsonObject = {};
    if (offers.tools) declared["tools"] = { listChanged: true };
    if (offers.resources) declared["resources"] = { subscribe: true, listChanged: true };
    if (offers.prompts) declared["prompts"] = { listChanged: true };
    if (offers.prompts || offers.resources) declared["completions"] = {};
    if (options.logging) declared["logging"] = {};
    if (offers.tasks && revision === "2025-11-25") {
      declared["tasks"] = { list: {}, cancel: {}, requests: { tools: { call: {} } } };
    }
    if (offers.tasks && isModern(revision)) declared["extensions"] = { [TASKS_EXTENSION]: {} };
    return declared;
  }

  function setLevel(call: Call): JsonObject {
    const { level } = call.params;
    if (!isLogLevel(level)) throw new RpcError(INVALID_PARAMS, `unknown log level: ${JSON.stringify(level)}`);
    if (call.session) stateOf(call.session).logLevel = level;
    return {};
  }

  return {
    handle: (call) => callMethod(methods, call, resultMeta),
    opened(session) {
      const state = stateOf(session);
      const stop = changes.listen((change) => notifySession(session, state, change));
      session.ended.addEventListener(
        "abort",
        () => {
          stop();
          state.uris.clear();
        },
        { once: true },
      );
    },
    isBusy: (owner) => tasks.hasRunning(owner),
    ended: (owner) => tasks.endOwner(owner),
    setTools(next) {
      if (!offers.tasks && next.some(({ task }) => task !== undefined)) {
        throw new Error("tools that run as tasks must be there from the start: the capability is declared once");
      }
      tools = new ToolList(next);
      changes.emit({ kind: "tools" });
    },
    setResources(next, templates = []) {
      resources = { resources: next, templates };
      changes.emit({ kind: "resources" });
    },
    setPrompts(next) {
      prompts = next;
      changes.emit({ kind: "prompts" });
    },
    resourceUpdated: (uri) => changes.emit({ kind: "resource", uri }),
    close: () => closing.abort(),
  };
}

type SessionState = { logLevel: LogLevel; uris: SubscriptionSet };

function implementation(options: ServerOptions, revision: Revision): JsonObject {
  const info: JsonObject = { name: options.name, version: options.version };
  if (options.title !== undefined && atLeast(revision, "2025-06-18")) info["title"] = options.title;
  if (!atLeast(revision, "2025-11-25")) return info;
  if (options.description !== undefined) info["description"] = options.description;
  if (options.websiteUrl !== undefined) info["websiteUrl"] = options.websiteUrl;
  if (options.icons !== undefined) info["icons"] = options.icons;
  return info;
}

function notifySession(session: Session, state: SessionState, change: Change): void {
  switch (change.kind) {
    case "resource":
      if (state.uris.has(change.uri)) session.notify("notifications/resources/updated", { uri: change.uri });
      return;
    case "task":
      return; // 2025-11-25 clients poll; status notifications are optional there
    default:
      session.notify(`notifications/${change.kind}/list_changed`, {});
  }
}
