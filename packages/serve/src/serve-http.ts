// The tools over HTTP: /mcp behind a token, /health for everybody, nothing else (reference §4).
import { serveHttp } from "@bosun/mcp/http";
import type { Listening } from "@bosun/mcp/http";
import type { Principal } from "@bosun/mcp/server";
import { maxMessageBytes } from "./config.ts";
import type { Config } from "./config.ts";
import { UsageError } from "./flags.ts";
import type { ToolService } from "./serve-tools.ts";

/** Throws UsageError when the address cannot be listened on. */
export function listen(tools: ToolService, config: Config, token: string | undefined): Listening {
  if (token === undefined && !isLoopback(config.host)) {
    throw new UsageError(
      `refusing to listen on ${config.host} without a token: anybody who reaches it could run commands. Add --generate-token or --token`,
    );
  }
  try {
    return serveHttp(tools.server, {
      hostname: config.host,
      port: config.port,
      path: "/mcp",
      routes: { "/health": health },
      allowedHosts: isLoopback(config.host) ? config.allowedHosts : [config.host, ...config.allowedHosts],
      allowedOrigins: config.allowedOrigins,
      sessionIdleMs: config.idleMs,
      maxBodyBytes: maxMessageBytes(config),
      ...(token === undefined ? {} : { authorize: bearer(token) }),
    });
  } catch (error) {
    throw new UsageError(`could not listen on ${config.host}:${config.port}: ${whyNot(error)}`);
  }
}

const WHY_NOT: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program has this port; --port 0 takes a free one",
  EACCES: "ports below 1024 are not for this user",
  EADDRNOTAVAIL: "this machine has no such address",
  ENOENT: "this machine has no such address", // a name that nobody knows
};

function whyNot(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return WHY_NOT["code" in error ? String(error.code) : ""] ?? error.message;
}

export function generateToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
}

function health(request: Request): Response {
  if (request.method !== "GET" && request.method !== "HEAD")
    return new Response(null, { status: 405, headers: { allow: "GET" } });
  return json('{"status":"ok"}', 200);
}

/** Digests are compared, each to its end: neither time nor length tells how much of a guess was right. */
function bearer(token: string): (request: Request) => Principal | Response {
  const expected = digest(token);
  return (request) => {
    const [, presented] = /^bearer (.*)$/is.exec(request.headers.get("authorization") ?? "") ?? [];
    if (presented !== undefined && areEqual(digest(presented), expected)) return { id: "token", scopes: [] };
    return json('{"error":"unauthorized"}', 401, { "www-authenticate": "Bearer" });
  };
}

/** Response.json would add a charset, which JSON does not have. */
function json(text: string, status: number, headers: Record<string, string> = {}): Response {
  return new Response(text, { status, headers: { "content-type": "application/json", ...headers } });
}

// Not node:crypto: a bundle imports it at every start, also on stdio, and that alone costs 10 ms.
function digest(text: string): Uint8Array {
  return new Bun.CryptoHasher("sha256").update(text).digest();
}

function areEqual(left: Uint8Array, right: Uint8Array): boolean {
  return (
    left.reduce((difference, byte, at) => difference | (byte ^ (right[at] ?? 0)), left.length ^ right.length) === 0
  );
}

function isLoopback(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
