// What a handler gave or threw → the JSON-RPC reply to its request. The one place where an error becomes one that a peer
// sees, whoever carries the reply: known errors as they are, anything else without its internals.
import type { MessageText } from "./encoded-text.ts";
import type { JsonObject, RawJson } from "./json-value.ts";
import { errorText, resultMessage } from "./message.ts";
import type { Id } from "./message.ts";
import { INTERNAL_ERROR, RpcError } from "./rpc-error.ts";

export type Result = JsonObject | RawJson;
type Replied = { text: MessageText } & ({ result: Result; error?: never } | { error: RpcError; result?: never });

/** Undefined when the request has been cancelled meanwhile: then it gets no reply. */
export async function replyTo(
  id: Id,
  signal: AbortSignal,
  handle: () => Promise<Result> | Result,
): Promise<Replied | undefined> {
  try {
    const result = await handle();
    return signal.aborted ? undefined : { text: resultMessage(id, result), result };
  } catch (thrown) {
    // whatever a handler throws ends here, so that every request gets its answer
    if (signal.aborted) return undefined;
    const error = rpcErrorFor(thrown);
    return { text: errorText(id, error), error };
  }
}

export function rpcErrorFor(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  console.error(error); // a bug: the stack is for us, on stderr
  return new RpcError(INTERNAL_ERROR, "internal error");
}
