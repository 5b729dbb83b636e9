// Who a call belongs to. Connections and legacy sessions name their client; callers without either (2026-07-28 over HTTP)
// share one name per principal, and get a state of their own when they ask for one by handle.
import type { Call } from "./call.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { INVALID_PARAMS, RpcError } from "../wire/rpc-error.ts";

/** In a request's `_meta`: "new", or a handle that "new" was answered with. */
export const SESSION_KEY = "bosun/session";

/** The owner of calls that come over HTTP without a session and without a principal. */
export const ANONYMOUS_OWNER = "anonymous";

/** Whether several clients may stand behind this name: then no call may leave a directory behind for the next. */
export function isShared(owner: string): boolean {
  return (owner === ANONYMOUS_OWNER || owner.startsWith("principal:")) && !owner.includes(MARK);
}

/** The call under the name whose state it means, and the handle to tell the client, if it asked for a new one. */
export function withState(call: Call, isKnown: (owner: string) => boolean): { call: Call; handle: string | undefined } {
  if (!isShared(call.owner)) return { call, handle: undefined };
  const wanted = metaOf(call.params)?.[SESSION_KEY];
  if (wanted === undefined) return { call, handle: undefined };
  if (wanted === "new") {
    const handle = crypto.randomUUID();
    return { call: { ...call, owner: call.owner + MARK + handle }, handle };
  }
  const owner = `${call.owner}${MARK}${String(wanted)}`;
  if (!isKnown(owner))
    throw new RpcError(INVALID_PARAMS, `_meta["${SESSION_KEY}"] is not a session of yours, or it has expired`);
  return { call: { ...call, owner }, handle: undefined };
}

/** The name under which a principal's state with this handle is kept. */
export function ownerWithHandle(owner: string, handle: string): string {
  return principalOf(owner) + MARK + handle;
}

/** Whose state a name is about, without its handle. */
export function principalOf(owner: string): string {
  const at = owner.indexOf(MARK);
  return at < 0 ? owner : owner.slice(0, at);
}

/** Repeats the handle where the client can find it. */
export function withHandle(result: JsonObject, handle: string | undefined): JsonObject {
  if (handle === undefined) return result;
  return { ...result, _meta: { ...metaOf(result), [SESSION_KEY]: handle } };
}

const MARK = "/session:";

function metaOf(holder: JsonObject): JsonObject | undefined {
  const meta = holder["_meta"];
  return isObject(meta) ? meta : undefined;
}
