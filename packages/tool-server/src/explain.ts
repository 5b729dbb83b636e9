// Errors → what the model is told, in the shape and the codes of the surface it called. The only place that words them.
import { EngineError } from "@bosun/engine";
import type { GuardError } from "@bosun/guard";
import { failure, InvalidArguments } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { Surface } from "./config.ts";
import type { FailedCall, KnownFailure } from "./known-failure.ts";
import { Refusal } from "./refusal.ts";
import { explainCoding } from "./surfaces/coding/failures.ts";
import { explainShell } from "./surfaces/shell/failures.ts";
import { explainWorkspace } from "./surfaces/workspace/failures.ts";

const BY_SURFACE = {
  coding: explainCoding,
  workspace: explainWorkspace,
  shell: explainShell,
  bcp: ({ message }, { tool }) => failure(`${tool}: ${message}`),
} satisfies Record<Surface, (failure: KnownFailure, failed: FailedCall) => ToolResult>;

/** What no surface has words for: a bug. The model gets no internals, and still the shape it was promised. */
export function explainBug(surface: Surface, failed: FailedCall): ToolResult {
  return BY_SURFACE[surface](new EngineError("IO_ERROR", `${failed.tool} failed unexpectedly`), failed);
}

/** The audit log cannot be written: to the caller that is a fault of the machine. */
export function explainUnrecorded(
  surface: Surface,
  error: GuardError,
  failed: FailedCall,
  isDone: boolean,
): ToolResult {
  const what = isDone ? "it was done, but its outcome could not be recorded" : "nothing was done";
  // The workspace surface names no path of the host, and these messages do.
  const why = surface === "workspace" ? "what the server keeps about its calls cannot be used" : error.message;
  return BY_SURFACE[surface](new EngineError("IO_ERROR", `${what}: ${why}`, {}, error), failed);
}

export function explainOn(surface: Surface, error: unknown, failed: FailedCall): ToolResult | undefined {
  const known = error instanceof EngineError || error instanceof InvalidArguments || error instanceof Refusal;
  return known ? BY_SURFACE[surface](error, failed) : undefined;
}
