// A service held to what its running calls may keep in memory together: each is allowed to be large, not all at once.
import type { Call, Service } from "./call.ts";
import type { JsonObject, RawJson } from "../wire/json.ts";
import { INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";

/** Sixteen of the largest messages. A call keeps about twice its text: as it came, and as it was read. */
const MAX_RUNNING_CHARS = 256 * 1024 * 1024;
/** Calls below this are not worth counting: carriers limit their number. */
const SMALL_CHARS = 4096;

export function withCallMemoryLimit(service: Service, maxChars = MAX_RUNNING_CHARS): Service {
  let running = 0;

  async function counted(call: Call): Promise<JsonObject | RawJson> {
    const chars = call.raw.length;
    if (running + chars > maxChars) {
      throw new RpcError(INVALID_REQUEST, "the calls that are running hold too much: try again when some have ended");
    }
    running += chars;
    try {
      return await service.handle(call);
    } finally {
      running -= chars;
    }
  }

  return {
    handle: (call) => (call.raw.length < SMALL_CHARS ? service.handle(call) : counted(call)),
    notified: (message, session) => service.notified?.(message, session),
    opened: (session) => service.opened?.(session),
    isBusy: (owner) => service.isBusy?.(owner) ?? false,
    ended: (owner) => service.ended?.(owner),
  };
}
