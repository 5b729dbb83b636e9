// The proxy as a program: in front of one server, over stdio or HTTP, until the client goes.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import { UsageError } from "../config.ts";
import { createLog, LOG_LEVELS } from "../log.ts";
import { parseProxyConfig, PROXY_HELP } from "./proxy-config.ts";
import { createRelay } from "./relay.ts";
import { Savings } from "./savings.ts";

export async function runProxy(argv: readonly string[]): Promise<number> {
  const ours = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (ours.includes("--help") || ours.includes("-h")) {
    console.log(PROXY_HELP.trimEnd());
    return 0;
  }
  try {
    const { server, compressTools, budget, threshold, timeoutMs, listen, stats } = parseProxyConfig(argv, process.env);
    const log = createLog(LOG_LEVELS.find((level) => level === process.env["BCP_LOG_LEVEL"]) ?? "info");
    const savings = new Savings();
    const relay = createRelay({
      server,
      compressTools,
      timeoutMs,
      savings,
      log,
      ...(budget === undefined ? {} : { budget }),
      ...(threshold === undefined ? {} : { threshold }),
    });
    if (listen === undefined) {
      const transport = stdioTransport();
      await serveConnection(relay, transport);
      await transport.close();
    } else {
      await listenUntilSignalled(relay, listen);
    }
    await relay.close();
    if (stats) console.error(savings.report());
    return 0;
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bosun proxy: ${error.message}\nTry: bosun proxy --help`);
    return 2;
  }
}

async function listenUntilSignalled(relay: ReturnType<typeof createRelay>, port: number): Promise<void> {
  // HTTP is loaded only when it is asked for.
  const { serveHttp } = await import("@bosun/mcp/http");
  const listening = serveHttp(relay, { port });
  console.error(`bosun proxy listens on ${listening.url.href}`);
  await new Promise<void>((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
  await listening.stop();
}
