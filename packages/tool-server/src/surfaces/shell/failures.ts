// Failures as the shell surface words them: one clear sentence, and metadata with the reason (reference §2.10).
import { EngineError } from "@bosun/engine";
import { isObject } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import type { KnownFailure } from "../../known-failure.ts";
import { Refusal } from "../../refusal.ts";
import { verdict } from "./verdict.ts";

export function explainShell(error: KnownFailure, _tool: string, args: unknown): ToolResult {
  const { command, working_directory } = isObject(args) ? args : {};
  const metadata: JsonObject = {
    ...(typeof command === "string" ? { command } : {}),
    ...(typeof working_directory === "string" ? { working_directory } : {}),
    reason: reasonOf(error),
  };
  return verdict(sentence(error), { isError: true, metadata });
}

function sentence(error: KnownFailure): string {
  if (error instanceof Refusal) return `Command refused: ${error.message}`;
  if (!(error instanceof EngineError)) return `Invalid arguments: ${error.message}`;
  if (error.code === "START_FAILED" && error.details.reason === "cwd")
    return `Invalid working directory: ${error.message}`;
  const start = error.message.slice(0, 1).toUpperCase();
  return `${start}${error.message.slice(1)}`;
}

function reasonOf(error: KnownFailure): string {
  if (error instanceof Refusal) return error.kind;
  if (!(error instanceof EngineError)) return "invalid_arguments";
  return error.details.reason === undefined
    ? error.code.toLowerCase()
    : `${error.code.toLowerCase()}: ${error.details.reason}`;
}
