// One MCP server as we reach it, from whichever list it came.
import type { ServerSettings } from "@bosun/settings";
import { reachOf } from "@bosun/platform/hosts";
import { isSecretName } from "@bosun/platform/secrets";
import { serverIdentity, serverLabel } from "@bosun/policy";
import type { ServerAddress } from "@bosun/policy";
import type { JsonObject, Transport } from "@bosun/mcp";

/** A server inside this process: the seam for the coding tools of `here`. */
export type OpenBuiltIn = (signal: AbortSignal) => Promise<Transport> | Transport;

/** A path of a call whose text does not say where it leads. */
export type ResolvedPath = { readonly requested: string; readonly path: string };
/** Where a call of a server inside this process would lead; that server then holds the call to it. */
export type ResolvePaths = (tool: string, args: JsonObject) => readonly ResolvedPath[];

export type Reach =
  | {
      kind: "http";
      url: string;
      headers: Readonly<Record<string, string>>;
      /** `sse`: the transport of 2024-11-05; `http`: not that one. Neither: whichever works. */
      transport?: "http" | "sse";
      authToken?: string;
      authEnv?: string;
      tlsCa?: string;
      tlsInsecure?: boolean;
    }
  | {
      kind: "stdio";
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      envPass: readonly string[];
      cwd?: string;
    }
  | { kind: "builtin"; label: string; open: OpenBuiltIn; resolvePaths?: ResolvePaths | undefined };

export type ServerConfig = {
  alias: string;
  reach: Reach;
  /** Where it was named, for the person. */
  origin: string;
  enabled: boolean;
  trust: boolean;
  /** Can it send data off this machine? */
  sends: boolean;
  allow: readonly string[];
  deny: readonly string[];
  connectMs: number;
  callMs: number;
  protocol: string;
};

const STDIO_CONNECT_MS = 30_000; // package runners download first

export function configFromSettings(
  alias: string,
  settings: ServerSettings,
  mcp: { connectTimeoutS: number; callTimeoutS: number },
  origin: string,
): ServerConfig {
  const { url, command } = settings;
  const reach: Reach =
    url === undefined
      ? {
          kind: "stdio",
          command: command ?? "",
          args: settings.args,
          env: settings.env,
          envPass: settings.envPass,
          ...(settings.cwd === undefined ? {} : { cwd: settings.cwd }),
        }
      : {
          kind: "http",
          url,
          headers: settings.headers,
          ...(settings.transport === "auto" ? {} : { transport: settings.transport }),
          ...(settings.authToken === undefined ? {} : { authToken: settings.authToken }),
          ...(settings.authEnv === undefined ? {} : { authEnv: settings.authEnv }),
          ...(settings.tlsCa === undefined ? {} : { tlsCa: settings.tlsCa }),
          ...(settings.tlsInsecure ? { tlsInsecure: true } : {}),
        };
  const usualMs =
    reach.kind === "stdio" ? Math.max(STDIO_CONNECT_MS, mcp.connectTimeoutS * 1000) : mcp.connectTimeoutS * 1000;
  return {
    alias,
    reach,
    origin,
    enabled: settings.enabled,
    trust: settings.trust,
    sends: settings.sends ?? sendsByDefault(reach),
    allow: settings.tools.allow,
    deny: settings.tools.deny,
    connectMs: settings.connectTimeoutS === undefined ? usualMs : settings.connectTimeoutS * 1000,
    callMs: (settings.callTimeoutS ?? mcp.callTimeoutS) * 1000,
    protocol: settings.protocol,
  };
}

/** A server named at run time or in another program's list. */
export function plainConfig(
  alias: string,
  reach: Reach,
  origin: string,
  mcp: { connectTimeoutS: number; callTimeoutS: number },
): ServerConfig {
  return {
    alias,
    reach,
    origin,
    enabled: true,
    trust: false,
    sends: sendsByDefault(reach),
    allow: [],
    deny: [],
    connectMs: reach.kind === "stdio" ? STDIO_CONNECT_MS : mcp.connectTimeoutS * 1000,
    callMs: mcp.callTimeoutS * 1000,
    protocol: "auto",
  };
}

/** What in it nobody may see: tokens, headers and variables with telling names. */
export function secretsIn(reach: Reach, env: Readonly<Record<string, string | undefined>>): string[] {
  const telling = (values: Readonly<Record<string, string>>): string[] =>
    Object.entries(values).flatMap(([name, value]) => (isSecretName(name) ? [value.replace(/^Bearer\s+/i, "")] : []));
  if (reach.kind === "builtin") return [];
  if (reach.kind === "stdio") {
    return [...telling(reach.env), ...reach.envPass.filter(isSecretName).map((name) => env[name] ?? "")];
  }
  const named = reach.authEnv === undefined ? undefined : env[reach.authEnv];
  return [...telling(reach.headers), reach.authToken ?? "", named ?? ""];
}

export function addressOf(reach: Reach): ServerAddress {
  if (reach.kind === "http") return { url: reach.url };
  if (reach.kind === "stdio") return { command: reach.command, args: reach.args };
  return { builtin: reach.label };
}

export function identityOf(config: ServerConfig): string {
  return serverIdentity(addressOf(config.reach));
}

/** `http 127.0.0.1:8080/mcp`, `stdio git-mcp --repo .`; nothing secret in it. */
export function placeOf(reach: Reach): string {
  const label = serverLabel(addressOf(reach));
  if (reach.kind === "stdio") return `stdio ${label}`;
  if (reach.kind === "builtin") return `built in: ${label}`;
  return label.replace(/^(https?):\/\//, "$1 ");
}

/** Does this pattern list hold the name? `*` only at the end. */
export function listHas(patterns: readonly string[], name: string): boolean {
  return patterns.some((pattern) => (pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : pattern === name));
}

function sendsByDefault(reach: Reach): boolean {
  if (reach.kind === "builtin") return false;
  if (reach.kind === "stdio") return true;
  return !URL.canParse(reach.url) || reachOf(new URL(reach.url).hostname) !== "loopback";
}
