// For what nobody has listed: each server is asked in turn, and the first that does not refuse answers.
import { INVALID_PARAMS, RpcError } from "@bosun/mcp/server";
import type { Call, JsonObject, RawJson } from "@bosun/mcp/server";
import type { Backend } from "./backend.ts";

/** Throws the first refusal when all refuse, and `nobody` when there is none to ask. */
export async function firstAnswer(
  backends: readonly Backend[],
  call: Call,
  nobody: string,
): Promise<JsonObject | RawJson> {
  let refusal: unknown;
  for (const backend of backends.filter(({ isResting }) => !isResting)) {
    try {
      return await backend.handle(call);
    } catch (error) {
      if (call.signal.aborted) throw error;
      refusal ??= error;
    }
  }
  throw refusal ?? new RpcError(INVALID_PARAMS, nobody);
}
