#!/usr/bin/env -S bun --no-env-file --config=/dev/null
// bcp-mcp-server: .bcp files for MCP clients. Clients' configurations name this file; other programs import it.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import type { Transport } from "@bosun/mcp/server";
import { PathRefused } from "./allowed-paths.ts";
import { helpText, UsageError } from "@bosun/platform/flags";
import { parseConfig, PROGRAM } from "./reader-config.ts";
import { endExternalOnSignals } from "./external-bcp.ts";
import { createLog } from "@bosun/platform/log";
import type { Log } from "@bosun/platform/log";
import { createReader } from "./reader-server.ts";

/** How long a client that has closed its end may still be owed an answer. */
const LAST_ANSWERS_MS = 10_000;
const PROXY_MODE = "--mode=proxy";

export { bcpTools, createReader } from "./reader-server.ts";
export { PROGRAM } from "./reader-config.ts";
export { explain as explainBcp } from "./explain-error.ts";

/** Serves over stdin and stdout until the client goes; gives the exit code. */
export async function runBcpMcpServer(argv: readonly string[]): Promise<number> {
  // The proxy, and what it folds with, is loaded only when it is asked for.
  const proxy = argv.findIndex((word, at) => `${word}=${argv[at + 1]}` === PROXY_MODE || word === PROXY_MODE);
  if (proxy !== -1) {
    const { runProxyMode } = await import("./proxy-mode.ts");
    return runProxyMode(argv.toSpliced(proxy, argv[proxy] === PROXY_MODE ? 1 : 2));
  }
  try {
    const config = parseConfig(argv, process.env);
    if (config === undefined) {
      console.log(helpText(PROGRAM));
      return 0;
    }
    const server = await createReader(config);
    if (config.cliPath !== undefined) endExternalOnSignals();
    const log = createLog({ program: "bcp-mcp-server", level: config.logLevel });
    log("debug", `reader ready, ${config.cliPath ?? "built-in codec"}`);
    const transport = stdioTransport();
    const logged = { ...transport, incoming: loggingNonsense(transport.incoming, log) };
    await serveConnection(server, logged, { drainMs: LAST_ANSWERS_MS });
    await transport.close();
    return 0;
  } catch (error) {
    // What was typed is wrong: said to the person who typed it.
    if (error instanceof UsageError) console.error(`bcp-mcp-server: ${error.message}`);
    else if (error instanceof PathRefused) console.error(`bcp-mcp-server: --allow-dir ${error.message}`);
    else throw error;
    return 2;
  }
}

/** The client is told too; but whoever looks for the reason that nothing works looks here. */
async function* loggingNonsense(incoming: Transport["incoming"], log: Log): Transport["incoming"] {
  for await (const message of incoming) {
    if (message.kind === "malformed") log("warn", `a message that cannot be read: ${message.error.message}`);
    yield message;
  }
}

if (import.meta.main) {
  // A mistake of ours in one call is said; the client keeps its server.
  process.on("unhandledRejection", (mistake) => console.error(mistake));
  process.on("uncaughtException", (mistake) => console.error(mistake));
  process.exitCode = await runBcpMcpServer(process.argv.slice(2)).catch((mistake: unknown) => {
    console.error(mistake);
    return 70;
  });
  // oxlint-disable-next-line no-restricted-properties -- the entry point; what nobody reads must not keep the process
  process.exit();
}
