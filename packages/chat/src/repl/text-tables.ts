// Servers, tools and models as tables of text: the same for `:mcp …` and for `aish mcp …`. Everything foreign in them is
// safe for the screen.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { isDestructive } from "../approval/approval-policy.ts";
import { cutToWidth, widthOf } from "../screen/text-layout.ts";
import { safeLine } from "../screen/terminal-view.ts";
import { placeOf } from "../servers/server-config.ts";
import type { Server } from "../servers/mcp-server.ts";
import { displayName, wireName } from "../tools/tool-names.ts";
import type { ToolInfo } from "../tools/tool-info.ts";
import type { ChatState } from "../turn/chat-state.ts";

export function serverTable(servers: readonly Server[]): string[] {
  if (servers.length === 0) return ["no servers; :mcp connect <url> adds one"];
  const rows = servers.map((server) => {
    const isReady = server.state === "ready";
    const tokens = isReady ? `~${(toolChars(server) / 3500).toFixed(1)}k` : "-";
    return [
      server.alias,
      server.state === "connecting"
        ? "connecting…"
        : server.state === "off" && !server.config.enabled
          ? "disabled"
          : server.state,
      cutToWidth(safeLine(placeOf(server.config.reach)), 44),
      server.revision ?? "-",
      isReady ? String(server.tools.length) : "-",
      tokens,
      server.state === "failed"
        ? safeLine(server.reason, 60)
        : server.lastMs === undefined
          ? "-"
          : `${server.lastMs} ms`,
    ];
  });
  return table([["alias", "state", "where", "proto", "tools", "tokens", "last"], ...rows]);
}

export function toolTable(chat: ChatState, filter: string): string[] {
  const wanted = filter.trim().toLowerCase();
  const tools = chat.servers
    .tools()
    .filter((tool) => wanted === "" || `${displayName(tool)} ${tool.description}`.toLowerCase().includes(wanted))
    .sort((left, right) => (displayName(left) < displayName(right) ? -1 : 1));
  if (tools.length === 0) return [wanted === "" ? "no tools" : `no tool matches "${safeLine(filter)}"`];
  const rows = tools.map((tool) => {
    const first = tool.description.split("\n")[0] ?? "";
    return [safeLine(displayName(tool), 60), cutToWidth(safeLine(tool.title ?? first), 54), policyOf(chat, tool)];
  });
  return [...table(rows), `(${toolCount(tools.length)}; :mcp tool <name> for one of them)`];
}

/** `auto (…)`, `ask`, `never`. */
export function policyOf(chat: ChatState, tool: ToolInfo): string {
  const server = chat.servers.get(tool.alias);
  if (server === undefined) return "gone";
  const resolution = chat.approvalPolicy.decide(tool, server, {});
  const word = { allow: "auto", ask: "ask", deny: "never" }[resolution.kind];
  const by = resolution.kind === "allow" ? ` (${resolution.decision.rule.name})` : "";
  return `${word}${by}${isDestructive(tool, server) ? " · destructive" : ""}`;
}

/** `framed`: puts a server's own words behind a frame. */
export function toolCard(chat: ChatState, tool: ToolInfo, framed: (text: string) => string[]): string[] {
  const hint = (value: boolean | undefined): string => (value === undefined ? "not said" : value ? "yes" : "no");
  const { annotations: hints } = tool;
  const identity = chat.servers.get(tool.alias)?.identity ?? "";
  const diff = chat.definitionDiff(identity, tool.tool);
  const since = chat.definitionsSince(identity)?.slice(0, 10);
  const seen = since === undefined ? "" : ` (${diff === undefined ? "unchanged" : "changed"} since ${since})`;
  return [
    `${safeLine(displayName(tool))}   wire name ${wireName(tool)}   policy: ${policyOf(chat, tool)}   definition ${tool.definition.slice(0, 6)}${seen}`,
    ...framed(tool.description.split("\n").slice(0, 40).join("\n")),
    ...parameterLines(tool.schema),
    `hints (from the server, not verified): destructive ${hint(hints.destructive)}, read-only ${hint(hints.readOnly)}, idempotent ${hint(hints.idempotent)}, open world ${hint(hints.openWorld)}`,
    ...(diff === undefined ? [] : framed(diff)),
    ...framed(JSON.stringify(tool.schema, undefined, 2)),
  ];
}

function parameterLines(schema: JsonObject): string[] {
  const properties = isObject(schema["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const rows = Object.entries(properties).map(([name, value]) => {
    const one = isObject(value) ? value : {};
    const fallback = one["default"] === undefined ? "" : `default ${JSON.stringify(one["default"])} `;
    const said = typeof one["description"] === "string" ? one["description"] : "";
    const type = typeof one["type"] === "string" ? one["type"] : "any";
    return [
      `  ${safeLine(name, 40)}`,
      safeLine(type, 20),
      required.includes(name) ? "required" : "optional",
      safeLine(`${fallback}${said}`, 200),
    ];
  });
  return table(rows);
}

export function table(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) row.forEach((cell, at) => (widths[at] = Math.max(widths[at] ?? 0, widthOf(cell))));
  return rows.map((row) =>
    row
      .map((cell, at) => (at === row.length - 1 ? cell : cell + " ".repeat((widths[at] ?? 0) - widthOf(cell))))
      .join("  ")
      .trimEnd(),
  );
}

export function toolCount(many: number): string {
  return many === 1 ? "1 tool" : `${many} tools`;
}

function toolChars(server: Server): number {
  return JSON.stringify(server.tools.map(({ raw }) => raw)).length;
}
