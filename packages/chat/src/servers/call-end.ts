// How a tool call ended, and what the person and the model are told of it. The server's own error text stays with
// the person; the model gets a fixed sentence that is true.
import { ConnectionError, RpcError } from "@bosun/mcp";
import type { JsonObject, ToolResult } from "@bosun/mcp";
import type { Outcome } from "../conversation/turn-types.ts";

export type CallEnd =
  | { kind: "result"; result: ToolResult & JsonObject }
  | { kind: "no-such-tool"; message: string; near: string[] }
  | { kind: "rpc-error"; code: number; message: string }
  /** The request never reached the server. */
  | { kind: "unreachable"; message: string }
  /** It may have reached it, and nobody knows what happened. */
  | { kind: "lost"; message: string }
  | { kind: "timeout"; seconds: number }
  | { kind: "cancelled" };

export const REFUSED = "Refused by the user.";
export const DENIED = "Not allowed by the user's policy. Do not try again.";
export const STOPPED = "Not run: the turn was stopped.";

export function endOfError(error: unknown, was: { sent: boolean; callMs: number; near: string[] }): CallEnd {
  if (error instanceof RpcError) {
    const isUnknown =
      error.code === -32601 || (error.code === -32602 && /unknown tool|not found|no such tool/i.test(error.message));
    if (isUnknown) return { kind: "no-such-tool", message: `${error.message} (${error.code})`, near: was.near };
    return { kind: "rpc-error", code: error.code, message: error.message };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof ConnectionError) {
    if (error.reason === "cancelled") return { kind: "cancelled" };
    if (error.reason === "timeout") return { kind: "timeout", seconds: Math.round(was.callMs / 100) / 10 };
    // A status is an answer: the server took the request and refused it.
    if (error.reason === "http" && error.status !== undefined) return { kind: "unreachable", message };
  }
  const neverThere = /refused|ENOTFOUND|unable to connect|cannot be opened|not connected|could not start/i.test(
    message,
  );
  return was.sent && !neverThere ? { kind: "lost", message } : { kind: "unreachable", message };
}

export function outcomeOf(end: CallEnd): Outcome {
  switch (end.kind) {
    case "result":
      return end.result.isError === true ? "error" : "ok";
    case "timeout":
      return "timeout";
    case "cancelled":
      return "cancelled";
    case "lost":
      return "unknown";
    case "no-such-tool":
      return "not-run";
    default:
      return "failed";
  }
}

/** For the model, when there is no result. */
export function wordsForModel(end: Exclude<CallEnd, { kind: "result" }>, passOn: boolean): string {
  const more = passOn && "message" in end ? ` (${end.message})` : "";
  switch (end.kind) {
    case "no-such-tool": {
      const near = end.near.length === 0 ? "" : ` Tools with similar names: ${end.near.join(", ")}.`;
      return `Not run: there is no such tool.${near}${more}`;
    }
    case "rpc-error":
      return `Not completed: the tool server reported an internal error.${more}`;
    case "unreachable":
      return `Not completed: the tool server could not be reached.${more}`;
    case "lost":
      return `Outcome unknown: the connection was lost while the tool was running.${more}`;
    case "timeout":
      return `No answer within ${end.seconds} s; the call was cancelled and may have run.`;
    case "cancelled":
      return "Cancelled by the user while running; it may have run in part.";
    default:
      return end satisfies never;
  }
}

/** For the person, one line. */
export function wordsForPerson(end: Exclude<CallEnd, { kind: "result" }>): string {
  switch (end.kind) {
    case "rpc-error":
      return `${end.message} (${end.code})`;
    case "lost":
      return `${end.message}; it may have run`;
    case "timeout":
      return `no answer for ${end.seconds} s, cancelled (it may still have run)`;
    case "cancelled":
      return "cancelled; it may have done part of its work";
    default:
      return end.message;
  }
}
