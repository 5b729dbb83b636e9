// Serves one connection that carries messages both ways: stdio, or a pair in memory.
// Every message is judged by itself: one connection may speak several revisions.
import type { Call, Service } from "./call.ts";
import { rpcErrorFor } from "./failure-reply.ts";
import type { JsonObject } from "./json.ts";
import { clientFacts, LegacySession } from "./legacy-session.ts";
import { errorText, idFrom, notificationText, resultText } from "./message.ts";
import type { Id, Incoming, Notification, Request, Single } from "./message.ts";
import { checkLogLevel, claimsModern, readClaim, supportedRevision } from "./modern.ts";
import { isLegacy, negotiate } from "./revisions.ts";
import type { Revision } from "./revisions.ts";
import { INVALID_REQUEST, RpcError } from "./rpc-error.ts";
import type { Transport } from "./transport.ts";

/** A client that never reads: beyond this much unsent output we stop reading from it. */
const MAX_UNSENT_CHARS = 32 * 1024 * 1024;
/** Far above what any client means to have in flight; beyond it calls are refused, not queued. */
const MAX_RUNNING = 10_000;

/** Resolves when the client has gone and everything it had started has been told so. */
export async function serveConnection(service: Service, transport: Transport): Promise<void> {
  const connection = new Connection(service, transport);
  try {
    for await (const message of transport.incoming) {
      connection.take(message); // not awaited: a slow tool must not hold up the ping or the cancel behind it
      if (connection.congested) await connection.relieved();
    }
  } finally {
    connection.end();
  }
}

class Connection {
  private readonly service: Service;
  private readonly transport: Transport;
  /** The one client at the other end; also its session's id. */
  private readonly owner = crypto.randomUUID();
  private readonly running = new Map<Id, AbortController>();
  private session: LegacySession | undefined;
  private unsent = 0;
  private lastSend: Promise<void> = Promise.resolve();

  constructor(service: Service, transport: Transport) {
    this.service = service;
    this.transport = transport;
  }

  get congested(): boolean {
    return this.unsent > MAX_UNSENT_CHARS;
  }

  async relieved(): Promise<void> {
    while (this.congested) await this.lastSend;
  }

  take(message: Incoming): void {
    if (message.kind === "batch") return this.takeBatch(message.items);
    const answer = this.react(message);
    if (answer) void answer.then((text) => text !== undefined && this.send(text));
  }

  end(): void {
    for (const controller of this.running.values()) controller.abort();
    this.session?.end();
  }

  /** The answer still to come, for messages that get one. */
  private react(message: Single): Promise<string | undefined> | undefined {
    switch (message.kind) {
      case "request":
        return this.answer(message);
      case "notification":
        this.hear(message);
        return undefined;
      case "reply":
        this.session?.settle(message);
        return undefined;
      case "malformed":
        return Promise.resolve(errorText(message.id, message.error));
    }
  }

  // Batches exist in 2025-03-26 only.
  private takeBatch(items: Single[]): void {
    const modern = items.some((item) => item.kind === "request" && claimsModern(item.params));
    if (this.session?.revision !== "2025-03-26" || modern) {
      this.send(errorText(undefined, new RpcError(INVALID_REQUEST, "batches are not part of this protocol revision")));
      return;
    }
    const answers = items.map((item) => this.react(item)).filter((answer) => answer !== undefined);
    if (answers.length === 0) return;
    void Promise.all(answers).then((texts) => {
      const given = texts.filter((text) => text !== undefined);
      if (given.length > 0) this.send(`[${given.join(",")}]`);
    });
  }

  private async answer(request: Request): Promise<string | undefined> {
    const { id } = request;
    if (this.running.has(id)) return errorText(id, new RpcError(INVALID_REQUEST, `request ${id} is still running`));
    if (this.running.size >= MAX_RUNNING) {
      return errorText(id, new RpcError(INVALID_REQUEST, `more than ${MAX_RUNNING} requests are running`));
    }
    const controller = new AbortController();
    this.running.set(id, controller);
    try {
      const result = await this.service.handle(this.callFor(request, controller.signal));
      if (controller.signal.aborted) return undefined;
      if (request.method === "initialize" && !claimsModern(request.params))
        this.openSession(request, result as JsonObject);
      return resultText(id, result);
    } catch (error) {
      return controller.signal.aborted ? undefined : errorText(id, rpcErrorFor(error));
    } finally {
      this.running.delete(id);
    }
  }

  private callFor(request: Request, signal: AbortSignal): Call {
    const params = request.params ?? {};
    if (claimsModern(params)) {
      const claim = readClaim(params);
      const revision = supportedRevision(claim.version);
      checkLogLevel(params);
      return this.call(request, params, revision, claim.client, undefined, signal);
    }
    const { session } = this;
    if (session && request.method !== "initialize") {
      return this.call(request, params, session.revision, session.client, session, signal);
    }
    if (session) throw new RpcError(INVALID_REQUEST, "this connection is already initialized");
    if (request.method !== "initialize" && request.method !== "ping") {
      throw new RpcError(
        INVALID_REQUEST,
        "initialize comes first (or send the metadata of 2026-07-28 with each request)",
      );
    }
    return this.call(request, params, negotiate(params["protocolVersion"]), clientFacts(params), undefined, signal);
  }

  private call(
    request: Request,
    params: JsonObject,
    revision: Revision,
    client: Call["client"],
    session: LegacySession | undefined,
    signal: AbortSignal,
  ): Call {
    const { id, method, raw } = request;
    const send = (text: string): void => this.send(text);
    return {
      id,
      method,
      params,
      raw,
      revision,
      client,
      principal: undefined,
      owner: this.owner,
      signal,
      session,
      header: undefined,
      notify: (name, body) => {
        if (this.running.has(id) && !signal.aborted) this.send(notificationText(name, body));
      },
      request(name, body, options) {
        if (!session) throw new RpcError(INVALID_REQUEST, "this client cannot be asked");
        return session.requestVia(send, name, body, options);
      },
      releaseConnection() {},
    };
  }

  private openSession(request: Request, result: JsonObject): void {
    const revision = result["protocolVersion"];
    if (!isLegacy(revision)) return;
    this.session = new LegacySession(this.owner, revision, request.params ?? {}, (text) => this.send(text));
  }

  private hear({ method, params = {}, raw }: Notification): void {
    if (method === "notifications/cancelled") {
      const id = idFrom(params["requestId"], raw, ["params", "requestId"]);
      if (id !== undefined) this.running.get(id)?.abort();
    } else if (method === "notifications/initialized" && this.session) {
      this.service.opened?.(this.session);
    } else {
      this.service.notified?.(method, params, this.session);
    }
  }

  private send(text: string): void {
    this.unsent += text.length;
    this.lastSend = this.transport
      .send(text)
      .catch(() => {}) // the peer is gone: the end of `incoming` says so
      .finally(() => (this.unsent -= text.length));
  }
}
