// Streamable HTTP as 2025-03-26 to 2025-11-25 have it: sessions, POST for messages, GET for the server's own, DELETE.
import { createCall } from "../server/call.ts";
import type { Call, Principal, Service } from "../server/call.ts";
import { ReplayBudget } from "./event-stream.ts";
import type { StreamLimits } from "./event-stream.ts";
import { settlesWithin } from "../wire/deadline.ts";
import { jsonResponse } from "./http-reply.ts";
import { HttpSession } from "./http-session.ts";
import { clientFacts } from "../server/legacy-session.ts";
import { errorText } from "../wire/message.ts";
import type { Id, Incoming, Malformed, Request as RpcRequest, Single } from "../wire/message.ts";
import { replyTo, rpcErrorFor } from "../wire/reply.ts";
import type { Result } from "../wire/reply.ts";
import { isLegacy, negotiate } from "../wire/revisions.ts";
import { INVALID_REQUEST, TooManyClients, RpcError } from "../wire/rpc-error.ts";
import type { SessionRegistry } from "./session-registry.ts";

/** What all sessions together may keep for clients that come back. */
const MAX_REPLAY_CHARS = 128 * 1024 * 1024;

/** The params of `initialize` are kept as long as their session, and sessions are many. */
const MAX_INITIALIZE_CHARS = 64 * 1024;

/** Seconds: another session may have ended by then. */
const RETRY_LATER = { "retry-after": "30" };

/** Longer than a service should take to end what a session has left running; less than any client waits. */
const END_SESSION_TIMEOUT_MS = 8000;

const SESSION_HEADER = "mcp-session-id";
export const VERSION_HEADER = "mcp-protocol-version";

export class LegacyHttp {
  private readonly service: Service;
  private readonly sessions: SessionRegistry;
  private readonly streamLimits: StreamLimits;
  private readonly budget = new ReplayBudget(MAX_REPLAY_CHARS);

  constructor(service: Service, sessions: SessionRegistry, streamLimits: StreamLimits) {
    this.service = service;
    this.sessions = sessions;
    this.streamLimits = streamLimits;
  }

  async post(request: Request, message: Incoming, principal: Principal | undefined): Promise<Response> {
    if (message.kind === "request" && message.method === "initialize") return this.initialize(message, principal);
    const session = this.find(request, principal, message.kind === "request" ? message.id : undefined);
    if (session instanceof Response) return session;
    if (message.kind === "batch") return batch(session, message.items, principal);
    if (message.kind === "request") return session.answer(message, principal);
    return accept(session, message);
  }

  /** What cannot be read is refused; where it was meant as a reply, nobody waits for a better one. */
  refuse(request: Request, message: Malformed, principal: Principal | undefined): Response {
    const session = message.reply ? this.find(request, principal) : undefined;
    if (session instanceof HttpSession) session.legacy.rejectMalformed(message);
    return jsonResponse(errorText(message.id, message.error), 400);
  }

  get(request: Request, principal: Principal | undefined): Response {
    const session = this.find(request, principal);
    if (session instanceof Response) return session;
    return (
      // Not 404: that would say the session is gone.
      session.listen(request.headers.get("last-event-id")) ?? refusal(400, "unknown Last-Event-ID: it may be too old")
    );
  }

  /** Answered when what the session had is gone; 202 when that takes too long. */
  async delete(request: Request, principal: Principal | undefined): Promise<Response> {
    const session = this.find(request, principal);
    if (session instanceof Response) return session;
    const isGone = await settlesWithin(Promise.resolve(this.sessions.end(session)), END_SESSION_TIMEOUT_MS);
    return new Response(null, { status: isGone ? 204 : 202 });
  }

  private async initialize(message: RpcRequest, principal: Principal | undefined): Promise<Response> {
    if (message.raw.length > MAX_INITIALIZE_CHARS) {
      return refusal(413, `initialize is longer than ${MAX_INITIALIZE_CHARS} characters`, message.id);
    }
    using reservation = this.sessions.reserve();
    if (!reservation) return refusal(503, "too many sessions are open: try again later", message.id, RETRY_LATER);
    const params = message.params ?? {};
    const id = crypto.randomUUID();
    const { signal } = new AbortController();
    const call = createCall(message, {
      revision: negotiate(params["protocolVersion"]),
      client: clientFacts(params),
      principal,
      owner: id,
      signal,
      notify() {},
    });
    const replied = await replyTo(message.id, signal, () => this.handleInitialize(call));
    const result = replied?.result;
    const revision = result && "protocolVersion" in result ? result["protocolVersion"] : undefined;
    if (!isLegacy(revision)) {
      // There will be no session: what was begun for it is not wanted any more.
      this.service.ended?.(id);
      if (replied?.error instanceof TooManyClients) return refusal(503, replied.error.message, message.id, RETRY_LATER);
      const error = replied?.error ?? rpcErrorFor(new Error("initialize was not answered with a legacy revision"));
      return jsonResponse(errorText(message.id, error), 200);
    }
    reservation.take(new HttpSession(this.service, id, revision, params, principal, this.streamLimits, this.budget));
    return jsonResponse(replied?.text ?? "", 200, { [SESSION_HEADER]: id });
  }

  // A service may take fewer clients than we have sessions: then, too, the session idle longest is ended.
  private async handleInitialize(call: Call): Promise<Result> {
    try {
      return await this.service.handle(call);
    } catch (error) {
      // only too many clients are worth a second try, and only if a session could be ended
      if (!(error instanceof TooManyClients) || !this.sessions.endLongestIdle()) throw error;
      return this.service.handle(call);
    }
  }

  /** The request's session, or the response that says why there is none. */
  private find(request: Request, principal: Principal | undefined, messageId?: Id): HttpSession | Response {
    const version = request.headers.get(VERSION_HEADER);
    if (version !== null && !isLegacy(version))
      return refusal(400, `unsupported ${VERSION_HEADER}: ${version}`, messageId);
    const id = request.headers.get(SESSION_HEADER);
    if (id === null) return refusal(400, `${SESSION_HEADER} is required: initialize first`, messageId);
    const session = this.sessions.get(id);
    // Somebody else's session does not exist: ids are not authentication.
    if (!session || session.principalId !== principal?.id) {
      return refusal(404, "no such session: initialize again", messageId);
    }
    return session;
  }
}

export function refusal(status: number, problem: string, id?: Id, headers: Record<string, string> = {}): Response {
  return jsonResponse(errorText(id, new RpcError(INVALID_REQUEST, problem)), status, headers);
}

function accept(session: HttpSession, message: Exclude<Single, RpcRequest>): Response {
  if (message.kind === "malformed") return jsonResponse(errorText(message.id, message.error), 400);
  if (message.kind === "notification") session.handleNotification(message);
  else session.settle(message);
  return new Response(null, { status: 202 });
}

async function batch(
  session: HttpSession,
  items: readonly Single[],
  principal: Principal | undefined,
): Promise<Response> {
  if (session.legacy.revision !== "2025-03-26") return refusal(400, "batches are not part of this protocol revision");
  const answered = items.filter((item) => item.kind === "request" || item.kind === "malformed");
  if (answered.some((item) => item.kind === "request" && item.method === "initialize"))
    return refusal(400, "initialize cannot be in a batch");
  for (const item of items) if (item.kind === "notification") session.handleNotification(item);
  for (const item of items) if (item.kind === "reply") session.settle(item);
  return answered.length === 0 ? new Response(null, { status: 202 }) : session.answerBatch(answered, principal);
}
