// Failures as the coding surface words them: `[CODE] message`, one text block.
import { EngineError } from "@bosun/engine";
import type { EngineCode } from "@bosun/engine";
import { failure } from "@bosun/mcp/server";
import type { ToolResult } from "@bosun/mcp/server";
import type { FailedCall, KnownFailure } from "../../calls/known-failure.ts";
import { Refusal } from "../../calls/refusal.ts";

export function explainCoding(error: KnownFailure, { tool }: FailedCall): ToolResult {
  if (error instanceof Refusal) return coded("ACCESS_DENIED", error.message);
  // `arguments.path is required` is about `path`; `arguments has an unknown property` is about them all.
  if (!(error instanceof EngineError)) return coded("INVALID_INPUT", error.message.replace(/^arguments\./, ""));
  const [code, word] = WORDS[error.code];
  return coded(typeof code === "string" ? code : code(error, tool), word(error, tool));
}

export function coded(code: CodingCode, message: string): ToolResult {
  return failure(`[${code}] ${message}`);
}

export type CodingCode =
  | "INVALID_INPUT"
  | "PATH_NOT_FOUND"
  | "ACCESS_DENIED"
  | "FILE_TOO_LARGE"
  | "IO_ERROR"
  | "BASH_EMPTY_COMMAND"
  | "BASH_START_FAILED"
  | "BASH_TASK_LIMIT"
  | "BASH_TASK_NOT_FOUND"
  | "STR_REPLACE_NOT_FOUND"
  | "STR_REPLACE_AMBIGUOUS"
  | "FILE_NOT_VIEWED"
  | "GREP_INVALID_PATTERN"
  | "GREP_INVALID_OUTPUT_MODE"
  | "GLOB_INVALID_PATTERN"
  | "GLOB_INVALID_TYPE";

type Word = (error: EngineError, tool: string) => string;
type CodeOf = CodingCode | ((error: EngineError, tool: string) => CodingCode);

const asSaid: Word = (error) => error.message;
// Searches name paths as they were written; the file tools name the real one.
const place = ({ details }: EngineError, tool: string): string =>
  (tool === "grep" ? details.requested : details.path) ?? details.requested ?? "path";
const denied =
  (why: Word): Word =>
  (error, tool) =>
    `path not allowed: access denied: path "${error.details.path ?? place(error, tool)}" ${why(error, tool)}`;
const viewFirst: Word = (error, tool) =>
  `file ${place(error, tool)} must be viewed before ${overwrites(error, tool) ? "overwriting" : "editing"}. Use the view tool first.`;

const WORDS = {
  INVALID_INPUT: [
    "INVALID_INPUT",
    (error, tool) => (isEmptyFind(error, tool) ? "old_str must not be empty" : error.message),
  ],
  INVALID_PATTERN: [
    "GREP_INVALID_PATTERN",
    ({ message }) => (message.startsWith("invalid regex pattern") ? message : `invalid regex pattern: ${message}`),
  ],
  INVALID_GLOB: [(_, tool) => (tool === "glob" ? "GLOB_INVALID_PATTERN" : "INVALID_INPUT"), asSaid],
  UNKNOWN_FILE_TYPE: ["INVALID_INPUT", ({ message }) => `invalid file type: ${message}`],
  INVALID_PATH: ["INVALID_INPUT", asSaid],
  OUTSIDE_SCOPE: ["ACCESS_DENIED", denied(() => "is outside allowed directories")],
  PATH_DENIED: ["ACCESS_DENIED", denied(({ details }) => `matches deny pattern "${details.pattern}"`)],
  READ_ONLY: ["ACCESS_DENIED", denied(({ details }) => `is read-only (pattern "${details.pattern}")`)],
  PROTECTED: ["ACCESS_DENIED", asSaid],
  LINK_LOOP: ["INVALID_INPUT", asSaid],
  NOT_FOUND: ["PATH_NOT_FOUND", (error, tool) => `${place(error, tool)} does not exist`],
  NOT_FILE: ["INVALID_INPUT", (error, tool) => `${place(error, tool)} is a directory`],
  NOT_REGULAR: ["INVALID_INPUT", (error, tool) => `${place(error, tool)} is not a regular file`],
  // A file in the middle of a path: then the path itself does not exist.
  NOT_DIRECTORY: [({ details }) => (details.reason === "file-on-the-way" ? "PATH_NOT_FOUND" : "INVALID_INPUT"), asSaid],
  ALREADY_EXISTS: ["INVALID_INPUT", asSaid],
  DIRECTORY_NOT_EMPTY: ["INVALID_INPUT", asSaid],
  TOO_LARGE: ["FILE_TOO_LARGE", tooLarge],
  BINARY_FILE: ["INVALID_INPUT", (error, tool) => `${place(error, tool)} is a binary file, not text`],
  RANGE_INVALID: ["INVALID_INPUT", rangeInvalid],
  TEXT_NOT_FOUND: ["STR_REPLACE_NOT_FOUND", notFound],
  TEXT_AMBIGUOUS: ["STR_REPLACE_AMBIGUOUS", ambiguous],
  COUNT_DIFFERS: ["STR_REPLACE_AMBIGUOUS", ambiguous],
  NOT_VIEWED: ["FILE_NOT_VIEWED", viewFirst],
  CHANGED_SINCE_VIEW: [
    "FILE_NOT_VIEWED",
    (error, tool) => `file ${place(error, tool)} changed on disk since it was viewed. Use the view tool first.`,
  ],
  CHANGED_ON_DISK: ["IO_ERROR", asSaid],
  EMPTY_COMMAND: ["BASH_EMPTY_COMMAND", () => "command must not be empty"],
  COMMAND_NOT_ALLOWED: ["ACCESS_DENIED", asSaid],
  COMMAND_UNPARSABLE: ["ACCESS_DENIED", asSaid],
  START_FAILED: ["BASH_START_FAILED", startFailed],
  TASK_LIMIT: ["BASH_TASK_LIMIT", asSaid],
  TASK_NOT_FOUND: ["BASH_TASK_NOT_FOUND", asSaid],
  SESSION_CLOSED: ["BASH_TASK_LIMIT", asSaid],
  SANDBOX_UNAVAILABLE: ["BASH_START_FAILED", startFailed],
  CANCELLED: ["IO_ERROR", asSaid],
  IO_ERROR: ["IO_ERROR", ioError],
} satisfies Record<EngineCode, readonly [CodeOf, Word]>;

function tooLarge(error: EngineError, tool: string): string {
  const { what, bytes, maxBytes } = error.details;
  if (what === "content") return `content is ${bytes} bytes, exceeds maximum ${maxBytes} bytes`;
  if (what !== "file") return error.message;
  const suffix = tool === "grep" ? " for multiline grep" : "";
  return `file ${place(error, tool)} is ${bytes} bytes, exceeds maximum ${maxBytes} bytes${suffix}`;
}

function rangeInvalid(error: EngineError, tool: string): string {
  const { start, totalLines } = error.details;
  if (totalLines === undefined) return error.message;
  return `invalid view_range: start ${start} exceeds total lines ${totalLines} in ${place(error, tool)}`;
}

function notFound(error: EngineError, tool: string): string {
  const { nearest } = error.details;
  return `old_str not found in ${place(error, tool)}${nearest === undefined ? "" : `\n\n${nearest}`}`;
}

function ambiguous(error: EngineError, tool: string): string {
  const { occurrences } = error.details;
  return `found ${occurrences} occurrences in ${place(error, tool)}; match must be unique (use replace_all to replace all)`;
}

function startFailed({ message, details }: EngineError): string {
  // A directory that is gone has a sentence of its own, with the way out in it.
  if (details.reason === "cwd" && message.includes("reset to")) return message;
  return message.startsWith("could not start command") ? message : `could not start command: ${message}`;
}

function ioError(error: EngineError, tool: string): string {
  const { path, requested } = error.details;
  return path === undefined || requested === undefined
    ? error.message
    : error.message.replace(requested, place(error, tool));
}

function isEmptyFind(error: EngineError, tool: string): boolean {
  return error.details.reason === "empty" && tool.startsWith("str_replace");
}

function overwrites(error: EngineError, tool: string): boolean {
  return tool === "create_file" || error.details.operation === "overwrite";
}
