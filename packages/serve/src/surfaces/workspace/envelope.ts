// The one form in which the workspace tools answer: a JSON envelope in one text block.
import { EncodedText } from "@bosun/mcp/server";
import type { JsonObject, ToolResult } from "@bosun/mcp/server";
import { escapedPieces } from "../json-escape.ts";

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

/** The same with a long text, as UTF-8, in that member. */
export function succeededWithText(data: JsonObject, member: string, text: Buffer): ToolResult {
  const whole = JSON.stringify({ ok: true, data: { ...data, [member]: "" } });
  const key = `${JSON.stringify(member)}:"`;
  const at = whole.indexOf(`${key}"`) + key.length;
  const pieces = function* (): Generator<Uint8Array> {
    yield* escapedPieces(Buffer.from(whole.slice(0, at)));
    yield* escapedPieces(text, true);
    yield* escapedPieces(Buffer.from(whole.slice(at)));
  };
  return { content: [new EncodedText(text.length + whole.length, pieces)] };
}

/** `isError` too: the envelope says it already, but this is what MCP clients look at. */
export function failed(code: WorkspaceCode, message: string, details: JsonObject = {}): ToolResult {
  const text = JSON.stringify({ ok: false, error: { code, message, details } });
  return { content: [{ type: "text", text }], isError: true };
}

/** A word beside the data: the envelope stays the one block it is. */
export function withWarning(result: ToolResult, warning: string): ToolResult {
  const [block] = result.content;
  if (block?.type !== "text") return result;
  const envelope = JSON.parse(block.text) as JsonObject;
  const { warning: earlier } = envelope;
  const both = typeof earlier === "string" ? `${earlier}\n${warning}` : warning;
  return { ...result, content: [{ type: "text", text: JSON.stringify({ ...envelope, warning: both }) }] };
}
