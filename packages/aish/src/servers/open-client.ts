// A server's configuration → a connected client: addresses, tokens, environments, eras. Knows nothing of tools.
import { readFileSync } from "node:fs";
import { childEnvironment, isLoopback } from "@bosun/guard";
import type { Redactor } from "@bosun/guard";
import { connectChild, connectHttp, connectTransport, httpOut } from "@bosun/mcp";
import type { Client, ClientOptions, HttpFetch } from "@bosun/mcp";
import type { Reach, ServerConfig } from "./server-config.ts";

export type Era = "modern" | "legacy";
/** Remembers which era a server speaks, so that it is not asked each time. */
export type EraStore = { get(identity: string): Era | undefined; set(identity: string, era: Era): void };

export type OpenContext = {
  env: Readonly<Record<string, string | undefined>>;
  redactor: Redactor;
  cwd: string;
  /** Signed in by a person: takes the place of a token. */
  authorizedFetch?: HttpFetch | undefined;
  onStderr: (text: string) => void;
  onWarning: (text: string) => void;
};

/** A problem of the configuration: no attempt to connect was made. */
export class CannotOpen extends Error {
  override readonly name = "CannotOpen";
}

const STDIO_PROBE_MS = 2000;
const HTTP_PROBE_MS = 5000;

export async function openClient(
  config: ServerConfig,
  options: Omit<ClientOptions, "era" | "probeTimeoutMs">,
  era: Era | undefined,
  context: OpenContext,
  signal: AbortSignal,
): Promise<Client> {
  const { reach } = config;
  const all: ClientOptions = {
    ...options,
    era: pinnedEra(config.protocol) ?? era ?? "auto",
    probeTimeoutMs: Math.min(reach.kind === "http" ? HTTP_PROBE_MS : STDIO_PROBE_MS, config.connectMs),
    timeoutMs: config.connectMs,
  };
  if (reach.kind === "http") {
    const { headers, fetch } = httpAccess(reach, config.alias, context);
    return connectHttp(reach.url, { ...all, headers, fetch });
  }
  if (reach.kind === "builtin") return connectTransport(await reach.open(signal), all);
  return connectChild(
    {
      command: reach.command,
      args: reach.args,
      env: childEnvironment(context.env, { pass: reach.envPass, set: reach.env, redactor: context.redactor }),
      cwd: reach.cwd ?? context.cwd,
      onStderr: context.onStderr,
    },
    all,
  );
}

function httpAccess(
  reach: Extract<Reach, { kind: "http" }>,
  alias: string,
  context: OpenContext,
): { headers: Record<string, string>; fetch: HttpFetch } {
  const token = bearerToken(reach, context.env);
  const url = new URL(reach.url);
  if (token !== undefined && url.protocol === "http:" && !isLoopback(url.hostname)) {
    context.onWarning(`${alias}: its token travels in the open (http to ${url.host})`);
  }
  if (reach.tlsInsecure === true) context.onWarning(`${alias}: its certificate is not checked (tls_insecure)`);
  const headers = { ...reach.headers, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) };
  return { headers, fetch: context.authorizedFetch ?? withTls(reach) };
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

function withTls({ tlsCa, tlsInsecure }: Extract<Reach, { kind: "http" }>): HttpFetch {
  if (tlsCa === undefined && tlsInsecure !== true) return httpOut;
  const tls = {
    ...(tlsCa === undefined ? {} : { ca: readCa(tlsCa) }),
    ...(tlsInsecure === true ? { rejectUnauthorized: false } : {}),
  };
  return (url, init) => httpOut(url, { ...init, ...({ tls } as RequestInit) });
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
