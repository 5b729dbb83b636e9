// A result of the shell surface: a one-line verdict, metadata as structured content, and both again under the names the
// specification of that surface uses (`is_error`, `metadata`), since a result may carry further members.
import type { JsonObject, ToolResult } from "@bosun/mcp/server";

export function verdict(
  line: string,
  { isError, metadata, blocks = [] }: { isError: boolean; metadata: JsonObject; blocks?: readonly string[] },
): ToolResult {
  const said = [line, ...blocks];
  const result: ToolResult & { is_error: boolean; metadata: JsonObject } = {
    content: said.map((text) => ({ type: "text", text })),
    structuredContent: metadata,
    is_error: isError,
    metadata,
  };
  return isError ? { ...result, isError: true } : result;
}
