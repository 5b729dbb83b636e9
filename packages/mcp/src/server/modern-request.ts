// 2026-07-28 has no handshake: every request carries revision and client in its `_meta`. What must be there, and how it is read.
import type { ClientFacts } from "./call.ts";
import { isLogLevel } from "./context.ts";
import { isObject } from "../wire/json-value.ts";
import type { Json, JsonObject } from "../wire/json-value.ts";
import { isModern, META, MODERN_REVISIONS } from "../wire/revisions.ts";
import type { ModernRevision } from "../wire/revisions.ts";
import { BadRequest, INVALID_PARAMS, RpcError, VERSION_UNSUPPORTED } from "../wire/rpc-error.ts";

type ModernMeta = { version: Json; client: ClientFacts };

/** Whatever its value: who names a version in a message wants it read by that version's rules. */
export function hasModernMeta(params: JsonObject | undefined): boolean {
  const meta = params?.["_meta"];
  return isObject(meta) && META.protocolVersion in meta;
}

/** The two members no modern request may lack. */
export function readModernMeta(params: JsonObject | undefined): ModernMeta {
  const meta = params?.["_meta"];
  const version = isObject(meta) ? meta[META.protocolVersion] : undefined;
  const capabilities = isObject(meta) ? meta[META.clientCapabilities] : undefined;
  if (version === undefined) throw new RpcError(INVALID_PARAMS, `_meta needs ${META.protocolVersion}`);
  if (!isObject(capabilities)) throw new RpcError(INVALID_PARAMS, `_meta needs ${META.clientCapabilities}, an object`);
  const info = isObject(meta) ? meta[META.clientInfo] : undefined;
  return { version, client: { capabilities, info: isObject(info) ? info : undefined } };
}

export function supportedRevision(version: Json): ModernRevision {
  if (isModern(version)) return version;
  throw new RpcError(VERSION_UNSUPPORTED, `protocol version ${JSON.stringify(version)} is not supported`, {
    supported: [...MODERN_REVISIONS],
    requested: version,
  });
}

export function checkLogLevel(params: JsonObject | undefined): void {
  const meta = params?.["_meta"];
  const level = isObject(meta) ? meta[META.logLevel] : undefined;
  if (level !== undefined && !isLogLevel(level)) {
    throw new BadRequest(INVALID_PARAMS, `unknown log level: ${JSON.stringify(level)}`);
  }
}
