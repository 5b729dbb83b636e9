// Errors → what the model is told, in the shape and the codes of the surface it called. The only place that words them.
import { EngineError } from "@bosun/engine";
import { failure, InvalidArguments, isObject } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { Surface } from "../config/config.ts";
import type { FailedCall, KnownFailure } from "./known-failure.ts";
import { Refusal } from "./refusal.ts";
import { explainCoding } from "../surfaces/coding/coding-failures.ts";
import { explainShell } from "../surfaces/shell/shell-failures.ts";
import { withWarning } from "../surfaces/workspace/envelope.ts";
import { explainWorkspace } from "../surfaces/workspace/workspace-failures.ts";

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

/** The audit log cannot be written, so the call was not made: to the caller that is a fault of the machine. */
export function explainUnrecorded(surface: Surface, why: string, failed: FailedCall): ToolResult {
  // The workspace surface names no path of the host, and these messages do.
  const said = surface === "workspace" ? "what the server keeps about its calls cannot be used" : why;
  return BY_SURFACE[surface](new EngineError("IO_ERROR", `nothing was done: ${said}`), failed);
}

/** It was made, and only then could not be recorded: the result stands, with a word on that. */
export function withUnrecordedNote(surface: Surface, why: string, result: ToolResult): ToolResult {
  if (surface === "workspace") return withWarning(result, "this was done, but it is not on record yet");
  const note = { type: "text" as const, text: `This was done, but it is not on record yet: ${why}` };
  return { ...result, content: [...result.content, note] };
}

export function explainOn(surface: Surface, error: unknown, failed: FailedCall): ToolResult | undefined {
  const known = error instanceof EngineError || error instanceof InvalidArguments || error instanceof Refusal;
  return known ? BY_SURFACE[surface](error, failed) : undefined;
}

/** The word for a failure that its surface gave the caller; undefined where it only says how a command ended. */
export function codeOf(surface: Surface, { content: [first], structuredContent }: ToolResult): string | undefined {
  const reason = isObject(structuredContent) ? structuredContent["reason"] : undefined;
  if (surface === "shell") return typeof reason === "string" ? reason : undefined;
  if (first?.type !== "text") return undefined;
  const words = surface === "workspace" ? /^\{"ok":false,"error":\{"code":"([A-Z_]+)"/ : /^\[([A-Z_]+)\] /;
  return words.exec(first.text)?.[1];
}
