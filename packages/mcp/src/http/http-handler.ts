// The MCP endpoint as a function of Request → Response: all revisions on one path. Bun.serve brings it requests
// (http-listener.ts); anything else that speaks the web's Request and Response can, too.
import type { Principal, Service } from "../server/call.ts";
import { STREAM_LIMITS } from "./event-stream.ts";
import type { StreamLimits } from "./event-stream.ts";
import { readBody } from "../wire/http-body.ts";
import { checkHostAndOrigin } from "./host-check.ts";
import type { HostRules } from "./host-check.ts";
import { LegacyHttp, refusal, VERSION_HEADER } from "./http-legacy.ts";
import { ModernHttp } from "./http-modern.ts";
import { jsonResponse } from "./http-reply.ts";
import { errorText, parseMessage } from "../wire/message.ts";
import type { Incoming } from "../wire/message.ts";
import { withCallMemoryLimit } from "../server/running-calls.ts";
import { hasModernMeta } from "../server/modern-request.ts";
import { isModern } from "../wire/revisions.ts";
import { INVALID_REQUEST, PARSE_ERROR, RpcError } from "../wire/rpc-error.ts";
import { SessionRegistry } from "./session-registry.ts";
import { SharedBudget } from "../wire/shared-budget.ts";
import { MAX_MESSAGE_BYTES } from "../wire/stdio.ts";

const REQUEST_HEADERS = [
  "Content-Type",
  "Accept",
  "Authorization",
  "Mcp-Session-Id",
  "Mcp-Protocol-Version",
  "Mcp-Method",
  "Mcp-Name",
  "Last-Event-ID",
].join(", ");

export type HttpOptions = HostRules & {
  /** Who is calling. A Response refuses the request. Without it everybody who passes the host rules may call. */
  authorize?: (request: Request) => Promise<Principal | Response> | Principal | Response;
  maxBodyBytes?: number;
  maxSessions?: number;
  sessionIdleMs?: number;
  streams?: Partial<StreamLimits>;
  /** Called when a request is there as a whole: from now on silence is work, not a peer that has stopped sending. */
  onReceived?: (request: Request) => void;
};

/** Sixteen of the largest messages at once. */
const MAX_RECEIVING_BYTES = 256 * 1024 * 1024;

export type HttpEndpoint = { fetch(request: Request): Promise<Response>; sessions(): number; close(): void };

export function createHttpHandler(service: Service, options: HttpOptions = {}): HttpEndpoint {
  const maxBodyBytes = options.maxBodyBytes ?? MAX_MESSAGE_BYTES;
  const sessions = new SessionRegistry({
    maxSessions: options.maxSessions ?? 10_000,
    idleMs: options.sessionIdleMs ?? 30 * 60 * 1000,
  });
  const streamLimits = { ...STREAM_LIMITS, ...options.streams };
  const receiving = new SharedBudget(Math.max(MAX_RECEIVING_BYTES, maxBodyBytes));
  const limited = withCallMemoryLimit(service);
  const legacy = new LegacyHttp(limited, sessions, streamLimits);
  const modern = new ModernHttp(limited, streamLimits);

  async function respond(request: Request): Promise<Response> {
    const principal = options.authorize ? await options.authorize(request) : undefined;
    if (principal instanceof Response) return principal;
    if (request.method !== "POST" && isModern(request.headers.get(VERSION_HEADER))) {
      return refusal(405, "2026-07-28 has only POST", undefined, { allow: "POST" });
    }
    if (request.method === "GET") {
      options.onReceived?.(request);
      return legacy.get(request, principal);
    }
    if (request.method === "DELETE") return legacy.delete(request, principal);
    if (request.method !== "POST")
      return refusal(405, `${request.method} is not offered`, undefined, { allow: "POST, GET, DELETE" });
    if (!isJson(request.headers.get("content-type"))) return refusal(415, "Content-Type must be application/json");
    const body = await readBody(request, maxBodyBytes, receiving);
    options.onReceived?.(request);
    if (!body.ok) {
      return jsonResponse(errorText(undefined, new RpcError(PARSE_ERROR, body.problem)), body.status);
    }
    const message = parseMessage(body.text);
    if (message.kind === "malformed") return legacy.refuse(request, message, principal);
    if (message.kind === "batch") return postBatch(request, message, principal);
    return speaksModern(message, request.headers)
      ? modern.post(request, message, principal)
      : legacy.post(request, message, principal);
  }

  async function postBatch(
    request: Request,
    message: Extract<Incoming, { kind: "batch" }>,
    principal: Principal | undefined,
  ): Promise<Response> {
    const anyModern = message.items.some((item) => speaksModern(item, request.headers));
    if (!anyModern) return legacy.post(request, message, principal);
    return jsonResponse(errorText(undefined, new RpcError(INVALID_REQUEST, "2026-07-28 has no batches")), 400);
  }

  return {
    async fetch(request) {
      const verdict = checkHostAndOrigin(request.headers, options);
      if (!verdict.ok) return refusal(403, verdict.reason);
      // Our own origin needs no CORS; another one that is allowed does.
      const origin = options.allowedOrigins?.length ? verdict.origin : undefined;
      if (request.method === "OPTIONS") return preflight(origin, request.headers);
      if (origin === undefined) return respond(request);
      return withCors(await respond(request), origin);
    },
    sessions: () => sessions.size,
    close: () => sessions.close(),
  };
}

/** The era a message names in its `_meta` decides; the header only where there is none. */
function speaksModern(message: Incoming, headers: Headers): boolean {
  if (message.kind === "request" && hasModernMeta(message.params)) return true;
  if (message.kind === "notification" && hasModernMeta(message.params)) return true;
  return isModern(headers.get(VERSION_HEADER));
}

function isJson(contentType: string | null): boolean {
  return contentType !== null && /^application\/json\s*(;|$)/i.test(contentType);
}

function preflight(origin: string | undefined, headers: Headers): Response {
  if (origin === undefined) return refusal(403, "no web page may call this server");
  const asked = headers.get("access-control-request-headers") ?? "";
  // Tools name these headers themselves, so they cannot be listed beforehand.
  const mirrored = asked.split(",").filter((name) => /^\s*mcp-param-[!#$%&'*+\-.^_`|~0-9a-z]+\s*$/i.test(name));
  return withCors(
    new Response(null, {
      status: 204,
      headers: {
        "access-control-allow-methods": "GET, POST, DELETE, OPTIONS",
        "access-control-allow-headers": [REQUEST_HEADERS, ...mirrored].join(", "),
        "access-control-max-age": "86400",
      },
    }),
    origin,
  );
}

function withCors(given: Response, origin: string): Response {
  const response = new Response(given.body, given); // the headers of some responses cannot be changed
  response.headers.set("access-control-allow-origin", origin);
  response.headers.set("access-control-expose-headers", "Mcp-Session-Id, WWW-Authenticate");
  response.headers.append("vary", "Origin");
  return response;
}
