// Several servers as one, everything but tools: each request goes to the server that it is about, lists are put together,
// and a server that is down is missing from them and holds up nobody.
import { INVALID_PARAMS, isObject, META, METHOD_NOT_FOUND, MODERN_REVISIONS, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson, Session } from "@bosun/mcp/server";
import { idValue } from "@bosun/mcp/relay";
import { VERSION } from "@bosun/platform/version";
import type { Log } from "@bosun/platform/log";
import type { Backend } from "../servers/backend.ts";
import { isModernRevision, LEGACY_ONLY, uncachedResult } from "../messages/eras.ts";
import { LIST_TIMEOUT_MS, waitForMost, withTimeout } from "./wait-for-most.ts";
import { mergedCapabilities, mergedInstructions } from "./merged-greeting.ts";
import { allPages } from "./all-pages.ts";
import { onBehalfOf, rewriteCall } from "../messages/rewrite-call.ts";
import { exactObject } from "../messages/message-json.ts";
import { ResourceRoutes } from "./resource-routes.ts";
import { clientNames } from "./client-names.ts";
import type { ServerItem } from "./client-names.ts";
import { TaskRoutes } from "./task-routes.ts";

const LISTS = {
  "prompts/list": "prompts",
  "resources/list": "resources",
  "resources/templates/list": "resourceTemplates",
};
const IDENTITY = { name: "bosun-proxy", version: VERSION };

export class MergedServers {
  private readonly backends: readonly Backend[];
  private readonly namespace: boolean;
  private readonly log: Log;
  private readonly resources: ResourceRoutes;
  readonly tasks: TaskRoutes;
  private prompts = new Map<string, ServerItem>();
  private session: Session | undefined;

  constructor(backends: readonly Backend[], namespace: boolean, log: Log) {
    this.backends = backends;
    this.namespace = namespace;
    this.log = log;
    this.resources = new ResourceRoutes(backends);
    this.tasks = new TaskRoutes(backends);
  }

  opened(session: Session): void {
    this.session = session;
  }

  async request(call: Call): Promise<JsonObject | RawJson> {
    if (isModernRevision(call.revision) && LEGACY_ONLY.has(call.method)) throw unknownMethod(call);
    switch (call.method) {
      case "initialize":
        return this.greet(call);
      case "server/discover":
        return this.discover(call);
      case "ping":
        return {};
      case "prompts/list":
      case "resources/list":
      case "resources/templates/list":
        return this.list(call, call.method);
      case "prompts/get":
        return this.toPrompt(call, ["name"]);
      case "resources/read":
      case "resources/subscribe":
      case "resources/unsubscribe":
        return this.resources.request(call, ["uri"]);
      case "completion/complete":
        return this.complete(call);
      case "logging/setLevel":
        return this.setLevel(call);
      case "subscriptions/listen":
        return this.listen(call);
      default:
        if (call.method.startsWith("tasks/")) return this.tasks.request(call);
        throw unknownMethod(call);
    }
  }

  private async greet(call: Call): Promise<JsonObject> {
    const { answers: greeted, isWhole } = await this.askMost((backend) => {
      const greeting = backend.greet(call);
      void greeting.then(() => this.announce()).catch(() => {});
      return greeting;
    });
    return {
      protocolVersion: call.revision,
      capabilities: mergedCapabilities(
        greeted.map(([, { capabilities }]) => capabilities),
        isWhole,
      ),
      serverInfo: IDENTITY,
      ...mergedInstructions(greeted),
    };
  }

  private async discover(call: Call): Promise<JsonObject> {
    const { answers: found, isWhole } = await this.askMost(async (backend) =>
      exactObject(await backend.request(onBehalfOf(call, call.method, {}))),
    );
    return {
      resultType: "complete",
      supportedVersions: [...MODERN_REVISIONS],
      capabilities: mergedCapabilities(
        found.map(([, { capabilities }]) => capabilities),
        isWhole,
      ),
      ...mergedInstructions(found),
      ttlMs: 0,
      cacheScope: "private",
      _meta: { [META.serverInfo]: IDENTITY },
    };
  }

  /** A server that was late: whoever has a list already should know that there is more now. */
  private announce(): void {
    for (const kind of ["tools", "prompts", "resources"]) {
      this.session?.notify(`notifications/${kind}/list_changed`, {});
    }
  }

  private async list(call: Call, method: keyof typeof LISTS): Promise<JsonObject> {
    const member = LISTS[method];
    const lists = await this.askAll(
      async (backend, signal) => (await allPages(backend, call, method, member, signal)).items,
    );
    return uncachedResult(call, { [member]: this.renamed(method, lists) as Json[] });
  }

  private renamed(method: keyof typeof LISTS, lists: [Backend, JsonObject[]][]): JsonObject[] {
    if (method === "resources/list") return this.resources.listed(lists);
    if (method === "resources/templates/list") return this.resources.templatesListed(lists);
    const named = lists.map(([backend, items]) => ({ backend, names: items.map(({ name }) => String(name)) }));
    this.prompts = clientNames(named, this.namespace);
    return [...this.prompts].flatMap(([shown, { backend, name }]) => {
      const item = lists.find(([one]) => one === backend)?.[1].find((prompt) => prompt["name"] === name);
      return item ? [{ ...item, name: shown }] : [];
    });
  }

  private async toPrompt(call: Call, path: readonly string[]): Promise<JsonObject | RawJson> {
    const wanted = String(
      path.reduce<Json | undefined>((value, key) => (isObject(value) ? value[key] : undefined), call.params),
    );
    if (!this.prompts.has(wanted)) await this.list(call, "prompts/list");
    const named = this.prompts.get(wanted);
    if (!named) throw new RpcError(INVALID_PARAMS, `there is no prompt ${JSON.stringify(wanted)}`);
    return named.backend.request(rewriteCall(call, path, named.name));
  }

  private complete(call: Call): Promise<JsonObject | RawJson> {
    const { ref } = call.params;
    const isPrompt = isObject(ref) && ref["type"] === "ref/prompt";
    return isPrompt ? this.toPrompt(call, ["ref", "name"]) : this.resources.request(call, ["ref", "uri"]);
  }

  private async setLevel(call: Call): Promise<JsonObject> {
    // Those that do not log say so; that is no failure of the others.
    await this.askAll((backend) => backend.request(call));
    return {};
  }

  private async listen(call: Call): Promise<JsonObject> {
    const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
    const { resourceSubscriptions, taskIds: _, ...kinds } = wanted;
    const uris = Array.isArray(resourceSubscriptions)
      ? resourceSubscriptions.filter((uri) => typeof uri === "string")
      : [];
    const _meta = { [META.subscriptionId]: idValue(call.id) };
    const granted = { ...kinds, ...(uris.length > 0 ? { resourceSubscriptions: uris } : {}) };
    call.notify("notifications/subscriptions/acknowledged", { notifications: granted, _meta });
    const routed = this.resources.byServer(uris);
    for (const backend of this.backends) {
      const own = routed.get(backend) ?? [];
      const notifications: JsonObject = { ...kinds, ...(own.length > 0 ? { resourceSubscriptions: own } : {}) };
      const params = { notifications, ...(call.params["_meta"] === undefined ? {} : { _meta: call.params["_meta"] }) };
      const part: Call = {
        ...call,
        params,
        raw: JSON.stringify({ params }),
        notify(method, body) {
          // Acknowledged once, above, for all of them.
          if (method === "notifications/subscriptions/acknowledged") return;
          call.notify(method, method === "notifications/resources/updated" ? underClientUri(backend, body) : body);
        },
      };
      void backend.request(part).catch((error: unknown) => this.log("debug", `${backend.name}: ${String(error)}`));
    }
    await new Promise<void>((resolve) => {
      if (call.signal.aborted) resolve();
      else call.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    return { resultType: "complete", _meta };
  }

  /** For a greeting, which no list hangs on: who has not answered when the others have is not waited for. */
  private async askMost<T>(
    question: (backend: Backend) => Promise<T>,
  ): Promise<{ answers: [Backend, T][]; isWhole: boolean }> {
    const answers = new Map<Backend, T>();
    const missing = new Set(this.backends.filter(({ isBackingOff }) => !isBackingOff));
    const asked = [...missing].map(async (backend) => {
      try {
        answers.set(backend, await question(backend));
        missing.delete(backend);
      } catch (error) {
        // It has answered: with a refusal, or with its end.
        if (missing.delete(backend)) this.log("debug", `${backend.name}: ${String(error)}`);
        throw error;
      }
    });
    await waitForMost(asked, LIST_TIMEOUT_MS);
    for (const { name } of missing)
      this.log("warn", `${name} does not answer yet: clients are greeted without it, and told when it comes`);
    return {
      answers: this.backends.flatMap((backend): [Backend, T][] => {
        const answer = answers.get(backend);
        return answer === undefined ? [] : [[backend, answer]];
      }),
      isWhole: answers.size === this.backends.length,
    };
  }

  /** Each server's answer, as far as it comes in time. */
  async askAll<T>(question: (backend: Backend, signal: AbortSignal) => Promise<T>): Promise<[Backend, T][]> {
    const answers = await Promise.all(
      this.backends.map(async (backend): Promise<[Backend, T][]> => {
        if (backend.isBackingOff) return [];
        const over = new AbortController();
        const answer = await withTimeout(LIST_TIMEOUT_MS, question(backend, over.signal), (why, isLate) => {
          if (isLate) backend.noteTimeout();
          // That one does not know a method is nothing to be told of; that one says nothing is.
          this.log(isLate ? "warn" : "debug", `${backend.name}: ${why}`);
        });
        if (answer === undefined) over.abort();
        return answer === undefined ? [] : [[backend, answer]];
      }),
    );
    return answers.flat();
  }
}

function underClientUri(backend: Backend, body: JsonObject | RawJson): JsonObject {
  const params = exactObject(body);
  return typeof params["uri"] === "string" ? { ...params, uri: backend.clientUri(params["uri"]) } : params;
}

function unknownMethod({ method }: Call): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `no server here knows ${method}`);
}
