// Flags and environment → Config, parsed once.
import { MODES } from "@bosun/bcp";
import type { Mode } from "@bosun/bcp";
import { oneOf, readFlags, whole } from "@bosun/platform/flags";
import type { Program } from "@bosun/platform/flags";
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

export const PROGRAM: Program = {
  name: "bcp-mcp-server",
  summary: ".bcp files for any MCP client, over stdio",
  usage: ["bcp-mcp-server --mode reader [options]"],
  flags: [
    {
      name: "mode",
      value: "reader|proxy",
      help: "reader: the tools read_bcp_file, inspect_bcp_file and encode_bcp_file (default); proxy: another MCP server in fewer tokens, --mode proxy --help says how",
    },
    {
      name: "allow-dir",
      value: "DIR",
      repeatable: true,
      help: "only files under DIR may be touched (repeatable; default: all)",
    },
    {
      name: "render-mode",
      value: MODES.join("|"),
      variable: "BCP_RENDER_MODE",
      help: "default mode of read_bcp_file (xml)",
    },
    {
      name: "cli-path",
      value: "FILE",
      variable: "BCP_CLI_PATH",
      variableOnly: true,
      help: "a bcp binary to use instead of the built-in codec",
    },
    {
      name: "cli-timeout",
      value: "MS",
      variable: "BCP_CLI_TIMEOUT_MS",
      variableOnly: true,
      help: "how long that binary may take, in milliseconds (default 30000)",
    },
    {
      name: "log-level",
      value: LOG_LEVELS.join("|"),
      variable: "BCP_LOG_LEVEL",
      variableOnly: true,
      help: `${LOG_LEVELS.join(", ")} (default info); logs go to stderr`,
    },
  ],
  examples: [],
  notes: `In a client's configuration:
  { "mcpServers": { "bcp": { "command": "bcp-mcp-server", "args": ["--mode", "reader"] } } }`,
};

/** Above it a timer fires at once. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** undefined: help was asked for. */
export function parseConfig(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Config | undefined {
  const flags = readFlags(PROGRAM, argv, env);
  if (flags.isHelp) return undefined;
  return {
    mode: oneOf(flags, "mode", ["reader"], "reader"),
    allowDirs: flags.list("allow-dir"),
    renderMode: oneOf(flags, "render-mode", MODES, "xml"),
    cliPath: flags.text("cli-path"),
    cliTimeoutMs: whole(flags, "cli-timeout", { min: 1, max: LONGEST_TIMER_MS }, 30_000),
    logLevel: oneOf(flags, "log-level", LOG_LEVELS, "info"),
  };
}
