// The command line of the proxy → its options, parsed once.
import path from "node:path";
import type { Mode } from "@bosun/bcp";
import { wholeEnvironment } from "@bosun/platform/environment";
import { number, oneOf, readFlags, UsageError, whole } from "@bosun/platform/flags";
import type { FlagValues, Program } from "@bosun/platform/flags";
import { LOG_LEVELS } from "@bosun/platform/log";
import type { LogLevel } from "@bosun/platform/log";
import { FoldLevels } from "./fold-levels.ts";
import type { ServerSpec } from "./servers/server-spec.ts";

export type ProxyConfig = {
  /** One server, or a file that names several. */
  server: ServerSpec | { kind: "file"; file: string };
  namespace: boolean;
  pins: boolean;
  /** The tools for .bcp files beside the server's own. */
  bcpTools: boolean;
  /** Folders that those may touch; none means all. */
  allowDirs: readonly string[];
  /** All of it, or what a first call needs of each tool. */
  toolList: "all" | "lazy";
  /** How far results are shortened. */
  fold: FoldLevels;
  /** How a model gets an original back: the same call again, or read_original. */
  originals: "repeat" | "list";
  budget: number | undefined;
  threshold: number | undefined;
  /** How detected regions are rendered; absent where they are not. */
  renderMode: Mode | undefined;
  record: string | undefined;
  timeoutMs: number;
  /** Serve clients over HTTP on this loopback port instead of stdio. */
  listen: number | undefined;
  maxClients: number;
  stats: boolean;
  logLevel: LogLevel;
};

export const PROXY: Program = {
  name: "bosun proxy",
  summary: "any MCP server in fewer tokens, without losing a byte",
  usage: [
    "bosun proxy [options] -- command args…",
    "bosun proxy [options] --url https://server/mcp",
    "bosun proxy [options] --servers FILE",
    "bosun proxy pins [show|accept|forget] [server]",
    "bosun proxy stats [--json|--reset]",
  ],
  // Completions know them; run-proxy.ts starts them before this table is asked.
  words: {
    pins: "tool definitions that changed since they were accepted",
    stats: "what the proxy has saved, per server, tool and class of content",
  },
  flags: [
    { name: "url", value: "URL", help: "the server's address, where it speaks HTTP" },
    {
      name: "header",
      value: "'NAME: VALUE'",
      repeatable: true,
      help: "sent to --url with every request, repeatable; ${VAR} stands for a variable, so that no secret is on a command line",
    },
    {
      name: "servers",
      value: "FILE",
      help: "several servers behind one proxy: a JSON file with mcpServers, such as .mcp.json",
    },
    { name: "namespace", help: "every name as alias__name; otherwise only names that two servers share" },
    {
      name: "pins",
      value: "on|off",
      help: "hold back tools that changed since they were accepted (default on; bosun proxy pins)",
    },
    {
      name: "bcp-tools",
      value: "on|off",
      help: "read_bcp_file, inspect_bcp_file and encode_bcp_file beside the server's own tools (default off; on for bcp-mcp-server --mode proxy)",
    },
    {
      name: "allow-dir",
      value: "DIR",
      repeatable: true,
      help: "only .bcp files under DIR may be touched, repeatable (default: all)",
    },
    {
      name: "fold",
      value: "LEVEL",
      repeatable: true,
      help: "how far results are shortened: plain (default; anybody reads it), dense (with a legend) or off; NAME=LEVEL for a server or server.tool, repeatable",
    },
    {
      name: "originals",
      value: "repeat|list",
      help: "how a model gets an original back: by the same call again (default), or by read_original, which is then listed (as with dense and --budget)",
    },
    {
      name: "tool-list",
      value: "all|lazy",
      help: "lazy: of each tool only what a first call needs (default all); describe_tool has the rest",
    },
    { name: "compress-tools", value: "off|light|full", isHidden: true, help: "" },
    {
      name: "budget",
      value: "N",
      help: "at most N tokens per text: head and tail, the rest on demand (read_original)",
    },
    {
      name: "detect-threshold",
      value: "N",
      variable: "BCP_DETECT_THRESHOLD",
      help: "how sure a fold must be of what it sees, 0 to 1 (default 0.7)",
    },
    {
      name: "emit",
      value: "text|bcp",
      help: "bcp: detected regions as rendered BCP blocks where that is fewer tokens (default text, or bcp with --render-mode)",
    },
    {
      name: "render-mode",
      value: "xml|markdown|minimal",
      variable: "BCP_RENDER_MODE",
      help: "how detected regions are rendered, where that is fewer tokens than the text; through BCP_CLI_PATH when that is set",
    },
    {
      name: "record",
      value: "FILE.bcp",
      help: "the results of the session as a BCP payload, written at the end",
    },
    { name: "timeout", value: "SECONDS", help: "silence after which a call has failed (default 600)" },
    { name: "listen", value: "PORT", help: "serve over HTTP on 127.0.0.1:PORT/mcp instead of stdio" },
    {
      name: "max-clients",
      value: "N",
      help: "clients at once with --listen; each has its own servers (default 32)",
    },
    { name: "stats", help: "what was saved, on stderr, at the end (bosun proxy stats sums up all sessions)" },
    {
      name: "log-level",
      value: LOG_LEVELS.join("|"),
      variable: "BCP_LOG_LEVEL",
      variableOnly: true,
      help: `${LOG_LEVELS.join(", ")} (default info); logs go to stderr`,
    },
    // The form of clients' configurations that start packages/bcp-mcp-server.
    { name: "mode", value: "proxy", isHidden: true, help: "" },
    { name: "downstream-command", value: "PROGRAM", isHidden: true, takesAnything: true, help: "" },
    { name: "downstream-args", value: "ARGS", isHidden: true, takesAnything: true, help: "" },
  ],
  operands: true,
  unknownHint: "the server's command comes after --",
  examples: [["bosun proxy -- npx -y @modelcontextprotocol/server-filesystem .", "the official filesystem server"]],
  notes: `In a client's configuration:
  { "mcpServers": { "files": { "command": "bosun",
      "args": ["proxy", "--", "npx", "-y", "@modelcontextprotocol/server-filesystem", "."] } } }`,
};

/** What says that something was left out, and where it is, takes 31 tokens itself. */
const MIN_BUDGET = 50;

type Env = Readonly<Record<string, string | undefined>>;

/** `bcpToolsByDefault`: of the program, unless the command line says otherwise. */
export function parseProxyConfig(argv: readonly string[], env: Env, bcpToolsByDefault = false): ProxyConfig {
  const flags = readFlags(PROXY, argv, env);
  const { rest = [] } = flags;
  const [stray] = flags.operands.slice(0, flags.operands.length - rest.length);
  if (stray !== undefined)
    throw new UsageError(`unexpected argument ${JSON.stringify(stray)}: the server's command comes after --`);
  const bcpTools = oneOf(flags, "bcp-tools", ["on", "off"], bcpToolsByDefault ? "on" : "off") === "on";
  const allowDirs = flags.list("allow-dir");
  // It bounds no server, and nobody should believe that it does.
  if (allowDirs.length > 0 && !bcpTools)
    throw new UsageError("--allow-dir goes with --bcp-tools on: it says which .bcp files may be touched");
  const fold = FoldLevels.of(flags.list("fold"));
  const budget = whole(flags, "budget", { min: MIN_BUDGET, max: 10_000_000 });
  return {
    server: serverOf(flags, rest, env),
    namespace: flags.isOn("namespace"),
    pins: oneOf(flags, "pins", ["on", "off"], "on") === "on",
    bcpTools,
    allowDirs,
    toolList: toolListOf(flags),
    fold,
    originals: oneOf(
      flags,
      "originals",
      ["repeat", "list"],
      fold.has("dense") || budget !== undefined ? "list" : "repeat",
    ),
    budget,
    threshold: number(flags, "detect-threshold", { min: 0, max: 1 }),
    renderMode: renderModeOf(flags),
    record: flags.text("record"),
    timeoutMs: (number(flags, "timeout", { min: 1, max: 1_000_000 }) ?? 600) * 1000,
    listen: whole(flags, "listen", { max: 65_535 }),
    maxClients: whole(flags, "max-clients", { min: 1, max: 10_000 }, 32),
    stats: flags.isOn("stats"),
    logLevel: oneOf(flags, "log-level", LOG_LEVELS, "info"),
  };
}

function serverOf(flags: FlagValues, rest: readonly string[], env: Env): ProxyConfig["server"] {
  const url = flags.text("url");
  const file = flags.text("servers");
  const named = flags.text("downstream-command");
  const command = named ?? rest[0];
  if ([url, file, named, rest[0]].filter((one) => one !== undefined).length > 1)
    throw new UsageError("one of --url, --servers or a command, not several");
  if (named === undefined && flags.has("downstream-args"))
    throw new UsageError("--downstream-args goes with --downstream-command");
  const headers = flags.list("header");
  if (headers.length > 0 && url === undefined)
    throw new UsageError("--header goes with --url; servers of a file have their own headers there");
  if (file !== undefined) return { kind: "file", file };
  if (url !== undefined) return { kind: "url", name: hostOf(url), url: new URL(url), headers: headersOf(headers, env) };
  if (command === undefined)
    throw new UsageError("which server? Its command comes after --, or name it with --url or --servers");
  // Commas part the arguments in the configurations that name --downstream-args.
  const words = flags.text("downstream-args") ?? "";
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
      // What `Headers` refuses is said in our words.
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

/** What the option was called before is understood for one more release. */
function toolListOf(flags: FlagValues): ProxyConfig["toolList"] {
  const before = oneOf(flags, "compress-tools", ["off", "light", "full"], "off");
  if (before !== "off") console.error("bosun proxy: --compress-tools is now --tool-list lazy");
  return oneOf(flags, "tool-list", ["all", "lazy"], before === "off" ? "all" : "lazy");
}

/** Asked for by name, or by --emit; --emit text takes it back. */
function renderModeOf(flags: FlagValues): Mode | undefined {
  const mode = oneOf(flags, "render-mode", ["xml", "markdown", "minimal"], "xml");
  const isNamed = flags.text("render-mode") !== undefined;
  return oneOf(flags, "emit", ["text", "bcp"], isNamed ? "bcp" : "text") === "bcp" ? mode : undefined;
}

function hostOf(url: string): string {
  try {
    const { protocol, host } = new URL(url);
    if (protocol === "http:" || protocol === "https:") return host;
  } catch {
    // No address at all: said below, with those of other protocols.
  }
  throw new UsageError(`--url must be an http or https address, got ${JSON.stringify(url)}`);
}
