// A server's configuration → a connected client: addresses, tokens, environments, eras. Knows nothing of tools.
import { readFileSync } from "node:fs";
import { childEnvironment } from "@bosun/platform/environment";
import { reachOf } from "@bosun/platform/hosts";
import type { Redactor } from "@bosun/platform/secrets";
import { Client, ConnectionError, connectHttp, httpFetch } from "@bosun/mcp";
import type { ClientOptions, HttpFetch, JsonObject, Transport } from "@bosun/mcp";
import { HttpLink, startServer } from "@bosun/mcp/relay";
import type { Link, Reply } from "@bosun/mcp/relay";
import { lateReplyHttpLink, lateReplyTransportLink } from "./late-reply-link.ts";
import type { LateReplyOptions } from "./late-reply-link.ts";
import type { Reach, ServerConfig } from "./server-config.ts";

export type Era = "modern" | "legacy";
/** Remembers which era a server speaks, so that it is not asked each time. */
export type EraStore = { get(identity: string): Era | undefined; set(identity: string, era: Era): void };

export type OpenContext = {
  env: Readonly<Record<string, string | undefined>>;
  redactor: Redactor;
  cwd: string;
  /** Records what goes over HTTP, when that was asked for. */
  tracing: (real: HttpFetch) => HttpFetch;
  /** Signed in by a person: takes the place of a token. */
  authorizedFetch?: HttpFetch | undefined;
  onStderr: (text: string) => void;
  /** How a server that we started has ended: "exit 1", "SIGKILL". */
  onExit: (how: string) => void;
  onWarning: (text: string) => void;
  /** An answer to a call that was given up a moment ago; `params` are those of the call. */
  onLate: (params: JsonObject, reply: Reply) => void;
};

/** A problem of the configuration: no attempt to connect was made. */
export class CannotOpen extends Error {
  override readonly name = "CannotOpen";
}

const STDIO_PROBE_MS = 2000;
const HTTP_PROBE_MS = 5000;

/** Aborting the signal ends whatever was opened, also in the middle of opening it. */
export async function openClient(
  config: ServerConfig,
  options: Omit<ClientOptions, "era" | "probeTimeoutMs">,
  era: Era | undefined,
  context: OpenContext,
  signal: AbortSignal,
): Promise<Client> {
  const { reach, protocol } = config;
  const pinned = pinnedEra(protocol);
  const all: ClientOptions = {
    ...options,
    era: pinned ?? era ?? "auto",
    probeTimeoutMs: Math.min(reach.kind === "http" ? HTTP_PROBE_MS : STDIO_PROBE_MS, config.connectMs),
    timeoutMs: config.connectMs,
  };
  const lateReplies: LateReplyOptions = {
    onLate: context.onLate,
    revision: pinned === "legacy" ? protocol : undefined,
  };
  const client =
    reach.kind === "http"
      ? await openHttp(reach, config.alias, all, lateReplies, context, signal)
      : await openTransport(reach, all, lateReplies, context, signal);
  if (protocol === "auto" || client.revision === protocol) return client;
  await client.close();
  throw new CannotOpen(`it speaks ${client.revision}, and ${protocol} is pinned`);
}

async function openTransport(
  reach: Exclude<Reach, { kind: "http" }>,
  options: ClientOptions,
  lateReplies: LateReplyOptions,
  context: OpenContext,
  signal: AbortSignal,
): Promise<Client> {
  return Client.connect(async (receive, _, earlier) => {
    if (reach.kind === "builtin") {
      if (earlier?.gone.aborted === true) throw new ConnectionError("closed", "this connection cannot be opened again");
      return earlier ?? endedBy(signal, lateReplyTransportLink(await reach.open(signal), receive, lateReplies));
    }
    return endedBy(signal, lateReplyTransportLink(startChild(reach, context), receive, lateReplies));
  }, options);
}

function startChild(reach: Extract<Reach, { kind: "stdio" }>, context: OpenContext): Transport {
  const child = startServer({
    command: reach.command,
    args: reach.args,
    env: childEnvironment(context.env, {
      pass: reach.envPass,
      set: reach.env,
      holdsSecret: (value) => context.redactor.find(value).length > 0,
    }),
    inherits: false,
    cwd: reach.cwd ?? context.cwd,
    onStderr: context.onStderr,
  });
  void child.ended.then(context.onExit);
  return child;
}

async function openHttp(
  reach: Extract<Reach, { kind: "http" }>,
  alias: string,
  options: ClientOptions,
  lateReplies: LateReplyOptions,
  context: OpenContext,
  signal: AbortSignal,
): Promise<Client> {
  const { headers, fetch } = httpAccess(reach, alias, context);
  const url = new URL(reach.url);
  const { timeoutMs } = options;
  // Known to be the old one: it is asked the old way, without a word about eras.
  if (reach.transport === "sse") return connectHttp(url, { ...options, era: "legacy", headers, fetch });
  try {
    return await Client.connect(async (receive, headersFor) => {
      const link = new HttpLink({ url, fetch, headers, headersFor, receive, timeoutMs });
      return endedBy(signal, lateReplyHttpLink(link, lateReplies));
    }, options);
  } catch (error) {
    const mayBeOlder = error instanceof ConnectionError && [400, 404, 405].includes(error.status ?? 0);
    if (!mayBeOlder || reach.transport === "http" || signal.aborted) throw error;
    return connectHttp(url, { ...options, headers, fetch }); // it knows the transport of 2024-11-05, too
  }
}

function endedBy(signal: AbortSignal, link: Link): Link {
  const end = (): void => void link.close().catch(() => {}); // gone already is closed
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  return link;
}

function httpAccess(
  reach: Extract<Reach, { kind: "http" }>,
  alias: string,
  context: OpenContext,
): { headers: Record<string, string>; fetch: HttpFetch } {
  const token = bearerToken(reach, context.env);
  const url = new URL(reach.url);
  if (token !== undefined && url.protocol === "http:" && reachOf(url.hostname) !== "loopback") {
    context.onWarning(`${alias}: its token travels in the open (http to ${url.host})`);
  }
  if (reach.tlsInsecure === true) context.onWarning(`${alias}: its certificate is not checked (tls_insecure)`);
  const headers = { ...reach.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return { headers, fetch: context.tracing(context.authorizedFetch ?? plainFetch(reach)) };
}

/** Literal beats variable; a variable that is named and not set is an error, not an anonymous call. */
export function bearerToken(
  reach: Extract<Reach, { kind: "http" }>,
  env: Readonly<Record<string, string | undefined>>,
): string | undefined {
  if (reach.authToken !== undefined) return reach.authToken;
  if (reach.authEnv === undefined) return undefined;
  const value = env[reach.authEnv];
  if (value === undefined || value === "") throw new CannotOpen(`the variable ${reach.authEnv} is not set`);
  return value;
}

/** To this server, with its certificates and without any token. */
export function plainFetch({ tlsCa, tlsInsecure }: Extract<Reach, { kind: "http" }>): HttpFetch {
  if (tlsCa === undefined && tlsInsecure !== true) return httpFetch;
  const tls = {
    ...(tlsCa === undefined ? {} : { ca: readCa(tlsCa) }),
    ...(tlsInsecure === true ? { rejectUnauthorized: false } : {}),
  };
  return (url, init) => httpFetch(url, { ...init, ...({ tls } as RequestInit) });
}

function readCa(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch (error) {
    throw new CannotOpen(`tls_ca: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function pinnedEra(protocol: string): Era | undefined {
  if (protocol === "auto") return undefined;
  return protocol >= "2026-07-28" ? "modern" : "legacy";
}
