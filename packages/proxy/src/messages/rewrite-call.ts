// A call as the server is to see it: with the server's own name for a tool or resource, or a request of ours in the
// client's name.
import { isObject } from "@bosun/mcp/server";
import type { Call, Json, JsonObject } from "@bosun/mcp/server";
import { spanAt, splice } from "@bosun/platform/json";

/** The same call with one text in its params changed; every other byte stays. */
export function rewriteCall(call: Call, path: readonly string[], value: string): Call {
  const span = spanAt(call.raw, ["params", ...path]);
  if (!span) return call;
  const raw = splice(call.raw, [{ ...span, by: JSON.stringify(value) }]);
  return { ...call, raw, params: changed(call.params, path, value) };
}

/** A request of our own, with the standing of the client's call. Nothing it says reaches the client. */
export function onBehalfOf(call: Call, method: string, params: JsonObject, signal: AbortSignal = call.signal): Call {
  const { _meta } = call.params;
  const { progressToken: _, ...meta } = isObject(_meta) ? _meta : {};
  const own = Object.keys(meta).length === 0 ? params : { ...params, _meta: meta };
  return { ...call, method, params: own, raw: JSON.stringify({ params: own }), signal, notify() {} };
}

function changed(params: JsonObject, [head = "", ...rest]: readonly string[], value: string): JsonObject {
  const inner = params[head];
  const next: Json = rest.length === 0 ? value : changed(isObject(inner) ? inner : {}, rest, value);
  return { ...params, [head]: next };
}
