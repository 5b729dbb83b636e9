// Which tools of a server the model may see at all: what its settings choose, less what the rules deny anyway.
import { judge } from "@bosun/policy";
import type { Policy, ToolName } from "@bosun/policy";
import type { ServerSettings } from "./settings-table.ts";

export function isOffered(policy: Policy, server: Pick<ServerSettings, "tools">, name: ToolName): boolean {
  const { allow, deny } = server.tools;
  if (deny.some((pattern) => matches(pattern, name.tool))) return false;
  if (allow.length > 0 && !allow.some((pattern) => matches(pattern, name.tool))) return false;
  // Without arguments only a rule about the tool itself can deny: what it says holds for every call.
  return judge(policy, { tool: name }).verdict !== "deny";
}

function matches(pattern: string, tool: string): boolean {
  return pattern.endsWith("*") ? tool.startsWith(pattern.slice(0, -1)) : tool === pattern;
}
