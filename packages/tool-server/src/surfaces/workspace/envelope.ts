// The one form in which the workspace tools answer: a JSON envelope in one text block (reference §2.0).
import type { JsonObject, ToolResult } from "@bosun/mcp/server";

export type WorkspaceCode =
  | "VALIDATION_ERROR"
  | "INVALID_PATH"
  | "NOT_FOUND"
  | "NOT_FILE"
  | "NOT_DIRECTORY"
  | "ALREADY_EXISTS"
  | "DIRECTORY_NOT_EMPTY"
  | "FILE_TOO_LARGE"
  | "PATTERN_NOT_FOUND"
  | "EDIT_CONFLICT"
  | "COMMAND_NOT_ALLOWED"
  | "INTERNAL_ERROR";

export function succeeded(data: JsonObject): ToolResult {
  return { content: [{ type: "text", text: JSON.stringify({ ok: true, data }) }] };
}

/** `isError` too: the seed does not speak of it, but it is what MCP clients look at. */
export function failed(code: WorkspaceCode, message: string, details: JsonObject = {}): ToolResult {
  const text = JSON.stringify({ ok: false, error: { code, message, details } });
  return { content: [{ type: "text", text }], isError: true };
}

/** A word beside the data: the envelope stays the one block it is. */
export function withWarning(result: ToolResult, warning: string): ToolResult {
  const [block] = result.content;
  if (block?.type !== "text") return result;
  const envelope = JSON.parse(block.text) as JsonObject;
  return { ...result, content: [{ type: "text", text: JSON.stringify({ ...envelope, warning }) }] };
}
