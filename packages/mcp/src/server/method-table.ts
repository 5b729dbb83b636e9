// Which method answers a call, in which era, and what the results of 2026-07-28 carry besides themselves.
import { InputRequired } from "./ask.ts";
import type { Call } from "./call.ts";
import { checkLogLevel } from "./modern-request.ts";
import { isObject } from "../wire/json-value.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { isModern, META } from "../wire/revisions.ts";
import type { Era } from "../wire/revisions.ts";
import { METHOD_NOT_FOUND, RpcError } from "../wire/rpc-error.ts";

export type Method = {
  era: Era | "both";
  /** Its complete results carry `ttlMs` and `cacheScope` in 2026-07-28. */
  cacheable?: true;
  /** 2026-07-28: what must hold before anything else of the request is looked at, such as mirrored headers. */
  check?(call: Call): void;
  run(call: Call): Promise<JsonObject> | JsonObject;
};

export type Methods = { [method: string]: Method };

/** How long clients of 2026-07-28 may keep results, and who the server is. */
type ResultMeta = { cache: { ttlMs: number; scope: "public" | "private" } | undefined; serverInfo: JsonObject };

export async function callMethod(methods: Methods, call: Call, meta: ResultMeta): Promise<JsonObject> {
  const method = Object.hasOwn(methods, call.method) ? methods[call.method] : undefined;
  const era = isModern(call.revision) ? "modern" : "legacy";
  if (!method || (method.era !== "both" && method.era !== era)) {
    throw new RpcError(METHOD_NOT_FOUND, `unknown method: ${call.method}`);
  }
  if (era === "legacy") return method.run(call);
  method.check?.(call);
  checkLogLevel(call.params);
  try {
    return complete(await method.run(call), method, meta);
  } catch (error) {
    // Not an error: the call ends, and comes again with the answers.
    if (error instanceof InputRequired) return complete(error.toResult(), method, meta);
    throw error;
  }
}

function complete(result: JsonObject, method: Method, { cache, serverInfo }: ResultMeta): JsonObject {
  const meta = isObject(result["_meta"]) ? result["_meta"] : {};
  const whole: JsonObject = { resultType: "complete", ...result };
  if (method.cacheable && whole["resultType"] === "complete") {
    whole["ttlMs"] = cache?.ttlMs ?? 0;
    whole["cacheScope"] = cache?.scope ?? "private";
  }
  whole["_meta"] = { ...meta, [META.serverInfo]: serverInfo };
  return whole;
}
