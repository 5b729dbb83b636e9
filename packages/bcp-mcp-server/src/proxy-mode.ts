// The proxy of packages/proxy with what this package adds: the tools for .bcp files beside those of the server behind it,
// and another `bcp` binary to render with (BCP_CLI_PATH).
import { statSync } from "node:fs";
import { UsageError } from "@bosun/platform/flags";
import { runProxy as runProxyWith } from "@bosun/proxy";
import type { LocalServer, ProxyExtras } from "@bosun/proxy";
import { parseConfig } from "./reader-config.ts";
import type { Config } from "./reader-config.ts";
import { renderWithBinary } from "./render-with-binary.ts";

const NAMES = new Set(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]);

/** `bosun proxy`: the names of the servers behind it. */
export async function runProxy(argv: readonly string[]): Promise<number> {
  return runProxyWith(argv, extras(false));
}

/** `bcp-mcp-server --mode proxy`: the tools for .bcp files are among them. */
export async function runProxyMode(argv: readonly string[]): Promise<number> {
  return runProxyWith(argv, extras(true));
}

function extras(localToolsByDefault: boolean): ProxyExtras {
  return {
    localTools: bcpFileTools,
    localToolsByDefault,
    renderBlocks(log, signal) {
      const { cliPath, cliTimeoutMs } = readerConfig([]);
      return cliPath === undefined ? undefined : renderWithBinary(cliPath, { timeoutMs: cliTimeoutMs, log, signal });
    },
  };
}

/** Throws UsageError: what is wrong with the environment or a folder is said at the start. */
function bcpFileTools(allowDirs: readonly string[]): LocalServer {
  const missing = allowDirs.find((folder) => !isFolder(folder));
  if (missing !== undefined) throw new UsageError(`--allow-dir ${missing}: no such folder`);
  const config = readerConfig(allowDirs.flatMap((folder) => ["--allow-dir", folder]));
  return { names: NAMES, open: async () => (await import("./reader-server.ts")).createReader(config) };
}

function readerConfig(words: readonly string[]): Config {
  const config = parseConfig(words, process.env);
  if (config === undefined) throw new Error("no words asked for help");
  return config;
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be served, either
  }
}
