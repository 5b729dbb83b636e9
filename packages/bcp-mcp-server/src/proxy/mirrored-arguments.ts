// `Mcp-Param-*` headers for a server that is reached over HTTP, from the schema of the tool that is called.
import { isObject } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import { headerParams, mirroredHeaders } from "@bosun/mcp/relay";
import type { ToolDefinition } from "@bosun/shrink";

export function mirroredArguments(
  tools: ReadonlyMap<string, ToolDefinition>,
  call: Call,
): [string, string][] | undefined {
  const schema = tools.get(String(call.params["name"]))?.inputSchema;
  if (!isObject(schema)) return undefined;
  try {
    return mirroredHeaders(headerParams(schema), call.params["arguments"]);
  } catch {
    return undefined; // the server will say what it thinks of its own schema
  }
}
