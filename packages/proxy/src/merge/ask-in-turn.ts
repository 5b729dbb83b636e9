// For what nobody has listed: each server is asked in turn, and the first that does not refuse answers. One that has never
// answered anything is not waited for longer than for a list.
import { INVALID_PARAMS, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson } from "@bosun/mcp/server";
import type { Backend } from "../servers/backend.ts";
import { LIST_TIMEOUT_MS } from "./wait-for-most.ts";

/** Throws the first refusal when all refuse, and `nobody` when there is none to ask. */
export async function askInTurn(
  backends: readonly Backend[],
  call: Call,
  nobody: string,
): Promise<JsonObject | RawJson> {
  let refusal: unknown;
  for (const backend of backends.filter(({ isBackingOff }) => !isBackingOff)) {
    try {
      return await answerOf(backend, call);
    } catch (error) {
      // The next one may know it; what the first said is passed on when none does.
      if (call.signal.aborted) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new RpcError(INVALID_PARAMS, nobody);
}

async function answerOf(backend: Backend, call: Call): Promise<JsonObject | RawJson> {
  if (backend.hasAnswered) return backend.request(call);
  const over = new AbortController();
  const timer = setTimeout(() => {
    backend.noteTimeout();
    over.abort();
  }, LIST_TIMEOUT_MS);
  try {
    return await backend.request({ ...call, signal: AbortSignal.any([call.signal, over.signal]) });
  } finally {
    clearTimeout(timer);
  }
}
