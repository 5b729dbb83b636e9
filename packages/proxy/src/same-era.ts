// A client and a server of the same era: everything passes as it is.
import { META, METHOD_NOT_FOUND, RawJson, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, Session } from "@bosun/mcp/server";
import { exactResultOf, spanAt, splice } from "@bosun/mcp/relay";
import type { Notification, Request } from "@bosun/mcp/relay";
import type { Downstream } from "./downstream.ts";
import { isModernRevision } from "./eras.ts";
import type { Passage } from "./passage.ts";
import { exactParams, exactResult, paramsText, PassingCalls } from "./passing.ts";

export function sameEra(downstream: Downstream): Passage {
  const passing = new PassingCalls(downstream);
  let session: Session | undefined;
  return {
    async handle(call, headers) {
      const params = paramsOf(call);
      if (call.method === "initialize" && !isModernRevision(call.revision)) return initialize(downstream, call);
      const reply = await passing.pass(
        call,
        params,
        params && new RawJson(paramsText(call.raw)),
        headers ? { headers } : {},
      );
      const result = exactResult(reply);
      return call.method === "subscriptions/listen" ? withSubscriptionId(result, call) : result;
    },
    opened(opened) {
      session = opened;
      void downstream.notify("notifications/initialized");
    },
    fromClient: ({ method, params, raw }) => void downstream.notify(method, params && new RawJson(paramsText(raw))),
    fromServer(message: Notification) {
      if (passing.deliver(message)) return;
      const params = new RawJson(paramsText(message.raw));
      // Log messages of a call travel on its stream; what nobody asked for goes to the session.
      const call = message.method === "notifications/message" ? passing.latest : undefined;
      if (call) call.notify(message.method, params);
      else session?.notify(message.method, params);
    },
    question(message: Request, signal) {
      const { method } = message;
      const params = exactParams(message.raw);
      const call = passing.latest;
      if (call?.session) return call.request(method, params, { signal, exact: true });
      if (session) return session.request(method, params, { signal, exact: true });
      throw new RpcError(METHOD_NOT_FOUND, "the client cannot be asked");
    },
  };
}

async function initialize(downstream: Downstream, call: Call): Promise<JsonObject> {
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
