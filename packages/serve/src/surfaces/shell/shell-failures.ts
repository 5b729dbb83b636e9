// Failures as the shell surface words them: one clear sentence, and metadata with the reason.
import { EngineError } from "@bosun/engine";
import type { EngineCode } from "@bosun/engine";
import { isObject } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import type { FailedCall, KnownFailure } from "../../calls/known-failure.ts";
import { Refusal } from "../../calls/refusal.ts";
import { verdict } from "./shell-result.ts";

export function explainShell(error: KnownFailure, { args, workdir }: FailedCall): ToolResult {
  const { command, working_directory } = isObject(args) ? args : {};
  const metadata: JsonObject = {
    command: typeof command === "string" ? command : "",
    working_directory: typeof working_directory === "string" ? working_directory : workdir,
    reason: reasonOf(error),
  };
  return verdict(sentence(error), { isError: true, metadata });
}

function sentence(error: KnownFailure): string {
  if (error instanceof Refusal) return `Command refused: ${error.message}`;
  if (!(error instanceof EngineError)) return `Invalid arguments: ${error.message}`;
  if (isAboutDirectory(error)) return `Invalid working directory: ${error.message.replace(/^invalid path: /, "")}`;
  const start = error.message.slice(0, 1).toUpperCase();
  return `${start}${error.message.slice(1)}`;
}

/** The only path this tool takes. */
function isAboutDirectory({ code, details }: EngineError): boolean {
  return PATH_CODES.has(code) || (code === "START_FAILED" && details.reason === "cwd");
}

const PATH_CODES: ReadonlySet<EngineCode> = new Set<EngineCode>([
  "INVALID_PATH",
  "OUTSIDE_SCOPE",
  "PATH_DENIED",
  "LINK_LOOP",
  "NOT_FOUND",
  "NOT_DIRECTORY",
]);

function reasonOf(error: KnownFailure): string {
  if (error instanceof Refusal) return error.kind;
  if (!(error instanceof EngineError)) return "invalid_arguments";
  return error.details.reason === undefined
    ? error.code.toLowerCase()
    : `${error.code.toLowerCase()}: ${error.details.reason}`;
}
