// The tools over HTTP: /mcp behind a token, /health for everybody, where tokens come from, and nothing else.
import { lookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isLoopback } from "@bosun/platform/hosts";
import {
  AuthorizationError,
  createJwtVerifier,
  createResourceServer,
  createStaticTokenVerifier,
  httpFetch,
  serveHttp,
} from "@bosun/mcp/http";
import type { Listening, ResourceServer } from "@bosun/mcp/http";
import { maxMessageBytes } from "../config/config.ts";
import type { Config, IssuerConfig } from "../config/config.ts";
import { UsageError } from "@bosun/platform/flags";
import type { ToolService } from "./serve-tools.ts";

const ENDPOINT = "/mcp";

/** Bun says of a name that nobody knows that its port is in use: asked before. Throws UsageError. */
export async function checkHost(host: string): Promise<void> {
  if (isIP(host) !== 0) return;
  try {
    await lookup(host);
  } catch (error) {
    throw new UsageError(
      `--host ${JSON.stringify(host)}: no machine of that name is known (${codeOf(error) ?? "no answer"}); name an address of this machine`,
    );
  }
}

/** Takes one of so many further ports when the first is in use. Throws UsageError when the address cannot be listened on. */
export function listen(tools: ToolService, config: Config, token: string | undefined, furtherPorts = 0): Listening {
  const resourceServer = resourceServerFor(config, token);
  if (resourceServer === undefined && !isLoopback(config.host)) {
    throw new UsageError(
      `refusing to listen on ${config.host} without a token: anybody who reaches it could run commands. Add --generate-token, --token or --auth-issuer`,
    );
  }
  for (let port = config.port; ; port += 1) {
    try {
      return serveHttp(tools.server, {
        hostname: config.host,
        port,
        path: ENDPOINT,
        routes: { "/health": health, ...(resourceServer === undefined ? {} : metadataRoute(resourceServer)) },
        allowedHosts: hostsOf(config),
        allowedOrigins: config.allowedOrigins,
        sessionIdleMs: config.idleMs,
        maxBodyBytes: maxMessageBytes(config),
        ...(resourceServer === undefined ? {} : { authorize: (request) => resourceServer.authorize(request) }),
      });
    } catch (error) {
      if (codeOf(error) === "EADDRINUSE" && port < config.port + furtherPorts) continue;
      throw new UsageError(`could not listen on ${config.host}:${config.port}: ${whyNot(error)}`);
    }
  }
}

/** The one check of who calls: a token by hand and tokens of an authorization server come through the same code. */
function resourceServerFor({ auth }: Config, token: string | undefined): ResourceServer | undefined {
  try {
    if (auth.kind === "issuer") return issuedTokens(auth);
    return token === undefined ? undefined : tokenByHand(token);
  } catch (error) {
    if (error instanceof AuthorizationError) throw new UsageError(error.message);
    throw error;
  }
}

function tokenByHand(token: string): ResourceServer {
  // A header cannot carry blanks at its ends.
  const known = [{ token: token.trim(), subject: "token" }];
  return createResourceServer({
    resource: `http://localhost${ENDPOINT}`, // names nothing: such a token has no audience, and no metadata is published
    authorizationServers: [],
    verify: createStaticTokenVerifier(known, { chosenByPerson: true }),
    tokenPattern: /\S/,
  });
}

function issuedTokens({ issuer, audience, jwksUri, scopes }: IssuerConfig): ResourceServer {
  return createResourceServer({
    resource: audience,
    authorizationServers: [issuer],
    requiredScopes: scopes,
    ...(scopes.length === 0 ? {} : { scopesSupported: scopes }),
    resourceName: "bosun",
    verify: createJwtVerifier({
      issuers: [{ issuer, ...(jwksUri === undefined ? {} : { jwksUri }) }],
      fetch: httpFetch,
    }),
  });
}

/** RFC 9728: clients that were refused look here for who gives out tokens. */
function metadataRoute(resourceServer: ResourceServer): Record<string, (request: Request) => Response> {
  const { pathname } = new URL(resourceServer.metadataUrl);
  return { [pathname]: (request) => resourceServer.metadata(request) ?? new Response("not found\n", { status: 404 }) };
}

function hostsOf({ host, allowedHosts, auth }: Config): string[] {
  const published = auth.kind === "issuer" ? [new URL(auth.audience).hostname] : [];
  return [...(isLoopback(host) ? [] : [host]), ...published, ...allowedHosts];
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has this port; --port 0 takes a free one",
  EACCES: "ports below 1024 are not for this user",
  EADDRNOTAVAIL: "this machine has no such address",
};

function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return WHY_NOT[codeOf(error) ?? ""] ?? error.message;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

export function generateToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
}

function health(request: Request): Response {
  if (request.method !== "GET" && request.method !== "HEAD")
    return new Response(null, { status: 405, headers: { allow: "GET" } });
  return json('{"status":"ok"}', 200);
}

/** Response.json would add a charset, which JSON does not have. */
function json(text: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
}
