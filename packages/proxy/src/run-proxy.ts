// The proxy as a program: in front of its servers, over stdio or HTTP, until the client goes or a signal comes.
import { serveConnection, stdioTransport } from "@bosun/mcp/server";
import { SendQueue } from "@bosun/mcp/relay";
import { Originals, WarmUp } from "@bosun/shrink";
import { helpText, UsageError } from "@bosun/platform/flags";
import { createLog } from "@bosun/platform/log";
import type { Log } from "@bosun/platform/log";
import { keepLedger } from "./stats/savings-ledger.ts";
import { savingsTable } from "./stats/savings-table.ts";
import { installationKey } from "./installation-key.ts";
import { LocalTools } from "./tools/local-tools.ts";
import type { LocalServer } from "./tools/local-tools.ts";
import { PinCheck } from "./pins/pin-check.ts";
import { parseProxyConfig, PROXY } from "./proxy-config.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import { Recording } from "./results/recording.ts";
import { createProxyService } from "./proxy-service.ts";
import type { ProxyService } from "./proxy-service.ts";
import { BcpRendering } from "./results/bcp-rendering.ts";
import type { RenderBlocks } from "./results/bcp-rendering.ts";
import type { Backpressure } from "./servers/backpressure.ts";
import { findSecondTokenizer, Savings } from "./stats/savings.ts";
import { readServers } from "./servers-file.ts";
import { stateFolder } from "./locked-json-file.ts";

/** How long a client that has closed its end may still be owed an answer: `npx` may have to fetch the server first. */
const LAST_ANSWERS_MS = 10_000;
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What the program that starts the proxy adds to it. */
export type ProxyExtras = {
  /** Tools beside the servers' own, in the folders a person allowed. */
  localTools(allowDirs: readonly string[]): LocalServer;
  /** Whether they are there when the command line does not say. */
  localToolsByDefault: boolean;
  /** Renders blocks with another program, if one is named; ended by the signal. */
  renderBlocks(log: Log, signal: AbortSignal): RenderBlocks | undefined;
};

export async function runProxy(argv: readonly string[], extras?: ProxyExtras): Promise<number> {
  const [first, ...rest] = argv[0] === "--mode" ? argv.slice(2) : argv;
  if (first === "pins") return (await import("./pins/run-pins.ts")).runPins(rest);
  if (first === "stats") return (await import("./stats/run-stats.ts")).runStats(rest);
  const ours = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (ours.includes("--help") || ours.includes("-h")) {
    console.log(helpText(PROXY));
    return 0;
  }
  try {
    const config = parseProxyConfig(argv, process.env, extras?.localToolsByDefault);
    return await run(config, createLog({ program: "bosun proxy", level: config.logLevel }), extras);
  } catch (error) {
    // Said to the person who typed it.
    if (!(error instanceof UsageError)) throw error;
    console.error(`bosun proxy: ${error.message}\nTry: bosun proxy --help`);
    return 2;
  }
}

async function run(config: ProxyConfig, log: Log, extras: ProxyExtras | undefined): Promise<number> {
  const { server, namespace, toolList, fold, budget, threshold, renderMode, record, timeoutMs, stats } = config;
  const servers = server.kind === "file" ? await readServers(server.file, log) : [server];
  fold.check(servers);
  const savings = new Savings(stats ? await findSecondTokenizer() : undefined);
  const recording = record === undefined ? undefined : new Recording(record, threshold);
  const obstacle = recording?.obstacle();
  if (obstacle !== undefined) throw new UsageError(`--record: ${obstacle}`);
  const unrecordable = recording?.problem();
  if (unrecordable !== undefined) log("warn", `--record ${recording?.file}: ${unrecordable}; it is tried at the end`);
  const ended = new AbortController();
  const transport = transportFor(config);
  const rendering = { threshold, budget, renderBlocks: extras?.renderBlocks(log, ended.signal) };
  // The first result of a process would take 30 ms and more longer, which a person feels: made up for while a model reads
  // the list of tools (bench row "proxy, the first result of a process").
  const warmUp = new WarmUp({ stop: ended.signal, isBusy: () => proxy.isBusy() });
  const proxy: ProxyService = createProxyService({
    servers,
    listed: () => void warmUp.finish(),
    namespace,
    toolList,
    fold,
    listsOriginals: config.originals === "list",
    originals: new Originals({ secret: await installationKey(log) }),
    timeoutMs,
    maxClients: config.maxClients,
    // A budget holds whatever a text is.
    ...(threshold === undefined || budget !== undefined ? {} : { minConfidence: threshold }),
    savings,
    log,
    ...(transport.backpressure ? { backpressure: transport.backpressure } : {}),
    ...(config.pins ? { pins: new PinCheck(stateFolder, log) } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(renderMode === undefined ? {} : { rendering: new BcpRendering({ ...rendering, mode: renderMode }) }),
    ...(recording === undefined ? {} : { recording }),
    ...(config.bcpTools && extras ? { local: new LocalTools(extras.localTools(config.allowDirs)) } : {}),
  });
  const signalled = firstSignal();
  await Promise.race([transport.serve(proxy), signalled.promise]);
  ended.abort();
  await proxy.close();
  const isWritten = await conclude(savings, stats, recording, log);
  signalled.raise();
  return isWritten ? 0 : 1;
}

/** How clients reach us. Over HTTP each message to a client waits for itself. */
type ClientTransport = { backpressure?: Backpressure; serve(proxy: ProxyService): Promise<void> };

function transportFor({ listen, maxClients }: ProxyConfig): ClientTransport {
  return listen === undefined ? overStdio() : { serve: (proxy) => overHttp(proxy, listen, maxClients) };
}

function overStdio(): ClientTransport {
  const transport = stdioTransport();
  const queue = new SendQueue(transport);
  return {
    backpressure: () => (queue.isFull ? queue.untilNotFull() : undefined),
    async serve(proxy) {
      await serveConnection(proxy, transport, { queue, drainMs: LAST_ANSWERS_MS });
      await transport.close();
    },
  };
}

async function overHttp(proxy: ProxyService, port: number, maxSessions: ProxyConfig["maxClients"]): Promise<void> {
  // HTTP is loaded only when it is asked for.
  const { serveHttp } = await import("@bosun/mcp/http");
  const listening = listenOn(port, (free) => serveHttp(proxy, { port: free, maxSessions }));
  console.error(`bosun proxy listens on ${listening.url.href}`);
  await new Promise(() => {}); // a signal ends it
}

function listenOn<T>(port: number, serveOn: (port: number) => T): T {
  try {
    return serveOn(port);
  } catch (error) {
    // The port was named by a person.
    const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
    throw new UsageError(`--listen ${port}: ${code === "EADDRINUSE" ? "the port is in use" : code}`);
  }
}

/** False when something could not be written. */
async function conclude(
  savings: Savings,
  stats: boolean,
  recording: Recording | undefined,
  log: Log,
): Promise<boolean> {
  const ledger = savings.settle();
  if (stats) console.error(savingsTable(ledger));
  const isWorthKeeping = ledger.sessions > 0;
  try {
    if (isWorthKeeping) await keepLedger(await stateFolder(), ledger);
  } catch (error) {
    // Sums are no reason to fail.
    log("debug", `what was saved could not be kept: ${String(error)}`);
  }
  try {
    if (recording) log("info", `recorded ${await recording.write()}`);
    return true;
  } catch (error) {
    // The session was served; that its recording is missing is said by the exit code.
    log("error", `--record ${recording?.file}: ${error instanceof Error ? error.message : String(error)}`);
    return false;
  }
}

/** Ends by the signal that came, as whoever sent it expects; and not before everything has been ended in order. */
function firstSignal(): { promise: Promise<void>; raise(): void } {
  let came: (typeof ENDING_SIGNALS)[number] | undefined;
  const { promise, resolve } = Promise.withResolvers<void>();
  const listeners = ENDING_SIGNALS.map((signal) => {
    const listener = (): void => {
      came ??= signal;
      resolve();
    };
    process.on(signal, listener);
    return () => process.off(signal, listener);
  });
  return {
    promise,
    raise() {
      for (const remove of listeners) remove();
      if (came) process.kill(process.pid, came);
    },
  };
}
