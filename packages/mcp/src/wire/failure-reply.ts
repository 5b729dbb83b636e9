// What a failed call is answered with: known errors as they are, anything else without its internals.
import { INTERNAL_ERROR, RpcError } from "./rpc-error.ts";

export function rpcErrorFor(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  console.error(error); // a bug: the stack is for us, on stderr
  return new RpcError(INTERNAL_ERROR, "internal error");
}
