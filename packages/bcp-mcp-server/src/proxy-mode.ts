// --mode proxy: the proxy of packages/proxy, with the tools for .bcp files beside those of the server behind it.
import { statSync } from "node:fs";
import { UsageError } from "@bosun/platform/flags";
import { runProxy as runProxyWith } from "@bosun/proxy";
import type { LocalServer } from "@bosun/proxy";
import { parseConfig } from "./config.ts";

const NAMES = new Set(["read_bcp_file", "inspect_bcp_file", "encode_bcp_file"]);

export async function runProxy(argv: readonly string[]): Promise<number> {
  return runProxyWith(argv, bcpFileTools);
}

/** Throws UsageError: what is wrong with the environment or a folder is said at the start. */
function bcpFileTools(allowDirs: readonly string[]): LocalServer {
  const missing = allowDirs.find((folder) => !isFolder(folder));
  if (missing !== undefined) throw new UsageError(`--allow-dir ${missing}: no such folder`);
  const config = parseConfig(
    allowDirs.flatMap((folder) => ["--allow-dir", folder]),
    process.env,
  );
  return { names: NAMES, open: async () => (await import("./reader.ts")).createReader(config) };
}

function isFolder(name: string): boolean {
  try {
    return statSync(name).isDirectory();
  } catch {
    return false; // what cannot be looked at cannot be served, either
  }
}
