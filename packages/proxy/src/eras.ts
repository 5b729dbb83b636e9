// What belongs to an era, as far as a relay must know.
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
