// Errors → what the model is told, in the shape and the codes of the surface it called. The only place that words them.
import { EngineError } from "@bosun/engine";
import { failure, InvalidArguments } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { Surface } from "./config.ts";
import type { KnownFailure } from "./known-failure.ts";
import { Refusal } from "./refusal.ts";
import { explainCoding } from "./surfaces/coding/failures.ts";
import { explainShell } from "./surfaces/shell/failures.ts";
import { explainWorkspace } from "./surfaces/workspace/failures.ts";

const BY_SURFACE = {
  coding: explainCoding,
  workspace: explainWorkspace,
  shell: explainShell,
  bcp: ({ message }, tool) => failure(`${tool}: ${message}`),
} satisfies Record<Surface, (failure: KnownFailure, tool: string, args: unknown) => ToolResult>;

/** `args` as they were sent: a surface may repeat some of them. */
export function explainOn(surface: Surface, error: unknown, tool: string, args: unknown): ToolResult | undefined {
  const known = error instanceof EngineError || error instanceof InvalidArguments || error instanceof Refusal;
  return known ? BY_SURFACE[surface](error, tool, args) : undefined;
}
