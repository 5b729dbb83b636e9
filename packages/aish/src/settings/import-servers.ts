// Other programs' lists of MCP servers (`.mcp.json`, `claude_desktop_config.json`, VS Code's) → servers of ours.
// Approvals in them are never taken over.
import { isObject } from "@bosun/mcp";
import type { JsonObject } from "@bosun/mcp";
import { httpUrl } from "@bosun/guard";
import type { Reach } from "../servers/server-config.ts";

export type Imported = { alias: string; reach: Reach; enabled: boolean; problem?: string };
export type ImportedList = { servers: Imported[]; notes: string[] };

type Env = Readonly<Record<string, string | undefined>>;

/** Throws when the text is not such a list. */
export function importServers(text: string, env: Env, aliasFor: (name: string) => string): ImportedList {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw new Error("it is not JSON", { cause: error });
  }
  const table = isObject(document) ? (document["mcpServers"] ?? document["servers"]) : undefined;
  if (!isObject(table)) throw new Error("it has no mcpServers");
  const list: ImportedList = { servers: [], notes: [] };
  for (const [name, entry] of Object.entries(table)) {
    if (!isObject(entry)) continue;
    list.servers.push(readEntry(aliasFor(name), entry, env));
    if (["autoApprove", "alwaysAllow", "trust"].some((key) => key in entry)) {
      const note = "approvals in other programs' lists are not taken over";
      if (!list.notes.includes(note)) list.notes.push(note);
    }
  }
  return list;
}

function readEntry(alias: string, entry: JsonObject, env: Env): Imported {
  const enabled = entry["disabled"] !== true && entry["enabled"] !== false;
  const missing = new Set<string>();
  const expand = (text: string): string => expanded(text, env, missing);
  const reach = reachOf(entry, expand);
  const unset = missing.size > 0 ? `the variable ${[...missing].join(", ")} is not set` : undefined;
  if (reach === undefined) {
    const empty: Reach = { kind: "stdio", command: "", args: [], env: {}, envPass: [] };
    return { alias, reach: empty, enabled: false, problem: unset ?? "neither a command nor a url" };
  }
  if (unset !== undefined) return { alias, reach, enabled: false, problem: unset };
  if (reach.kind === "http" && httpUrl(reach.url) === undefined) {
    return { alias, reach, enabled: false, problem: "its url is not an http address" };
  }
  return { alias, reach, enabled };
}

function reachOf(entry: JsonObject, expand: (text: string) => string): Reach | undefined {
  const url = [entry["url"], entry["httpUrl"], entry["serverUrl"]].find((one) => typeof one === "string");
  if (typeof url === "string") return { kind: "http", url: expand(url), headers: headersOf(entry["headers"], expand) };
  const { command } = entry;
  const words = Array.isArray(command) ? command.map(String) : typeof command === "string" ? [command] : [];
  const args = Array.isArray(entry["args"]) ? entry["args"].map(String) : [];
  const [program, ...first] = words.map(expand);
  if (program === undefined || program === "") return undefined;
  const given = entry["env"] ?? entry["environment"];
  const variables = isObject(given) ? given : {};
  const { cwd } = entry;
  return {
    kind: "stdio",
    command: program,
    args: [...first, ...args.map(expand)],
    env: Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, expand(String(value ?? ""))])),
    envPass: [],
    ...(typeof cwd === "string" ? { cwd: expand(cwd) } : {}),
  };
}

function headersOf(value: unknown, expand: (text: string) => string): Record<string, string> {
  if (isObject(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, expand(String(one ?? ""))]));
  }
  const lines = Array.isArray(value) ? value.map(String) : [];
  return Object.fromEntries(
    lines.flatMap((line) => {
      const colon = line.indexOf(":");
      return colon <= 0 ? [] : [[line.slice(0, colon).trim(), expand(line.slice(colon + 1).trim())]];
    }),
  );
}

// ${VAR} and ${VAR:-default}
function expanded(text: string, env: Env, missing: Set<string>): string {
  return text.replace(/\$\{(?:env:)?([A-Za-z_]\w*)(?::-([^}]*))?\}/g, (_, name: string, fallback?: string) => {
    const value = env[name];
    if (value !== undefined && value !== "") return value;
    if (fallback !== undefined) return fallback;
    missing.add(name);
    return "";
  });
}
