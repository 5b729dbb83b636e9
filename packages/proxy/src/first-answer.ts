// For what nobody has listed: each server is asked in turn, and the first that does not refuse answers. One that has never
// answered anything is not waited for longer than for a list.
import { INVALID_PARAMS, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson } from "@bosun/mcp/server";
import type { Backend } from "./backend.ts";

/** How long a greeting or a list waits for the slowest; what comes later is announced. */
export const SLOWEST_MS = 5000;

/** Throws the first refusal when all refuse, and `nobody` when there is none to ask. */
export async function firstAnswer(
  backends: readonly Backend[],
  call: Call,
  nobody: string,
): Promise<JsonObject | RawJson> {
  let refusal: unknown;
  for (const backend of backends.filter(({ isResting }) => !isResting)) {
    try {
      return await answerOf(backend, call);
    } catch (error) {
      if (call.signal.aborted) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new RpcError(INVALID_PARAMS, nobody);
}

async function answerOf(backend: Backend, call: Call): Promise<JsonObject | RawJson> {
  if (backend.hasAnswered) return backend.handle(call);
  const over = new AbortController();
  const timer = setTimeout(() => {
    backend.keptWaiting();
    over.abort();
  }, SLOWEST_MS);
  try {
    return await backend.handle({ ...call, signal: AbortSignal.any([call.signal, over.signal]) });
  } finally {
    clearTimeout(timer);
  }
}
