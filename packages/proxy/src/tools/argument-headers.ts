// `Mcp-Param-*` headers (2026-07-28), from the schema of the tool that is called: added for a server that is reached over
// HTTP, checked for a client that comes over HTTP, because a server behind stdio never sees them.
import { isObject } from "@bosun/mcp/server";
import type { Call } from "@bosun/mcp/server";
import { checkHeaderParams, headerParams, mirroredHeaders } from "@bosun/mcp/relay";
import type { ToolDefinition } from "@bosun/shrink";

export function argumentHeaders(
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

/** Throws when the headers do not say what the arguments say. */
export function checkArgumentHeaders(tools: ReadonlyMap<string, ToolDefinition>, call: Call): void {
  const schema = call.header ? tools.get(String(call.params["name"]))?.inputSchema : undefined;
  if (!call.header || !isObject(schema)) return;
  let params: ReturnType<typeof headerParams>;
  try {
    params = headerParams(schema);
  } catch {
    return; // a tool that breaks the rules cannot be checked
  }
  checkHeaderParams(params, call.params["arguments"], call.header);
}
