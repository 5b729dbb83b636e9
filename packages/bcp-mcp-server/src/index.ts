#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// bcp-mcp-server: .bcp files for MCP clients. Clients' configurations name this file; other programs import it.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import { HELP, parseConfig, UsageError } from "./config.ts";
import { createLog } from "./log.ts";
import { createReader } from "./reader.ts";

export { bcpTools, createReader } from "./reader.ts";
export { explain as explainBcp } from "./explain.ts";

/** `bosun proxy pins …`; loaded when asked for. */
export async function runPins(argv: readonly string[]): Promise<number> {
  return (await import("./proxy/run-pins.ts")).runPins(argv);
}

/** `bosun proxy stats …`; loaded when asked for. */
export async function runStats(argv: readonly string[]): Promise<number> {
  return (await import("./proxy/run-stats.ts")).runStats(argv);
}

/** Serves over stdin and stdout until the client goes; gives the exit code. */
export async function runBcpMcpServer(argv: readonly string[]): Promise<number> {
  // The proxy, and what it folds with, is loaded only when it is asked for.
  if (argv[argv.indexOf("--mode") + 1] === "proxy" && argv.includes("--mode")) {
    const { runProxy } = await import("./proxy/run-proxy.ts");
    return runProxy(argv);
  }
  if (argv.includes("--help") || argv.includes("-h")) {
    console.log(HELP.trimEnd());
    return 0;
  }
  try {
    const config = parseConfig(argv, process.env);
    const server = await createReader(config);
    createLog(config.logLevel)("debug", `reader ready, ${config.cliPath ?? "built-in codec"}`);
    const transport = stdioTransport();
    await serveConnection(server, transport);
    await transport.close();
    return 0;
  } catch (error) {
    if (error instanceof UsageError) console.error(`bcp-mcp-server: ${error.message}`);
    else if (isMissingFolder(error)) console.error(`bcp-mcp-server: --allow-dir ${error.path}: no such folder`);
    else throw error;
    return 2;
  }
}

function isMissingFolder(error: unknown): error is Error & { path: string } {
  return error instanceof Error && "code" in error && error.code === "ENOENT" && "path" in error;
}

if (import.meta.main) process.exitCode = await runBcpMcpServer(process.argv.slice(2));
