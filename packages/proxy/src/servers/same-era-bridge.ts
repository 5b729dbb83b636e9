// A client and a server of the same era: everything passes as it is.
import { META, METHOD_NOT_FOUND, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, Session } from "@bosun/mcp/server";
import { exactResultOf } from "@bosun/mcp/relay";
import { spanAt, splice } from "@bosun/platform/json";
import type { Notification, Request } from "@bosun/mcp/relay";
import { exactParams, exactResult, paramsText } from "../messages/message-json.ts";
import type { DownstreamServer } from "./downstream-server.ts";
import { isModernRevision } from "../messages/eras.ts";
import type { EraBridge } from "./era-bridge.ts";
import { InFlightCalls } from "./in-flight-calls.ts";

export function sameEra(downstream: DownstreamServer): EraBridge {
  const inFlight = new InFlightCalls(downstream);
  let session: Session | undefined;
  return {
    async request(call, headers) {
      const params = paramsOf(call);
      if (call.method === "initialize" && !isModernRevision(call.revision)) return initialize(downstream, call);
      const reply = await inFlight.send(call, params, params && new RawJson(paramsText(call.raw)), headers);
      const result = exactResult(reply);
      return call.method === "subscriptions/listen" ? withSubscriptionId(result, call) : result;
    },
    opened(opened) {
      session = opened;
      void downstream.notify("notifications/initialized");
    },
    clientNotified: ({ method, params, raw }) => void downstream.notify(method, params && new RawJson(paramsText(raw))),
    serverNotified(message: Notification) {
      if (inFlight.deliver(message)) return;
      const params = new RawJson(paramsText(message.raw));
      // Log messages of a call travel on its stream; what nobody asked for goes to the session.
      const call = message.method === "notifications/message" ? inFlight.latest : undefined;
      if (call) call.notify(message.method, params);
      else session?.notify(message.method, params);
    },
    serverAsked(message: Request, signal) {
      const { method } = message;
      const params = exactParams(message.raw);
      const call = inFlight.latest;
      if (call?.session) return call.request(method, params, { signal, exact: true });
      if (session) return session.request(method, params, { signal, exact: true });
      throw new RpcError(METHOD_NOT_FOUND, "the client cannot be asked");
    },
  };
}

async function initialize(downstream: DownstreamServer, call: Call): Promise<JsonObject> {
  const exact = new RawJson(paramsText(call.raw));
  const reply = await downstream.initialize(call.params, { signal: call.signal, exact });
  return exactResultOf(reply);
}

function paramsOf(call: Call): JsonObject | undefined {
  return spanAt(call.raw, ["params"]) ? call.params : undefined;
}

function withSubscriptionId(result: RawJson, call: Call): RawJson {
  const span = spanAt(result.text, ["_meta", META.subscriptionId]);
  return span ? new RawJson(splice(result.text, [{ ...span, by: call.id }])) : result;
}
