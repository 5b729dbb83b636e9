// The command line of the proxy → its options, parsed once.
import path from "node:path";
import type { ToolCompression } from "@bosun/shrink";
import { UsageError } from "../config.ts";
import type { ServerSpec } from "./downstream.ts";

export type ProxyConfig = {
  server: ServerSpec;
  compressTools: ToolCompression;
  budget: number | undefined;
  threshold: number | undefined;
  timeoutMs: number;
  /** Serve clients over HTTP on this loopback port instead of stdio. */
  listen: number | undefined;
  stats: boolean;
};

export const PROXY_HELP = `bosun proxy: any MCP server in fewer tokens, without losing a byte

Usage: bosun proxy [options] -- command args…
       bosun proxy [options] --url https://server/mcp

Options:
  --compress-tools LEVEL   off (default), light or full: shorter tool descriptions; describe_tool has the full ones
  --budget N               at most N tokens per text: head and tail, the rest on demand (read_original)
  --detect-threshold N     how sure a fold must be of what it sees, 0 to 1 (default 0.7, or BCP_DETECT_THRESHOLD)
  --timeout SECONDS        silence after which a call has failed (default 600)
  --listen PORT            serve over HTTP on 127.0.0.1:PORT/mcp instead of stdio
  --stats                  what was saved, on stderr, at the end
  --help                   this text

Example: put it in front of the official filesystem server
  bosun proxy -- npx -y @modelcontextprotocol/server-filesystem .

In a client's configuration:
  { "mcpServers": { "files": { "command": "bosun",
      "args": ["proxy", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."] } } }
`;

const VALUED = [
  "--url",
  "--compress-tools",
  "--budget",
  "--detect-threshold",
  "--timeout",
  "--listen",
  "--mode",
  "--downstream-command",
  "--downstream-args",
  "--render-mode",
];

export function parseProxyConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ProxyConfig {
  const dashes = argv.indexOf("--");
  const words = dashes === -1 ? argv : argv.slice(0, dashes);
  const rest = dashes === -1 ? [] : argv.slice(dashes + 1);
  const given = new Map<string, string>();
  let stats = false;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    if (word === "--stats") stats = true;
    else if (!VALUED.includes(word))
      throw new UsageError(`unknown option ${word}: the server's command comes after --`);
    else if (words[at + 1] === undefined) throw new UsageError(`${word} needs a value`);
    else given.set(word, words[++at] ?? "");
  }
  const threshold = given.get("--detect-threshold") ?? env["BCP_DETECT_THRESHOLD"];
  const budget = given.get("--budget");
  const listen = given.get("--listen");
  return {
    server: serverOf(given, rest),
    compressTools: levelOf(given.get("--compress-tools") ?? "off"),
    budget: budget === undefined ? undefined : number("--budget", budget, 1, 10_000_000),
    threshold: threshold === undefined ? undefined : number("--detect-threshold", threshold, 0, 1),
    timeoutMs: number("--timeout", given.get("--timeout") ?? "600", 1, 1_000_000) * 1000,
    listen: listen === undefined ? undefined : number("--listen", listen, 0, 65_535),
    stats,
  };
}

function serverOf(given: ReadonlyMap<string, string>, rest: readonly string[]): ServerSpec {
  const url = given.get("--url");
  const command = given.get("--downstream-command") ?? rest[0];
  if (url !== undefined && command !== undefined) throw new UsageError("either --url or a command, not both");
  if (url !== undefined) return { kind: "url", name: hostOf(url), url: new URL(url) };
  if (command === undefined) throw new UsageError("which server? Its command comes after --, or name it with --url");
  // Commas part the arguments in the configurations that name --downstream-args.
  const args = given.has("--downstream-command") ? (given.get("--downstream-args")?.split(",") ?? []) : rest.slice(1);
  return { kind: "command", name: path.basename(command), command, args };
}

function hostOf(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    if (protocol === "http:" || protocol === "https:") return host;
  } catch {
    // said below
  }
  throw new UsageError(`--url must be an http or https address, got ${JSON.stringify(url)}`);
}

function levelOf(level: string): ToolCompression {
  if (level === "off" || level === "light" || level === "full") return level;
  throw new UsageError(`--compress-tools must be off, light or full; got ${JSON.stringify(level)}`);
}

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= min && value <= max)) {
    throw new UsageError(`${name} must be a number from ${min} to ${max}, got ${JSON.stringify(text)}`);
  }
  return value;
}
