// A client of 2026-07-28 in front of an older server: we greet the server for it, and where the server asks something in
// the middle of a call, the call is parked, answered with `input_required`, and taken up again when the client returns.
import {
  INVALID_PARAMS,
  isObject,
  META,
  METHOD_NOT_FOUND,
  MODERN_REVISIONS,
  RawJson,
  RESOURCE_NOT_FOUND,
  RpcError,
} from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import { exactResultOf, idValue, Seal } from "@bosun/mcp/relay";
import type { Notification, Reply, Request } from "@bosun/mcp/relay";
import type { Downstream } from "./downstream.ts";
import { LEGACY_ONLY } from "./eras.ts";
import type { Passage } from "./passage.ts";
import { exactParams, exactResult, paramsText, PassingCalls } from "./passing.ts";
import { rebuilt } from "./rebuilt.ts";

/** A person may take this long to answer before the parked call is given up. */
const PARKED_MS = 10 * 60 * 1000;
const MAX_PARKED = 100;
const UNSUBSCRIBE_MS = 10_000;
const CACHEABLE = /^(tools|prompts|resources|resources\/templates)\/list$|^resources\/read$/;
const NEWEST_LEGACY = "2025-11-25";

type Open = { message: Request; answer(value: JsonObject): void; refuse(error: RpcError): void };
type Run = {
  call: Call;
  reply: Promise<Reply>;
  open: Map<string, Open>;
  questioned: PromiseWithResolvers<void>;
  controller: AbortController;
};

export function modernOverLegacy(downstream: Downstream): Passage {
  const passing = new PassingCalls(downstream);
  const seal = new Seal();
  const runs = new Set<Run>();
  const parked = new Map<string, Run>();
  const listening = new Set<Call>();
  let greeting: Promise<JsonObject> | undefined;
  let asked = 0;

  async function greet(call: Call): Promise<JsonObject> {
    const { capabilities, info } = call.client;
    const params = {
      protocolVersion: NEWEST_LEGACY,
      capabilities,
      clientInfo: info ?? { name: "bosun", version: "0" },
    };
    const reply = await downstream.initialize(params, { signal: AbortSignal.timeout(60_000) });
    const greeted = exactResultOf(reply);
    await downstream.notify("notifications/initialized");
    return greeted;
  }

  async function start(call: Call, headers: [string, string][] | undefined): Promise<JsonObject | RawJson> {
    const controller = new AbortController();
    const { params, exact } = legacyParams(call);
    const passed = { ...call, signal: controller.signal };
    const reply = passing.pass(passed, params, exact, headers ? { headers } : {});
    const run: Run = { call, reply, open: new Map(), questioned: Promise.withResolvers(), controller };
    runs.add(run);
    reply.catch(() => {}).finally(() => runs.delete(run));
    return proceed(run, call);
  }

  /** Until the server answers, or asks. */
  async function proceed(run: Run, call: Call): Promise<JsonObject | RawJson> {
    run.call = call;
    const cancel = (): void => run.controller.abort(call.signal.reason);
    call.signal.addEventListener("abort", cancel);
    try {
      for (;;) {
        run.questioned = Promise.withResolvers();
        const reply = run.open.size > 0 ? undefined : await Promise.race([run.reply, run.questioned.promise]);
        if (reply) return modernResult(reply, call);
        // Unless what it asked has been withdrawn already.
        if (run.open.size > 0) return await park(run, call);
      }
    } finally {
      call.signal.removeEventListener("abort", cancel);
    }
  }

  async function park(run: Run, call: Call): Promise<JsonObject> {
    if (parked.size >= MAX_PARKED) throw new RpcError(INVALID_PARAMS, "too many calls wait for an answer");
    const id = crypto.randomUUID();
    parked.set(id, run);
    const expiry = setTimeout(() => parked.delete(id) && run.controller.abort(), PARKED_MS);
    expiry.unref?.();
    const inputRequests: JsonObject = {};
    for (const [key, { message }] of run.open) {
      inputRequests[key] = { method: message.method, ...(message.params ? { params: exactParams(message.raw) } : {}) };
    }
    const requestState = await seal.close({
      id,
      owner: call.owner,
      method: call.method,
      name: call.params["name"] ?? null,
    });
    return { resultType: "input_required", inputRequests, requestState };
  }

  async function resume(call: Call, state: Json): Promise<JsonObject | RawJson> {
    const opened = typeof state === "string" ? await seal.open(state) : undefined;
    const ours = isObject(opened) && opened["owner"] === call.owner && opened["method"] === call.method;
    const id = ours && opened["name"] === (call.params["name"] ?? null) ? String(opened["id"]) : "";
    const run = parked.get(id);
    if (!run) throw new RpcError(INVALID_PARAMS, "requestState is unknown or has expired: call again from the start");
    parked.delete(id);
    const responses = exactParams(call.raw)["inputResponses"];
    for (const [key, value] of Object.entries(isObject(responses) ? responses : {})) {
      if (!isObject(value)) throw new RpcError(INVALID_PARAMS, `inputResponses.${key} must be an object`);
      run.open.get(key)?.answer(value);
      run.open.delete(key);
    }
    return proceed(run, call);
  }

  async function listen(call: Call): Promise<JsonObject> {
    const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
    const _meta = { [META.subscriptionId]: idValue(call.id) };
    const { taskIds: _, ...granted } = wanted;
    call.notify("notifications/subscriptions/acknowledged", { notifications: granted, _meta });
    const over = new Promise<void>((resolve) => {
      if (call.signal.aborted) resolve();
      else call.signal.addEventListener("abort", () => resolve(), { once: true });
    });
    // From the start: a change may be told in the same breath in which the subscription is confirmed.
    listening.add(call);
    const uris = subscribedBy(call);
    for (const uri of uris)
      await downstream.request("resources/subscribe", { uri }, { signal: call.signal }).catch(() => {});
    await over;
    listening.delete(call);
    for (const uri of uris) if (![...listening].some((other) => subscribedBy(other).includes(uri))) unsubscribe(uri);
    return { resultType: "complete", _meta };
  }

  function unsubscribe(uri: string): void {
    const signal = AbortSignal.timeout(UNSUBSCRIBE_MS);
    void downstream.request("resources/unsubscribe", { uri }, { signal }).catch(() => {});
  }

  return {
    async handle(call, headers) {
      // The server would know them; but to this client we are a server of its era.
      if (LEGACY_ONLY.has(call.method)) throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${call.method}`);
      greeting ??= greet(call);
      const greeted = await greeting.catch((error: unknown) => {
        greeting = undefined;
        throw error;
      });
      if (call.method === "server/discover") return discovered(greeted);
      if (call.method === "subscriptions/listen") return listen(call);
      const state = call.params["requestState"];
      return state === undefined ? start(call, headers) : resume(call, state);
    },
    opened() {},
    fromClient: ({ method, params, raw }) => void downstream.notify(method, params && new RawJson(paramsText(raw))),
    fromServer(message) {
      if (passing.deliver(message)) return;
      if (message.method === "notifications/message") return tellLog(passing.latest, message);
      for (const call of listening) tellChange(call, message);
    },
    question(message, signal) {
      const run = [...runs].at(-1);
      if (!run) throw new RpcError(METHOD_NOT_FOUND, "there is nobody to ask: no call is running");
      const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
      const key = `q${++asked}`;
      run.open.set(key, { message, answer: resolve, refuse: reject });
      run.questioned.resolve();
      const cancel = (): void => {
        run.open.delete(key);
        reject(new RpcError(INVALID_PARAMS, "cancelled"));
      };
      for (const end of [run.controller.signal, signal]) end.addEventListener("abort", cancel, { once: true });
      return promise;
    },
  };
}

function legacyParams(call: Call): { params: JsonObject; exact: RawJson } {
  const { _meta, inputResponses: _, requestState: __, ...rest } = call.params;
  const meta = isObject(_meta) ? Object.fromEntries(Object.entries(_meta).filter(([key]) => !OURS.has(key))) : {};
  const put: JsonObject = Object.keys(meta).length === 0 ? {} : { _meta: meta };
  const exact = rebuilt(
    paramsText(call.raw),
    ["_meta", "inputResponses", "requestState"],
    put as { [name: string]: Json },
  );
  return { params: { ...rest, ...put }, exact };
}

const OURS = new Set<string>([META.protocolVersion, META.clientCapabilities, META.clientInfo, META.logLevel]);

function modernResult(reply: Reply, call: Call): RawJson {
  // What older servers say of an unknown resource has another code now.
  if (reply.error?.code === RESOURCE_NOT_FOUND) {
    throw new RpcError(INVALID_PARAMS, reply.error.message, reply.error.data ?? { uri: call.params["uri"] ?? null });
  }
  const cache = CACHEABLE.test(call.method) ? { ttlMs: 0, cacheScope: "private" } : {};
  return rebuilt(exactResult(reply).text, [], { resultType: "complete", ...cache });
}

function discovered(greeted: JsonObject): JsonObject {
  const { capabilities, instructions, serverInfo } = greeted;
  const { tasks: _, ...kept } = isObject(capabilities) ? capabilities : {};
  return {
    resultType: "complete",
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: kept,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: "private",
    ...(serverInfo === undefined ? {} : { _meta: { [META.serverInfo]: serverInfo } }),
  };
}

function tellLog(call: Call | undefined, message: Notification): void {
  const meta = call?.params["_meta"];
  // Nothing is logged to a client that did not ask for it.
  if (isObject(meta) && meta[META.logLevel] !== undefined)
    call?.notify(message.method, new RawJson(paramsText(message.raw)));
}

function subscribedBy(call: Call): string[] {
  const wanted = call.params["notifications"];
  const uris = isObject(wanted) ? wanted["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

function tellChange(call: Call, { method, params = {} }: Notification): void {
  const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
  const relevant =
    (method === "notifications/tools/list_changed" && wanted["toolsListChanged"] === true) ||
    (method === "notifications/prompts/list_changed" && wanted["promptsListChanged"] === true) ||
    (method === "notifications/resources/list_changed" && wanted["resourcesListChanged"] === true) ||
    (method === "notifications/resources/updated" && subscribedBy(call).includes(String(params["uri"])));
  if (relevant) call.notify(method, { ...params, _meta: { [META.subscriptionId]: idValue(call.id) } });
}
