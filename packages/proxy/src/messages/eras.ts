// The two eras of the protocol: up to 2025-11-25 a connection is opened with `initialize`; from 2026-07-28 on each request
// says for itself what its client can do.
import { isObject, META, MODERN_REVISIONS } from "@bosun/mcp/server";
import type { Call, JsonObject, Revision } from "@bosun/mcp/server";

/** Methods that 2026-07-28 does not have any more. */
export const LEGACY_ONLY: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "logging/setLevel",
  "resources/subscribe",
  "resources/unsubscribe",
  "tasks/list",
  "tasks/result",
]);

export function isModernRevision(revision: Revision): boolean {
  return MODERN_REVISIONS.some((modern) => modern === revision);
}

/** `server/discover` in this client's name. */
export function probeParams(call: Call): JsonObject {
  const given = isObject(call.params["_meta"]) ? call.params["_meta"] : {};
  const info = given[META.clientInfo] ?? call.client.info;
  return {
    _meta: {
      [META.protocolVersion]: MODERN_REVISIONS[0],
      [META.clientCapabilities]: call.client.capabilities,
      ...(info === undefined ? {} : { [META.clientInfo]: info }),
    },
  };
}

/** A result of ours with the members that the client's era wants in every result. */
export function completeResult(call: Call, result: JsonObject): JsonObject {
  return isModernRevision(call.revision) ? { resultType: "complete", ...result } : result;
}

/** The same for lists and resources, which 2026-07-28 allows clients to keep: ours are not to be kept. */
export function uncachedResult(call: Call, result: JsonObject): JsonObject {
  if (!isModernRevision(call.revision)) return result;
  return { resultType: "complete", ttlMs: 0, cacheScope: "private", ...result };
}
