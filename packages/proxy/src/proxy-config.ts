// The command line of the proxy → its options, parsed once.
import path from "node:path";
import type { Mode } from "@bosun/bcp";
import { wholeEnvironment } from "@bosun/platform/environment";
import type { ToolCompression } from "@bosun/shrink";
import { UsageError } from "@bosun/platform/flags";
import { LOG_LEVELS } from "@bosun/platform/log";
import type { LogLevel } from "@bosun/platform/log";
import type { ServerSpec } from "./downstream.ts";

export type ProxyConfig = {
  /** One server, or a file that names several. */
  server: ServerSpec | { kind: "file"; file: string };
  namespace: boolean;
  pins: boolean;
  /** The tools for .bcp files beside the server's own. */
  bcpTools: boolean;
  /** Folders that those may touch; none means all. */
  allowDirs: readonly string[];
  compressTools: ToolCompression;
  budget: number | undefined;
  threshold: number | undefined;
  /** Absent: results leave as text, folded. */
  emitBcp: Mode | undefined;
  record: string | undefined;
  timeoutMs: number;
  /** Serve clients over HTTP on this loopback port instead of stdio. */
  listen: number | undefined;
  maxClients: number;
  stats: boolean;
  logLevel: LogLevel;
};

export const PROXY_HELP = `bosun proxy: any MCP server in fewer tokens, without losing a byte

Usage: bosun proxy [options] -- command args…
       bosun proxy [options] --url https://server/mcp
       bosun proxy [options] --servers FILE
       bosun proxy pins [show|accept|forget] [server]
       bosun proxy stats [--json|--reset]

Options:
  --header 'NAME: VALUE'   sent to --url with every request, repeatable; \${VAR} stands for a variable, so that no secret
                           is on a command line
  --servers FILE           several servers behind one proxy: a JSON file with mcpServers, such as .mcp.json
  --namespace              every name as alias__name; otherwise only names that two servers share
  --pins on|off            hold back tools that changed since they were accepted (default on; bosun proxy pins)
  --bcp-tools on|off       read_bcp_file, inspect_bcp_file and encode_bcp_file beside the server's own tools (default
                           off; on where the server is named by --downstream-command)
  --allow-dir DIR          only .bcp files under DIR may be touched, repeatable (default: all)
  --compress-tools LEVEL   off (default), light or full: shorter tool descriptions; describe_tool has the full ones
  --budget N               at most N tokens per text: head and tail, the rest on demand (read_original)
  --detect-threshold N     how sure a fold must be of what it sees, 0 to 1 (default 0.7, or BCP_DETECT_THRESHOLD)
  --emit text|bcp          bcp: results as rendered BCP blocks where that is fewer tokens (default text: folded)
  --render-mode MODE       xml, markdown or minimal (default xml, or BCP_RENDER_MODE); implies --emit bcp
  --record FILE.bcp        the results of the session as a BCP payload, written at the end
  --timeout SECONDS        silence after which a call has failed (default 600)
  --listen PORT            serve over HTTP on 127.0.0.1:PORT/mcp instead of stdio
  --max-clients N          clients at once with --listen; each has its own servers (default 32)
  --stats                  what was saved, on stderr, at the end (bosun proxy stats sums up all sessions)
  --help                   this text

Example: put it in front of the official filesystem server
  bosun proxy -- npx -y @modelcontextprotocol/server-filesystem .

In a client's configuration:
  { "mcpServers": { "files": { "command": "bosun",
      "args": ["proxy", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."] } } }
`;

const VALUED = [
  "--url",
  "--header",
  "--servers",
  "--pins",
  "--bcp-tools",
  "--allow-dir",
  "--compress-tools",
  "--budget",
  "--detect-threshold",
  "--emit",
  "--render-mode",
  "--record",
  "--timeout",
  "--listen",
  "--max-clients",
  "--mode",
  "--downstream-command",
  "--downstream-args",
];
const REPEATED = ["--header", "--allow-dir"];
const SWITCHES = ["--stats", "--namespace"];
/** What says that something was left out, and where it is, takes 31 tokens itself. */
const MIN_BUDGET = 50;

type Env = Readonly<Record<string, string | undefined>>;
type Given = ReadonlyMap<string, string>;
type Lists = ReadonlyMap<string, readonly string[]>;

export function parseProxyConfig(argv: readonly string[], env: Env): ProxyConfig {
  const dashes = argv.indexOf("--");
  const rest = dashes === -1 ? [] : argv.slice(dashes + 1);
  const { given, lists, switches } = readWords(dashes === -1 ? argv : argv.slice(0, dashes));
  const { flag, value: threshold } = flagOr("--detect-threshold", given, "BCP_DETECT_THRESHOLD", env);
  const budget = given.get("--budget");
  const listen = given.get("--listen");
  // Configurations of this form expect the tools of the package, too.
  const isAsSpecified = given.has("--downstream-command");
  const bcpTools =
    oneOf("--bcp-tools", given.get("--bcp-tools") ?? (isAsSpecified ? "on" : "off"), ["on", "off"]) === "on";
  const allowDirs = lists.get("--allow-dir") ?? [];
  // It bounds no server, and nobody should believe that it does.
  if (allowDirs.length > 0 && !bcpTools)
    throw new UsageError("--allow-dir goes with --bcp-tools on: it says which .bcp files may be touched");
  return {
    server: serverOf(given, lists, rest, env),
    namespace: switches.has("--namespace"),
    pins: oneOf("--pins", given.get("--pins") ?? "on", ["on", "off"]) === "on",
    bcpTools,
    allowDirs,
    compressTools: oneOf("--compress-tools", given.get("--compress-tools") ?? "off", ["off", "light", "full"]),
    budget: budget === undefined ? undefined : whole("--budget", budget, MIN_BUDGET, 10_000_000),
    threshold: threshold === undefined ? undefined : number(flag, threshold, 0, 1),
    emitBcp: emissionOf(given, env),
    record: given.get("--record"),
    timeoutMs: number("--timeout", given.get("--timeout") ?? "600", 1, 1_000_000) * 1000,
    listen: listen === undefined ? undefined : whole("--listen", listen, 0, 65_535),
    maxClients: whole("--max-clients", given.get("--max-clients") ?? "32", 1, 10_000),
    stats: switches.has("--stats"),
    logLevel: oneOf("BCP_LOG_LEVEL", env["BCP_LOG_LEVEL"] ?? "info", LOG_LEVELS),
  };
}

/** What was typed or, without it, a variable; and what to call it when it is wrong. */
function flagOr(flag: string, given: Given, variable: string, env: Env): { flag: string; value: string | undefined } {
  const typed = given.get(flag);
  return typed === undefined ? { flag: variable, value: env[variable] } : { flag, value: typed };
}

function readWords(words: readonly string[]): { given: Given; lists: Lists; switches: ReadonlySet<string> } {
  const given = new Map<string, string>();
  const lists = new Map<string, string[]>();
  const switches = new Set<string>();
  for (let at = 0; at < words.length; at++) {
    const [, word = "", inline] = /^(--[^=]*)=(.*)$/s.exec(words[at] ?? "") ?? [words[at], words[at]];
    if (SWITCHES.includes(word) && inline === undefined) switches.add(word);
    else if (!VALUED.includes(word))
      throw new UsageError(`unknown option ${words[at]}: the server's command comes after --`);
    else {
      const value = inline ?? words[++at];
      if (value === undefined) throw new UsageError(`${word} needs a value`);
      if (REPEATED.includes(word)) lists.set(word, [...(lists.get(word) ?? []), value]);
      else given.set(word, value);
    }
  }
  return { given, lists, switches };
}

function serverOf(given: Given, lists: Lists, rest: readonly string[], env: Env): ProxyConfig["server"] {
  const url = given.get("--url");
  const file = given.get("--servers");
  const named = given.get("--downstream-command");
  const command = named ?? rest[0];
  if ([url, file, named, rest[0]].filter((one) => one !== undefined).length > 1)
    throw new UsageError("one of --url, --servers or a command, not several");
  if (named === undefined && given.has("--downstream-args"))
    throw new UsageError("--downstream-args goes with --downstream-command");
  const headers = lists.get("--header") ?? [];
  if (headers.length > 0 && url === undefined)
    throw new UsageError("--header goes with --url; servers of a file have their own headers there");
  if (file !== undefined) return { kind: "file", file };
  if (url !== undefined) return { kind: "url", name: hostOf(url), url: new URL(url), headers: headersOf(headers, env) };
  if (command === undefined)
    throw new UsageError("which server? Its command comes after --, or name it with --url or --servers");
  // Commas part the arguments in the configurations that name --downstream-args.
  const words = given.get("--downstream-args") ?? "";
  const args = named === undefined ? rest.slice(1) : words === "" ? [] : words.split(",");
  // A client's configuration sets variables for the server it names, and we stand in its place: they are meant for the
  // server behind us.
  return { kind: "command", name: nameOf(command, args), command, args, env: wholeEnvironment(env) };
}

function headersOf(lines: readonly string[], env: Env): Record<string, string> {
  const headers = new Headers();
  for (const line of lines) {
    // The value may be a secret: what is wrong with a line is said without it.
    const [, name = "", value] = /^([^:]+):(.*)$/s.exec(line) ?? [];
    if (value === undefined) throw new UsageError("--header must be of the form 'Name: value'");
    try {
      headers.append(name.trim(), expanded(value, env).trim());
    } catch (error) {
      if (error instanceof UsageError) throw error;
      throw new UsageError(`--header ${JSON.stringify(name)}: that cannot stand in a header`);
    }
  }
  return Object.fromEntries(headers);
}

function expanded(text: string, env: Env): string {
  return text.replace(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g, (_, name: string) => {
    const value = env[name];
    if (value === undefined) throw new UsageError(`--header: the variable ${name} is not set`);
    return value;
  });
}

/** What a person would call it: not the runner, but what it runs. */
function nameOf(command: string, args: readonly string[]): string {
  const runner = path.basename(command).replace(/\.exe$/, "");
  const isRunner = ["npx", "uvx", "node", "bun", "bunx", "deno", "python", "python3", "docker"].includes(runner);
  const script = isRunner ? args.find((word) => !word.startsWith("-") && word !== "run") : undefined;
  const name = script === undefined ? runner : path.basename(script).replace(/\.(?:[cm]?[jt]s|py)$/, "");
  return name.replace(/@[^@]*$/, "").replace(/[^A-Za-z0-9._-]+/g, "-") || runner;
}

function emissionOf(given: Given, env: Env): Mode | undefined {
  const asked = given.get("--render-mode");
  const { flag, value = "xml" } = flagOr("--render-mode", given, "BCP_RENDER_MODE", env);
  const emit = oneOf("--emit", given.get("--emit") ?? (asked === undefined ? "text" : "bcp"), ["text", "bcp"]);
  const mode = oneOf(flag, value, ["xml", "markdown", "minimal"]);
  return emit === "bcp" ? mode : undefined;
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

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((one) => one === value);
  if (found !== undefined) return found;
  throw new UsageError(
    `${name} must be ${known.slice(0, -1).join(", ")} or ${known.at(-1)}; got ${JSON.stringify(value)}`,
  );
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = number(name, text, min, max);
  if (!Number.isInteger(value)) throw new UsageError(`${name} must be a whole number, got ${JSON.stringify(text)}`);
  return value;
}

function number(name: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (text.trim() === "" || !(value >= min && value <= max)) {
    throw new UsageError(`${name} must be a number from ${min} to ${max}, got ${JSON.stringify(text)}`);
  }
  return value;
}
