// What a request of 2026-07-28 is to an older server, and what an older server's answer is to a client of 2026-07-28.
import { INVALID_PARAMS, isObject, META, MODERN_REVISIONS, RESOURCE_NOT_FOUND, RpcError } from "@bosun/mcp/server";
import type { Call, Json, JsonObject, RawJson } from "@bosun/mcp/server";
import type { Reply } from "@bosun/mcp/relay";
import { editMembers, exactResult, paramsText } from "../messages/message-json.ts";

const CACHEABLE = /^(tools|prompts|resources|resources\/templates)\/list$|^resources\/read$/;
const OURS = new Set<string>([META.protocolVersion, META.clientCapabilities, META.clientInfo, META.logLevel]);

export function legacyParams(call: Call): { params: JsonObject; exact: RawJson } {
  const { _meta, inputResponses: _, requestState: __, ...rest } = call.params;
  const meta = isObject(_meta) ? Object.fromEntries(Object.entries(_meta).filter(([key]) => !OURS.has(key))) : {};
  const put: JsonObject = Object.keys(meta).length === 0 ? {} : { _meta: meta };
  const exact = editMembers(
    paramsText(call.raw),
    ["_meta", "inputResponses", "requestState"],
    put as { [name: string]: Json },
  );
  return { params: { ...rest, ...put }, exact };
}

export function modernResult(reply: Reply, call: Call): RawJson {
  // What older servers say of an unknown resource has another code now.
  if (reply.error?.code === RESOURCE_NOT_FOUND) {
    throw new RpcError(INVALID_PARAMS, reply.error.message, reply.error.data ?? { uri: call.params["uri"] ?? null });
  }
  const cache = CACHEABLE.test(call.method) ? { ttlMs: 0, cacheScope: "private" } : {};
  return editMembers(exactResult(reply).text, [], { resultType: "complete", ...cache });
}

export function discovered(greeted: JsonObject): JsonObject {
  const { capabilities, instructions, serverInfo } = greeted;
  const { tasks: _, ...kept } = isObject(capabilities) ? capabilities : {};
  return {
    resultType: "complete",
    supportedVersions: [...MODERN_REVISIONS],
    capabilities: kept,
    ...(instructions === undefined ? {} : { instructions }),
    ttlMs: 0,
    cacheScope: "private",
    ...(serverInfo === undefined ? {} : { _meta: { [META.serverInfo]: serverInfo } }),
  };
}
