// Serves one connection that carries messages both ways: stdio, or a pair in memory.
// Every message is judged by itself: one connection may speak several revisions.
import type { Call, Service } from "./call.ts";
import type { MessageText } from "../wire/encoded-text.ts";
import { rpcErrorFor } from "../wire/failure-reply.ts";
import type { JsonObject, RawJson } from "../wire/json.ts";
import { clientFacts, LegacySession } from "./legacy-session.ts";
import { withCallMemoryLimit } from "./call-memory-limit.ts";
import { errorText, idFrom, notificationText, resultMessage } from "../wire/message.ts";
import type { Id, Incoming, Notification, Request, Single } from "../wire/message.ts";
import { hasModernMeta, readModernMeta, supportedRevision } from "./modern-request.ts";
import { RunningCall } from "./running-call.ts";
import { SendQueue } from "../wire/send-queue.ts";
import { isLegacy, negotiate } from "../wire/revisions.ts";
import type { Revision } from "../wire/revisions.ts";
import { INVALID_REQUEST, RpcError, CancelledByPeer } from "../wire/rpc-error.ts";
import type { Transport } from "../wire/transport.ts";

/** Far above what any client means to have in flight; beyond it calls are refused, not queued. */
const MAX_RUNNING = 10_000;
/**
 * With so many calls running, the next one waits until one of them has been answered, or a moment: what they will answer
 * is not known before, and three hundred large answers at once would be there before it shows that nobody reads them.
 */
const BUSY_RUNNING = 64;
const BUSY_PAUSE_MS = 2;
/** Messages that may wait for the answer to `initialize`; then no more is read until it is there. */
const MAX_HELD = 1000;
/** After the last of its input a client still gets the answers that come at once: `printf … | server` works. */
const DRAIN_MS = 500;

/**
 * Resolves when the client has gone and everything it had started has been told so. Whoever passes messages on, and must not
 * take more of them than the client does, brings the queue.
 */
export async function serveConnection(
  service: Service,
  transport: Transport,
  queue = new SendQueue(transport),
): Promise<void> {
  const connection = new Connection(withCallMemoryLimit(service), queue);
  try {
    // Awaited only where order matters: a slow tool must not hold up the ping or the cancel behind it.
    const take = (message: Incoming): Promise<void> | undefined => connection.take(message);
    const { incoming } = transport;
    if (incoming.each) await incoming.each(take);
    else {
      for await (const message of incoming) {
        const settled = take(message);
        if (settled) await settled;
      }
    }
    await connection.drain();
  } finally {
    connection.end();
  }
}

class Connection {
  private readonly service: Service;
  private readonly queue: SendQueue;
  /** The one client at the other end; also its session's id. */
  private readonly owner = crypto.randomUUID();
  private readonly running = new Map<Id, RunningCall>();
  private session: LegacySession | undefined;
  private opened = false;
  private onIdle: (() => void) | undefined;
  private awaited: PromiseWithResolvers<void> | undefined;
  /** While `initialize` runs: what came after it. */
  private held: { messages: Incoming[]; over: Promise<void> } | undefined;

  constructor(service: Service, queue: SendQueue) {
    this.service = service;
    this.queue = queue;
  }

  /** The promise is there when nothing more should be read before it settles. */
  take(message: Incoming): Promise<void> | undefined {
    const initializing = this.held;
    if (initializing && !(message.kind === "request" && message.method === "ping")) {
      initializing.messages.push(message);
      return initializing.messages.length > MAX_HELD ? initializing.over : undefined;
    }
    return this.dispatch(message);
  }

  private dispatch(message: Incoming): Promise<void> | undefined {
    if (message.kind === "batch") this.takeBatch(message.items);
    else {
      const answer = this.answerOf(message);
      if (answer instanceof Promise) {
        const sent = answer.then((text) => this.deliver(text));
        if (message.kind === "request" && message.method === "initialize") this.holdUntil(sent);
      } else this.send(answer);
    }
    if (this.queue.isFull) return this.queue.untilNotFull();
    return this.running.size > BUSY_RUNNING ? this.nextAnswer() : undefined;
  }

  private nextAnswer(): Promise<void> {
    const awaited = (this.awaited ??= Promise.withResolvers());
    const timer = setTimeout(() => awaited.resolve(), BUSY_PAUSE_MS);
    return awaited.promise.finally(() => {
      clearTimeout(timer);
      if (this.awaited === awaited) this.awaited = undefined;
    });
  }

  /** What follows `initialize` is meant for the session it opens, also when it was sent in the same breath. */
  private holdUntil(sent: Promise<void>): void {
    const messages: Incoming[] = [];
    this.held = { messages, over: sent.then(() => this.release(messages)) };
  }

  /** In their order, and no faster than the client takes the answers; what comes meanwhile stands behind them. */
  private async release(messages: Incoming[]): Promise<void> {
    for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
      const drained = this.dispatch(message);
      if (drained) await drained;
    }
    this.held = undefined;
    this.checkIdle();
  }

  /** What is running may still answer, for a moment. */
  async drain(): Promise<void> {
    for (const running of this.running.values()) {
      if (running.method === "subscriptions/listen") running.abort(); // it would never end by itself
    }
    const idle = Promise.withResolvers<void>();
    const timer = setTimeout(idle.resolve, DRAIN_MS);
    this.onIdle = () => void this.queue.untilEmpty().then(idle.resolve);
    this.checkIdle();
    await idle.promise;
    clearTimeout(timer);
  }

  end(): void {
    for (const running of this.running.values()) running.abort();
    this.session?.end();
    this.service.ended?.(this.owner);
  }

  private checkIdle(): void {
    if (this.running.size === 0 && !this.held) this.onIdle?.();
  }

  /** The answer, or the promise of it, for messages that get one. */
  private answerOf(message: Single): Promise<MessageText | undefined> | MessageText | undefined {
    switch (message.kind) {
      case "request":
        return this.answer(message);
      case "notification":
        this.handleNotification(message);
        return undefined;
      case "reply":
        this.session?.settle(message);
        return undefined;
      case "malformed":
        this.session?.rejectMalformed(message);
        return errorText(message.id, message.error);
    }
  }

  // Batches exist in 2025-03-26 only.
  private takeBatch(items: Single[]): void {
    const modern = items.some(
      (item) => (item.kind === "request" || item.kind === "notification") && hasModernMeta(item.params),
    );
    if (this.session?.revision !== "2025-03-26" || modern) {
      this.send(errorText(undefined, new RpcError(INVALID_REQUEST, "batches are not part of this protocol revision")));
      return;
    }
    const answers = items.map((item) => this.answerOf(item)).filter((answer) => answer !== undefined);
    if (answers.length === 0) return;
    void Promise.all(answers).then((texts) => {
      const given = texts.filter((text) => text !== undefined);
      this.deliver(given.length > 0 ? `[${given.map(String).join(",")}]` : undefined);
    });
  }

  /** What can be answered at once is: promises would cost a short call more than its work does. */
  private answer(request: Request): Promise<MessageText | undefined> | MessageText | undefined {
    const { id, method } = request;
    if (this.running.has(id)) return errorText(id, new RpcError(INVALID_REQUEST, `request ${id} is still running`));
    if (this.running.size >= MAX_RUNNING) {
      return errorText(id, new RpcError(INVALID_REQUEST, `more than ${MAX_RUNNING} requests are running`));
    }
    const running = new RunningCall(method);
    this.running.set(id, running);
    try {
      const result = this.service.handle(this.callFor(request, running));
      if (!(result instanceof Promise)) return this.answered(request, running, result);
      return result
        .then((late) => this.answered(request, running, late))
        .catch((error: unknown) => this.failed(request, running, error));
    } catch (error) {
      return this.failed(request, running, error);
    }
  }

  private answered(request: Request, running: RunningCall, result: JsonObject | RawJson): MessageText | undefined {
    if (!running.aborted && request.method === "initialize" && !hasModernMeta(request.params)) {
      this.openSession(request, result as JsonObject);
    }
    this.running.delete(request.id);
    return running.aborted ? undefined : resultMessage(request.id, result);
  }

  private failed(request: Request, running: RunningCall, error: unknown): string | undefined {
    this.running.delete(request.id);
    return running.aborted ? undefined : errorText(request.id, rpcErrorFor(error));
  }

  private callFor(request: Request, running: RunningCall): Call {
    const params = request.params ?? {};
    if (hasModernMeta(params)) {
      const meta = readModernMeta(params);
      return this.call(request, params, supportedRevision(meta.version), meta.client, undefined, running);
    }
    const { session } = this;
    if (session && request.method !== "initialize") {
      return this.call(request, params, session.revision, session.client, session, running);
    }
    if (session) throw new RpcError(INVALID_REQUEST, "this connection is already initialized");
    if (request.method !== "initialize" && request.method !== "ping") {
      throw new RpcError(
        INVALID_REQUEST,
        "initialize comes first (or send the metadata of 2026-07-28 with each request)",
      );
    }
    return this.call(request, params, negotiate(params["protocolVersion"]), clientFacts(params), undefined, running);
  }

  private call(
    request: Request,
    params: JsonObject,
    revision: Revision,
    client: Call["client"],
    session: LegacySession | undefined,
    running: RunningCall,
  ): Call {
    const { id, method, raw } = request;
    return {
      id,
      method,
      params,
      raw,
      revision,
      client,
      principal: undefined,
      owner: this.owner,
      get signal() {
        return running.signal;
      },
      session,
      header: undefined,
      notify: (name, body) => {
        // Not after the answer: a later request may have the same id.
        if (this.running.get(id) === running && !running.aborted) this.notify(notificationText(name, body));
      },
      request: async (name, body, options) => {
        if (!session) throw new RpcError(INVALID_REQUEST, "this client cannot be asked");
        return session.requestVia((text) => this.send(text), name, body, options);
      },
      releaseConnection() {},
    };
  }

  private openSession(request: Request, result: JsonObject): void {
    const revision = result["protocolVersion"];
    if (!isLegacy(revision)) return;
    this.session = new LegacySession(this.owner, revision, request.params ?? {}, {
      send: (text) => this.send(text),
      notify: (text) => this.notify(text),
    });
  }

  private handleNotification(message: Notification): void {
    const { method, params = {}, raw } = message;
    if (method === "notifications/cancelled") {
      const id = idFrom(params["requestId"], raw, ["params", "requestId"]);
      const running = id === undefined ? undefined : this.running.get(id);
      if (running?.method !== "initialize") running?.abort(CancelledByPeer.by(params));
    } else if (method === "notifications/initialized") {
      if (this.session && !this.opened) this.service.opened?.(this.session);
      this.opened = this.session !== undefined;
    } else {
      this.service.notified?.(message, this.session);
    }
  }

  /** An answer that took its time; perhaps the last that was awaited. */
  private deliver(text: MessageText | undefined): void {
    this.send(text);
    this.awaited?.resolve();
    this.awaited = undefined;
    this.checkIdle();
  }

  private send(text: MessageText | undefined): void {
    if (text !== undefined) this.queue.push(text);
  }

  /** A client that does not read cannot miss anything: what need not be said is not piled up for it. */
  private notify(text: string): void {
    if (!this.queue.isFull) this.queue.push(text);
  }
}
