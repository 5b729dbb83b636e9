// `session` among the arguments of bash: the handle that a program would send in `_meta`, for models, who see no `_meta`.
import { isObject, isShared, ownerWithHandle, SESSION_KEY } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";

/** The call with that handle where programs put it. One that is not known stays where it is: the tool says so. */
export function withSessionArgument(call: Call, isKnown: (owner: string) => boolean): Call {
  const { arguments: args, name, _meta: meta = {} } = call.params;
  if (name !== "bash" || !isShared(call.owner) || !isObject(args) || !isObject(meta)) return call;
  const handle = args["session"];
  if (typeof handle !== "string" || meta[SESSION_KEY] !== undefined) return call;
  if (handle !== "new" && !isKnown(ownerWithHandle(call.owner, handle))) return call;
  return { ...call, params: { ...call.params, _meta: { ...meta, [SESSION_KEY]: handle } } };
}
