// `bosun serve`: words and environment → a running server → an exit code. Callable in any process; main.ts is the program.
import { EngineError } from "@bosun/engine";
import type { Sandbox } from "@bosun/engine";
import { BosunError } from "@bosun/platform/errors";
import { homeOf } from "@bosun/settings";
import type { Settings } from "@bosun/settings";
import { messagesIn, serveConnection, stdioTransport } from "@bosun/mcp/server";
import { helpText, misspeltVariables, UsageError } from "@bosun/platform/flags";
import { maxMessageBytes, parseInvocation, PROGRAM } from "../config/config.ts";
import type { Config } from "../config/config.ts";
import { detectStdioClient } from "./detect-stdio-client.ts";
import { createLog } from "@bosun/platform/log";
import type { Log } from "@bosun/platform/log";
import { serveTools, settingsFor, VERSION } from "./serve-tools.ts";
import type { ServeOptions, ToolService } from "./serve-tools.ts";
import { settingsLayer } from "../config/settings-layer.ts";
import type { Layer } from "../config/settings-layer.ts";

/** Commands get 5 s between TERM and KILL; more than this nobody waits for a server to stop. */
const SHUTDOWN_MS = 10_000;
/** Of it, for the answers to calls in flight: those of commands come when they have ended. */
const LAST_ANSWERS_MS = 7000;

/** How many ports after the usual one `bosun start` tries. */
const FURTHER_PORTS = 20;

/** Lets the clients go, once what they had asked for is answered. */
type Close = (answered: Promise<unknown>) => Promise<void>;

export type Io = {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  out(text: string): void;
  /** Unbuffered: what is said here must be seen even if the process dies next. */
  complain(text: string): void;
  /** Calls back on each request to stop (SIGINT, SIGTERM); returns how to stop listening. */
  onStop(handler: () => void): () => void;
  readonly sandboxHelper?: readonly string[];
  readonly guests?: ServeOptions["guests"];
  readonly welcome?: Welcome;
};

/** For a person in front of a terminal (`bosun start`): over HTTP, with a token in any case, and told once it listens. */
export type Welcome = {
  /** Unless a flag, a variable or the settings name another. */
  readonly port: number;
  say(serving: Serving): void;
};

export type Serving = {
  readonly url: URL;
  readonly token: string;
  readonly config: Config;
  /** undefined: no tool runs commands. */
  readonly sandbox: Sandbox | undefined;
};

/** Resolves when the server has stopped and nothing of it runs any more. */
export async function runServe(words: readonly string[], io: Io): Promise<number> {
  try {
    const home = homeOf(io.env);
    const first = parseInvocation(words, io.env, io.cwd);
    if (first.kind !== "serve")
      return said(io, first.kind === "help" ? `${helpText(PROGRAM)}\n` : `bosun ${VERSION}\n`);
    const settings = settingsFor(first.config, io.env, home);
    const layered = parseInvocation(words, io.env, io.cwd, layerBelow(settings.settings, io));
    const canMove = io.welcome !== undefined && !isPortNamed(words, io, settings.settings);
    const wanted = layered.kind === "serve" ? layered.config : first.config;
    const spoken = io.welcome === undefined && !wanted.transportNamed ? await detectStdioClient() : undefined;
    const config: Config = spoken === undefined ? wanted : { ...wanted, transport: "stdio" };
    if (io.welcome !== undefined && config.transport !== "http")
      throw new UsageError("this serves over HTTP; over stdio it is: bosun serve --transport stdio");
    const log = createLog({ level: config.logLevel, format: config.logFormat, write: io.complain });
    for (const { name, meant } of misspeltVariables(PROGRAM, io.env)) log("warn", `${name} is not read: ${meant} is`);
    const token = await tokenFor(config, io);
    const tools = await serveTools(config, {
      env: io.env,
      home,
      log,
      settings,
      secrets: token === undefined ? [] : [token],
      ...(io.sandboxHelper === undefined ? {} : { sandboxHelper: io.sandboxHelper }),
      ...(io.guests === undefined ? {} : { guests: io.guests }),
    });
    log("info", "shell", { path: tools.state.host.shell.path });
    return await serveUntilStopped(tools, config, { token, spoken, canMove }, log, io);
  } catch (error) {
    const known = error instanceof UsageError || error instanceof EngineError || error instanceof BosunError;
    if (!known) throw error;
    io.complain(`bosun serve: ${error.message}\n`);
    return 2;
  }
}

/** A port that somebody chose is the one that clients are told of: then it is that one or none. */
function isPortNamed(words: readonly string[], { env, cwd, welcome }: Io, settings: Settings): boolean {
  const [one, other] = ["1", "2"].map((port) => {
    const parsed = parseInvocation(words, env, cwd, new Map([["port", [port]], ...settingsLayer(settings, env)]));
    return parsed.kind === "serve" ? parsed.config.port : welcome?.port;
  });
  return one === other;
}

function layerBelow(settings: Settings, { env, welcome }: Io): Layer {
  const layer = settingsLayer(settings, env);
  return welcome === undefined ? layer : new Map([["port", [String(welcome.port)]], ...layer]);
}

async function serveUntilStopped(
  tools: ToolService,
  config: Config,
  {
    token,
    spoken,
    canMove,
  }: { token: string | undefined; spoken: AsyncIterable<Uint8Array> | undefined; canMove: boolean },
  log: Log,
  io: Io,
): Promise<number> {
  const stopping = Promise.withResolvers<"stop">();
  const forced = Promise.withResolvers<"forced">();
  let asked = 0;
  const ignore = io.onStop(() => {
    asked += 1;
    if (asked === 1) stopping.resolve("stop");
    else forced.resolve("forced");
  });
  try {
    const close =
      config.transport === "stdio"
        ? serveStdio(tools, config, spoken, stopping)
        : await serveOverHttp(tools, config, { token, canMove }, log, io);
    await stopping.promise;
    log("info", "stopping");
    const ended = await Promise.race([shutDown(close, tools), forced.promise, after(SHUTDOWN_MS)]);
    if (ended === "stopped") return 0;
    log("error", ended === "forced" ? "stopped at once, as asked twice" : "some commands did not end in time");
    return 1;
  } finally {
    ignore();
  }
}

/** End of input is the client's death, or its goodbye: everything it had ends. */
function serveStdio(
  tools: ToolService,
  config: Config,
  spoken: AsyncIterable<Uint8Array> | undefined,
  stopping: PromiseWithResolvers<"stop">,
): Close {
  const maxBytes = maxMessageBytes(config);
  const transport = stdioTransport(maxBytes);
  const incoming = spoken === undefined ? transport.incoming : messagesIn(spoken, maxBytes);
  const served = serveConnection(tools.server, { ...transport, incoming });
  void served.catch(() => {}).then(() => stopping.resolve("stop"));
  return (answered) => answered.then(() => transport.close());
}

async function serveOverHttp(
  tools: ToolService,
  config: Config,
  { token, canMove }: { token: string | undefined; canMove: boolean },
  log: Log,
  io: Io,
): Promise<Close> {
  const { checkHost, listen } = await import("./serve-http.ts");
  try {
    await checkHost(config.host);
    const listening = listen(tools, config, token, canMove ? FURTHER_PORTS : 0);
    const port = Number(listening.url.port);
    if (canMove && port !== config.port)
      log("warn", `port ${config.port} is in use by another program, so this is port ${port}`);
    const isOpen = token === undefined && config.auth.kind !== "issuer";
    if (isOpen)
      log(
        "warn",
        "no token is set: every program and user of this machine that reaches this address can call the tools, with your rights. Add --generate-token, or set --token or BOSUN_TOKEN",
      );
    log("info", "listening", {
      url: listening.url.href,
      auth: isOpen ? "none" : config.auth.kind === "issuer" ? `tokens of ${config.auth.issuer}` : "bearer token",
    });
    if (io.welcome !== undefined && token !== undefined) {
      io.welcome.say({ url: listening.url, token, config, sandbox: tools.sandbox });
    } else if (config.auth.kind === "generate" && token !== undefined) {
      io.complain(clientLines(listening.url, token));
    }
    return (answered) => listening.stop(answered);
  } catch (error) {
    await tools.close();
    throw error;
  }
}

/** What most clients take as their configuration. */
function clientLines(url: URL, token: string): string {
  const server = { type: "http", url: url.href, headers: { Authorization: `Bearer ${token}` } };
  return `for a client's configuration:\n${JSON.stringify({ mcpServers: { bosun: server } }, null, 2)}\n`;
}

async function shutDown(close: Close, tools: ToolService): Promise<"stopped"> {
  await close(Promise.race([tools.stop(), after(LAST_ANSWERS_MS)]));
  await tools.close();
  return "stopped";
}

/** On stdio a token means nothing, and asking for one does no harm. */
async function tokenFor(config: Config, io: Io): Promise<string | undefined> {
  if (config.transport === "stdio") return undefined;
  if (config.auth.kind === "token") {
    if (config.auth.token.trim() !== "") return config.auth.token;
    throw new UsageError(
      "the token is empty, and nobody could ever send it: give --token a value, or --generate-token",
    );
  }
  if (config.auth.kind === "issuer") {
    if (io.welcome === undefined) return undefined;
    throw new UsageError(
      "this makes a token of its own; with an authorization server it is: bosun serve --auth-issuer …",
    );
  }
  if (config.auth.kind === "none" && io.welcome === undefined) return undefined;
  const { generateToken } = await import("./serve-http.ts");
  const token = generateToken();
  if (io.welcome !== undefined) return token;
  // Whatever the log level: without it the operator is locked out.
  io.complain(`bearer token: ${token}\n`);
  return token;
}

function said(io: Io, text: string): number {
  io.out(text);
  return 0;
}

function after(ms: number): Promise<"late"> {
  return new Promise((resolve) => void setTimeout(() => resolve("late"), ms).unref());
}
