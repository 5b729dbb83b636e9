// Failures as the workspace surface words them: twelve codes, no host paths.
import { EngineError } from "@bosun/engine";
import type { EngineCode } from "@bosun/engine";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import type { FailedCall, KnownFailure } from "../../calls/known-failure.ts";
import { Refusal } from "../../calls/refusal.ts";
import { failed } from "./envelope.ts";
import type { WorkspaceCode } from "./envelope.ts";

export function explainWorkspace(error: KnownFailure, { tool }: FailedCall): ToolResult {
  if (error instanceof Refusal) {
    const { message, rule } = error.withoutHostPaths();
    return failed(refusalCode(error, tool), message, { rule });
  }
  if (!(error instanceof EngineError)) return failed("VALIDATION_ERROR", error.message);
  const code = error.code === "START_FAILED" ? startCode(error) : CODES[error.code];
  return failed(code, error.message, factsOf(error));
}

const CODES = {
  INVALID_INPUT: "VALIDATION_ERROR",
  INVALID_PATTERN: "VALIDATION_ERROR",
  INVALID_GLOB: "VALIDATION_ERROR",
  UNKNOWN_FILE_TYPE: "VALIDATION_ERROR",
  INVALID_PATH: "INVALID_PATH",
  OUTSIDE_SCOPE: "INVALID_PATH",
  PATH_DENIED: "INVALID_PATH",
  READ_ONLY: "INVALID_PATH",
  PROTECTED: "INVALID_PATH",
  LINK_LOOP: "INVALID_PATH",
  NOT_FOUND: "NOT_FOUND",
  NOT_FILE: "NOT_FILE",
  NOT_REGULAR: "NOT_FILE",
  NOT_DIRECTORY: "NOT_DIRECTORY",
  ALREADY_EXISTS: "ALREADY_EXISTS",
  DIRECTORY_NOT_EMPTY: "DIRECTORY_NOT_EMPTY",
  TOO_LARGE: "FILE_TOO_LARGE",
  BINARY_FILE: "NOT_FILE",
  RANGE_INVALID: "VALIDATION_ERROR",
  TEXT_NOT_FOUND: "PATTERN_NOT_FOUND",
  TEXT_AMBIGUOUS: "EDIT_CONFLICT",
  COUNT_DIFFERS: "EDIT_CONFLICT",
  NOT_VIEWED: "EDIT_CONFLICT",
  CHANGED_SINCE_VIEW: "EDIT_CONFLICT",
  CHANGED_ON_DISK: "EDIT_CONFLICT",
  EMPTY_COMMAND: "VALIDATION_ERROR",
  COMMAND_NOT_ALLOWED: "COMMAND_NOT_ALLOWED",
  COMMAND_UNPARSABLE: "COMMAND_NOT_ALLOWED",
  START_FAILED: "INTERNAL_ERROR",
  TASK_LIMIT: "INTERNAL_ERROR",
  TASK_NOT_FOUND: "NOT_FOUND",
  SESSION_CLOSED: "INTERNAL_ERROR",
  SANDBOX_UNAVAILABLE: "INTERNAL_ERROR",
  CANCELLED: "INTERNAL_ERROR",
  IO_ERROR: "INTERNAL_ERROR",
} satisfies Record<EngineCode, WorkspaceCode>;

function startCode({ details }: EngineError): WorkspaceCode {
  if (details.reason === "program" || details.reason === "cwd") return "NOT_FOUND";
  return details.reason === "argument" ? "VALIDATION_ERROR" : "INTERNAL_ERROR";
}

function refusalCode(refusal: Refusal, tool: string): WorkspaceCode {
  if (refusal.about === "path") return "INVALID_PATH";
  return tool === "run_command" ? "COMMAND_NOT_ALLOWED" : "INVALID_PATH";
}

/** Facts a program can act on; never a path of the host. */
function factsOf({ details }: EngineError): JsonObject {
  const { requested, occurrences, expected, bytes, maxBytes, command, nearest } = details;
  const facts: JsonObject = { path: requested, occurrences, expected, bytes, maxBytes, command, nearest };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}
