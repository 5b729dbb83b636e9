// An older client in front of a server of 2026-07-28: we carry what its session settled in every request, and ask the
// client what the server wants to know.
import { INVALID_PARAMS, isObject, META, METHOD_NOT_FOUND, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, Session } from "@bosun/mcp/server";
import { exactResultOf } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import { editMembers, exactResult, paramsText } from "../messages/message-json.ts";
import type { DownstreamServer } from "./downstream-server.ts";
import type { EraBridge } from "./era-bridge.ts";
import { InFlightCalls } from "./in-flight-calls.ts";

const MODERN = "2026-07-28";
/** A server that keeps asking is broken or hostile. */
const MAX_ROUNDS = 10;
const MODERN_ONLY = ["resultType", "ttlMs", "cacheScope"];

export function legacyOverModern(downstream: DownstreamServer, discovered: JsonObject): EraBridge {
  const inFlight = new InFlightCalls(downstream);
  const uris = new Set<string>();
  let session: Session | undefined;
  let logLevel: Json | undefined;
  let listening = new AbortController();
  /** The stream has ended without us: the server died, or closed it. */
  let isOver = false;

  function meta(client: Call["client"]): JsonObject {
    return {
      [META.protocolVersion]: MODERN,
      [META.clientCapabilities]: client.capabilities,
      ...(client.info ? { [META.clientInfo]: client.info } : {}),
      ...(logLevel === undefined ? {} : { [META.logLevel]: logLevel }),
    };
  }

  /** One stream carries all that an older server would have said unasked; it is opened anew when more is wanted. */
  function listen(): void {
    listening.abort();
    const mine = (listening = new AbortController());
    isOver = false;
    if (!session) return;
    const notifications: JsonObject = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    if (uris.size > 0) notifications["resourceSubscriptions"] = [...uris];
    const params = { notifications, _meta: meta(session.client) };
    const ended = downstream.request("subscriptions/listen", params, { signal: mine.signal });
    // Who refuses to be listened to is not asked again.
    void ended.then(
      ({ error }) => (isOver ||= mine === listening && error === undefined),
      () => (isOver ||= mine === listening),
    );
  }

  async function ask(call: Call, requests: Json | undefined): Promise<JsonObject> {
    const answers: JsonObject = {};
    for (const [key, question] of Object.entries(isObject(requests) ? requests : {})) {
      if (!isObject(question) || typeof question["method"] !== "string") throw unreadable();
      const params = isObject(question["params"]) ? question["params"] : {};
      answers[key] = await call.request(question["method"], params, { signal: call.signal, exact: true });
    }
    return answers;
  }

  async function requestWithAnswers(call: Call, headers: [string, string][] | undefined): Promise<RawJson> {
    let extra: { [name: string]: Json } = {};
    for (let round = 0; round <= MAX_ROUNDS; round++) {
      const given = isObject(call.params["_meta"]) ? call.params["_meta"] : {};
      const _meta = { ...given, ...meta(call.client) };
      const exact = editMembers(paramsText(call.raw), ["_meta"], { ...extra, _meta });
      const params = { ...call.params, ...extra, _meta };
      const reply = await inFlight.send(call, params, exact, headers);
      // With the first answer of a server that was started again; before, there was nobody to listen to.
      if (isOver) listen();
      const result = exactResult(reply);
      if (reply.result?.["resultType"] !== "input_required") return editMembers(result.text, MODERN_ONLY, {});
      const { inputRequests, requestState } = exactResultOf(reply);
      extra = {
        ...(inputRequests === undefined ? {} : { inputResponses: await ask(call, inputRequests) }),
        ...(requestState === undefined ? {} : { requestState }),
      };
    }
    throw new RpcError(INVALID_PARAMS, `the server asked more than ${MAX_ROUNDS} times in a row`);
  }

  return {
    async request(call, headers) {
      const { uri } = call.params;
      switch (call.method) {
        case "initialize":
          return greeting(call, discovered);
        case "ping":
          return {};
        case "logging/setLevel":
          logLevel = call.params["level"];
          return {};
        case "resources/subscribe":
        case "resources/unsubscribe":
          if (typeof uri !== "string") throw new RpcError(INVALID_PARAMS, "uri must be a string");
          if (call.method === "resources/subscribe") uris.add(uri);
          else uris.delete(uri);
          listen();
          return {};
        default:
          return requestWithAnswers(call, headers);
      }
    },
    opened(opened) {
      session = opened;
      session.ended.addEventListener("abort", () => listening.abort(), { once: true });
      listen();
    },
    clientNotified() {}, // 2026-07-28 knows no notification from clients that matters here
    serverNotified(message) {
      const isChange = /\/(list_changed|updated)$/.test(message.method);
      if (isChange) session?.notify(message.method, withoutMeta(message));
      else if (!inFlight.deliver(message))
        inFlight.latest?.notify(message.method, new RawJson(paramsText(message.raw)));
    },
    serverAsked: () => Promise.reject(new RpcError(METHOD_NOT_FOUND, "a 2026-07-28 server sends no requests")),
  };
}

function greeting(call: Call, discovered: JsonObject): JsonObject {
  const { capabilities, instructions, _meta } = discovered;
  const { extensions: _, ...kept } = isObject(capabilities) ? capabilities : {};
  const info = isObject(_meta) ? _meta[META.serverInfo] : undefined;
  return {
    protocolVersion: call.revision,
    capabilities: kept,
    serverInfo: info ?? { name: "server", version: "0" },
    ...(instructions === undefined ? {} : { instructions }),
  };
}

function withoutMeta({ params = {} }: Notification): JsonObject {
  const { _meta: _, ...rest } = params;
  return rest;
}

function unreadable(): RpcError {
  return new RpcError(INVALID_PARAMS, "the server asked in a form we do not know");
}
