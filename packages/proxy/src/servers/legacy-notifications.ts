// What an older server says on its own, to requests of 2026-07-28: each hears what it asked for.
import { isObject, META, RawJson } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import { idValue } from "@bosun/mcp/relay";
import type { Notification } from "@bosun/mcp/relay";
import { paramsText } from "../messages/message-json.ts";

export function tellLog(call: Call | undefined, message: Notification): void {
  const meta = call?.params["_meta"];
  // Nothing is logged to a client that did not ask for it.
  if (isObject(meta) && meta[META.logLevel] !== undefined)
    call?.notify(message.method, new RawJson(paramsText(message.raw)));
}

/** Resources whose updates a `subscriptions/listen` wants. */
export function subscribedBy(call: Call): string[] {
  const wanted = call.params["notifications"];
  const uris = isObject(wanted) ? wanted["resourceSubscriptions"] : undefined;
  return Array.isArray(uris) ? uris.filter((uri) => typeof uri === "string") : [];
}

export function tellChange(call: Call, { method, params = {} }: Notification): void {
  const wanted = isObject(call.params["notifications"]) ? call.params["notifications"] : {};
  const relevant =
    (method === "notifications/tools/list_changed" && wanted["toolsListChanged"] === true) ||
    (method === "notifications/prompts/list_changed" && wanted["promptsListChanged"] === true) ||
    (method === "notifications/resources/list_changed" && wanted["resourcesListChanged"] === true) ||
    (method === "notifications/resources/updated" && subscribedBy(call).includes(String(params["uri"])));
  if (relevant) call.notify(method, { ...params, _meta: { [META.subscriptionId]: idValue(call.id) } });
}
