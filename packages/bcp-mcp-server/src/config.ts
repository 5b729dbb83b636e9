// Flags and environment → Config, parsed once.
import { MODES } from "@bosun/bcp";
import { UsageError } from "@bosun/platform/flags";
import type { Mode } from "@bosun/bcp";
import { LOG_LEVELS } from "@bosun/platform/log";
import type { LogLevel } from "@bosun/platform/log";

export type Config = {
  mode: "reader";
  /** Folders the tools may touch; none means all. */
  allowDirs: readonly string[];
  renderMode: Mode;
  /** A `bcp` binary to use instead of the codec in this process. */
  cliPath: string | undefined;
  cliTimeoutMs: number;
  logLevel: LogLevel;
};

export const HELP = `bcp-mcp-server: .bcp files for any MCP client, over stdio

Usage: bcp-mcp-server --mode reader [options]

Options:
  --mode reader          tools read_bcp_file, inspect_bcp_file and encode_bcp_file (default)
  --mode proxy           another MCP server in fewer tokens; --mode proxy --help says how
  --allow-dir DIR        only files under DIR may be touched (repeatable; default: all)
  --render-mode MODE     default mode of read_bcp_file: ${MODES.join(", ")}
  --help                 this text

Environment:
  BCP_RENDER_MODE        as --render-mode
  BCP_CLI_PATH           a bcp binary to use instead of the built-in codec
  BCP_CLI_TIMEOUT_MS     how long that binary may take (default 30000)
  BCP_LOG_LEVEL          ${LOG_LEVELS.join(", ")} (default info); logs go to stderr

In a client's configuration:
  { "mcpServers": { "bcp": { "command": "bcp-mcp-server", "args": ["--mode", "reader"] } } }
`;

const VALUED = ["--mode", "--allow-dir", "--render-mode"];

export function parseConfig(argv: readonly string[], env: Readonly<Record<string, string | undefined>>): Config {
  const given = readFlags(argv);
  const mode = given.get("--mode")?.at(-1) ?? "reader";
  if (mode !== "reader") throw new UsageError(`--mode must be reader or proxy, got ${JSON.stringify(mode)}`);
  return {
    mode,
    allowDirs: given.get("--allow-dir") ?? [],
    renderMode: oneOf("--render-mode", given.get("--render-mode")?.at(-1) ?? env["BCP_RENDER_MODE"] ?? "xml", MODES),
    cliPath: env["BCP_CLI_PATH"] || undefined,
    cliTimeoutMs: milliseconds("BCP_CLI_TIMEOUT_MS", env["BCP_CLI_TIMEOUT_MS"] ?? "30000"),
    logLevel: oneOf("BCP_LOG_LEVEL", env["BCP_LOG_LEVEL"] ?? "info", LOG_LEVELS),
  };
}

function readFlags(argv: readonly string[]): Map<string, string[]> {
  const given = new Map<string, string[]>();
  for (let at = 0; at < argv.length; at++) {
    const [flag = "", inline] = splitOnce(argv[at] ?? "");
    if (!VALUED.includes(flag)) throw new UsageError(`unknown option ${flag}; there are ${VALUED.join(", ")}, --help`);
    const value = inline ?? argv[++at];
    if (value === undefined) throw new UsageError(`${flag} needs a value`);
    given.set(flag, [...(given.get(flag) ?? []), value]);
  }
  return given;
}

function splitOnce(word: string): [string, string | undefined] {
  const equals = word.indexOf("=");
  return equals === -1 ? [word, undefined] : [word.slice(0, equals), word.slice(equals + 1)];
}

function oneOf<T extends string>(name: string, value: string, known: readonly T[]): T {
  const found = known.find((candidate) => candidate === value);
  if (found === undefined)
    throw new UsageError(`${name} must be one of ${known.join(", ")}; got ${JSON.stringify(value)}`);
  return found;
}

function milliseconds(name: string, value: string): number {
  // Above 2^31 - 1 a timer fires at once.
  if (!/^\d{1,10}$/.test(value) || Number(value) < 1 || Number(value) > 2_147_483_647) {
    throw new UsageError(`${name} must be a number of milliseconds, got ${JSON.stringify(value)}`);
  }
  return Number(value);
}
