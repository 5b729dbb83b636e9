// Which era a server speaks, found by asking: the newest first, then what its answer shows.
// Never keyed on one error code: servers of all ages answer an unknown first request in all ways there are.
import type { JsonObject } from "../wire/json-value.ts";
import { isObject } from "../wire/json-value.ts";
import type { Answer } from "./link.ts";
import { isModern } from "../wire/revisions.ts";
import { CAPABILITY_MISSING, ConnectionError, HEADER_MISMATCH, VERSION_UNSUPPORTED } from "../wire/rpc-error.ts";
import type { RpcError } from "../wire/rpc-error.ts";

/** `silent`: there was no answer at all, and the connection may be spoilt. */
export type DetectedEra =
  { era: "modern"; discovered: JsonObject | undefined; version?: string } | { era: "legacy"; silent: boolean };

const LEGACY: DetectedEra = { era: "legacy", silent: false };

/** From the answer to `server/discover`. */
export function eraFromReply({ reply, status }: Answer): DetectedEra {
  if (reply.result) return isDiscovery(reply.result) ? { era: "modern", discovered: reply.result } : LEGACY;
  const { error } = reply;
  if (status === 401 || status === 403) throw new ConnectionError("http", `the server answered ${status}`, status);
  if (status !== undefined && status >= 500) throw new ConnectionError("http", `the server answered ${status}`, status);
  if (error.code === VERSION_UNSUPPORTED) {
    // Only modern servers know this code, but one may speak nothing modern that we do.
    const version = commonVersion(error);
    return version === undefined ? LEGACY : { era: "modern", discovered: undefined, version };
  }
  // A complaint about modern headers or capabilities comes from a modern server, too.
  const modern = status !== undefined && (error.code === HEADER_MISMATCH || error.code === CAPABILITY_MISSING);
  return modern ? { era: "modern", discovered: undefined } : LEGACY;
}

/** From a probe that got no answer at all. */
export function eraFromFailure(error: unknown, http: boolean): DetectedEra {
  // On stdio silence, nonsense and a child that exits all mean a server that wants `initialize`.
  if (!http) return { era: "legacy", silent: true };
  const status = error instanceof ConnectionError ? error.status : undefined;
  if (status !== undefined && status < 500 && status !== 401 && status !== 403) return LEGACY;
  throw error; // authorization or an outage says nothing about the era
}

/** A version that both sides speak, from the server's list in a -32022. */
export function commonVersion({ data }: RpcError): string | undefined {
  const supported = isObject(data) ? data["supported"] : undefined;
  const common = Array.isArray(supported) ? supported.find((version) => isModern(version)) : undefined;
  return typeof common === "string" ? common : undefined;
}

function isDiscovery(result: JsonObject): boolean {
  const versions = result["supportedVersions"];
  return Array.isArray(versions) && versions.some((version) => isModern(version)) && isObject(result["capabilities"]);
}
