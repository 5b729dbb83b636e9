// What Tab can make of the beginning of a line: commands of ours, and the names of tools and servers after them.
import type { Servers } from "../servers/servers.ts";
import { displayName } from "../tools/tool-names.ts";

const MCP_VERBS = "list tools tool call connect disconnect reconnect log save login logout".split(" ");
const TAKES_TOOL = /^(:(?:call|allow|ask|deny|mcp (?:tool|call)))\s+\S*$/;
const TAKES_SERVER = /^(:mcp (?:connect|disconnect|reconnect|log|save|login|logout))\s+\S*$/;

/** Whole lines that begin with this text. */
export function completions(text: string, names: Iterable<string>, servers: Servers): string[] {
  const beginsAlike = (lines: readonly string[]): string[] => lines.filter((line) => line.startsWith(text));
  const forTool = TAKES_TOOL.exec(text)?.[1];
  if (forTool !== undefined) return beginsAlike(servers.tools().map((tool) => `${forTool} ${displayName(tool)}`));
  const forServer = TAKES_SERVER.exec(text)?.[1];
  if (forServer !== undefined) return beginsAlike(servers.list().map(({ alias }) => `${forServer} ${alias}`));
  if (text.startsWith(":mcp ")) return beginsAlike(MCP_VERBS.map((verb) => `:mcp ${verb}`));
  return text.startsWith(":") ? beginsAlike([...names].map((name) => `:${name}`)) : [];
}
