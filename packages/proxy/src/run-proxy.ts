// The proxy as a program: in front of its servers, over stdio or HTTP, until the client goes or a signal comes.
import { serveConnection, stdioTransport, withLastAnswers } from "@bosun/mcp/server";
import { SendQueue } from "@bosun/mcp/relay";
import { UsageError } from "@bosun/platform/flags";
import { createLog } from "@bosun/platform/log";
import type { Log } from "@bosun/platform/log";
import { keepLedger } from "./ledger.ts";
import { ledgerText } from "./ledger-text.ts";
import { LocalTools } from "./local-tools.ts";
import type { LocalServer } from "./local-tools.ts";
import { PinWatch } from "./pin-watch.ts";
import { parseProxyConfig, PROXY_HELP } from "./proxy-config.ts";
import type { ProxyConfig } from "./proxy-config.ts";
import { Recording } from "./recording.ts";
import { createRelay } from "./relay.ts";
import type { Relay } from "./relay.ts";
import { RenderedBlocks } from "./rendered-blocks.ts";
import type { Room } from "./room.ts";
import { Savings } from "./savings.ts";
import { findSecondTokenizer } from "./second-tokenizer.ts";
import { readServers } from "./servers-file.ts";
import { stateFolder } from "./state-folder.ts";
import { Warming } from "./warming.ts";

/** How long a client that has closed its end may still be owed an answer: `npx` may have to fetch the server first. */
const LAST_ANSWERS_MS = 10_000;
const ENDING_SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** What the program that starts the proxy offers beside the servers' own tools, in the folders a person allowed. */
export type OfferLocalTools = (allowDirs: readonly string[]) => LocalServer;

export async function runProxy(argv: readonly string[], offer?: OfferLocalTools): Promise<number> {
  const [first, ...rest] = argv[0] === "--mode" ? argv.slice(2) : argv;
  if (first === "pins") return (await import("./run-pins.ts")).runPins(rest);
  if (first === "stats") return (await import("./run-stats.ts")).runStats(rest);
  const ours = argv.includes("--") ? argv.slice(0, argv.indexOf("--")) : argv;
  if (ours.includes("--help") || ours.includes("-h")) {
    console.log(PROXY_HELP.trimEnd());
    return 0;
  }
  try {
    const config = parseProxyConfig(argv, process.env);
    return await run(config, createLog("bosun proxy", config.logLevel), offer);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.error(`bosun proxy: ${error.message}\nTry: bosun proxy --help`);
    return 2;
  }
}

async function run(config: ProxyConfig, log: Log, offer: OfferLocalTools | undefined): Promise<number> {
  const { server, namespace, compressTools, budget, threshold, emitBcp, record, timeoutMs, stats } = config;
  const servers = server.kind === "file" ? await readServers(server.file, log) : [server];
  const savings = new Savings(stats ? await findSecondTokenizer() : undefined);
  const recording = record === undefined ? undefined : new Recording(record, threshold);
  const obstacle = recording?.obstacle();
  if (obstacle !== undefined) throw new UsageError(`--record: ${obstacle}`);
  const unrecordable = recording?.problem();
  if (unrecordable !== undefined) log("warn", `--record ${recording?.file}: ${unrecordable}; it is tried at the end`);
  const ended = new AbortController();
  const outlet = outletOf(config);
  const warming = new Warming({ stop: ended.signal, isBusy: () => relay.isBusy() });
  const relay: Relay = createRelay({
    servers,
    arrived: () => warming.arrived(),
    listed: () => void warming.listed(),
    namespace,
    compressTools,
    timeoutMs,
    maxClients: config.maxClients,
    savings,
    log,
    ...(outlet.room ? { room: outlet.room } : {}),
    ...(config.pins ? { pins: new PinWatch(stateFolder, log) } : {}),
    ...(budget === undefined ? {} : { budget }),
    ...(threshold === undefined ? {} : { threshold }),
    ...(emitBcp === undefined ? {} : { rendered: new RenderedBlocks(emitBcp, threshold, budget) }),
    ...(recording === undefined ? {} : { recording }),
    ...(config.bcpTools && offer ? { local: new LocalTools(offer(config.allowDirs)) } : {}),
  });
  const signalled = firstSignal();
  await Promise.race([outlet.serve(relay), signalled.promise]);
  ended.abort();
  await relay.close();
  const isWritten = await conclude(savings, stats, recording, log);
  signalled.raise();
  return isWritten ? 0 : 1;
}

/** How clients reach us. Over HTTP each message to a client waits for itself. */
type Outlet = { room?: Room; serve(relay: Relay): Promise<void> };

function outletOf({ listen, maxClients }: ProxyConfig): Outlet {
  return listen === undefined ? overStdio() : { serve: (relay) => overHttp(relay, listen, maxClients) };
}

function overStdio(): Outlet {
  const transport = withLastAnswers(stdioTransport(), LAST_ANSWERS_MS);
  const queue = new SendQueue(transport);
  return {
    room: () => (queue.isFull ? queue.untilNotFull() : undefined),
    async serve(relay) {
      await serveConnection(relay, transport, queue);
      await transport.close();
    },
  };
}

async function overHttp(relay: Relay, port: number, maxSessions: ProxyConfig["maxClients"]): Promise<void> {
  // HTTP is loaded only when it is asked for.
  const { serveHttp } = await import("@bosun/mcp/http");
  const listening = listenOn(port, (free) => serveHttp(relay, { port: free, maxSessions }));
  console.error(`bosun proxy listens on ${listening.url.href}`);
  await new Promise(() => {}); // a signal ends it
}

function listenOn<T>(port: number, serveOn: (port: number) => T): T {
  try {
    return serveOn(port);
  } catch (error) {
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
  if (stats) console.error(ledgerText(ledger));
  const isWorthKeeping = ledger.sessions > 0;
  try {
    if (isWorthKeeping) await keepLedger(await stateFolder(), ledger);
  } catch (error) {
    log("debug", `what was saved could not be kept: ${String(error)}`);
  }
  try {
    if (recording) log("info", `recorded ${await recording.write()}`);
    return true;
  } catch (error) {
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
