// Serves one connection that carries messages both ways: stdio, or a pair in memory.
// Every message is judged by itself: one connection may speak several revisions.
import { createCall } from "./call.ts";
import type { Call, Service } from "./call.ts";
import { withCallMemoryLimit, RunningCalls } from "./running-calls.ts";
import { clientFacts, LegacySession } from "./legacy-session.ts";
import { hasModernMeta, readModernMeta, supportedRevision } from "./modern-request.ts";
import type { RunningCall } from "./running-calls.ts";
import type { MessageText } from "../wire/encoded-text.ts";
import { settlesWithin } from "../wire/deadline.ts";
import { errorText, notificationText } from "../wire/message.ts";
import type { Incoming, Notification, Request, Single } from "../wire/message.ts";
import { replyTo } from "../wire/reply.ts";
import type { Result } from "../wire/reply.ts";
import { isLegacy, negotiate } from "../wire/revisions.ts";
import { INVALID_REQUEST, RpcError } from "../wire/rpc-error.ts";
import { SendQueue } from "../wire/send-queue.ts";
import type { Transport } from "../wire/transport.ts";

/** Far above what any client means to have in flight. */
const MAX_RUNNING = 10_000;
/**
 * With so many calls running, the next one waits until one of them has been answered, or a moment: what they will answer
 * is not known before, and three hundred large answers at once would be there before it shows that nobody reads them.
 */
const BUSY_RUNNING = 64;
const BUSY_PAUSE_MS = 2;
/** Messages that may wait for the answer to `initialize`; then no more is read until it is there. */
const MAX_HELD = 1000;
const DRAIN_MS = 500;

export type ConnectionOptions = {
  /** For whoever passes messages on, and must not take more of them than the client does. */
  queue?: SendQueue;
  /** After the last of its input a client still gets the answers that come within this: `printf … | server` works. */
  drainMs?: number;
};

/** Resolves when the client has gone and everything it had started has been told so. */
export async function serveConnection(
  service: Service,
  transport: Transport,
  { queue = new SendQueue(transport), drainMs = DRAIN_MS }: ConnectionOptions = {},
): Promise<void> {
  const connection = new Connection(withCallMemoryLimit(service), queue);
  try {
    // Awaited only where order matters: a slow tool must not hold up the ping or the cancel behind it.
    for await (const message of transport.incoming) await connection.receive(message);
    await connection.drain(drainMs);
  } finally {
    connection.end();
  }
}

class Connection {
  private readonly service: Service;
  private readonly queue: SendQueue;
  /** The one client at the other end; also its session's id. */
  private readonly owner = crypto.randomUUID();
  private readonly running = new RunningCalls(MAX_RUNNING);
  /** Requests whose answer has not been handed to the queue. */
  private unanswered = 0;
  private session: LegacySession | undefined;
  private opened = false;
  private onIdle: (() => void) | undefined;
  private nextAnswer: PromiseWithResolvers<void> | undefined;
  /** While `initialize` runs: what came after it. */
  private held: { messages: Incoming[]; over: Promise<void> } | undefined;

  constructor(service: Service, queue: SendQueue) {
    this.service = service;
    this.queue = queue;
  }

  /** The promise is there when nothing more should be read before it settles. */
  receive(message: Incoming): Promise<void> | undefined {
    const { held } = this;
    if (held && !(message.kind === "request" && message.method === "ping")) {
      held.messages.push(message);
      return held.messages.length > MAX_HELD ? held.over : undefined;
    }
    return this.dispatch(message);
  }

  /** What is running may still answer, for a moment. */
  async drain(ms: number): Promise<void> {
    this.running.abortAll("subscriptions/listen"); // it would never end by itself
    const idle = new Promise<void>((resolve) => {
      this.onIdle = () => void this.queue.untilEmpty().then(resolve);
      this.checkIdle();
    });
    await settlesWithin(Promise.race([idle, this.queue.failed]), ms);
  }

  end(): void {
    this.running.abortAll();
    this.session?.end();
    this.service.ended?.(this.owner);
  }

  private dispatch(message: Incoming): Promise<void> | undefined {
    switch (message.kind) {
      case "batch":
        this.receiveBatch(message.items);
        break;
      case "request": {
        const answered = this.deliver(this.answer(message));
        if (message.method === "initialize") this.holdUntil(answered);
        break;
      }
      default:
        this.send(this.take(message));
    }
    if (this.queue.isFull) return this.queue.untilNotFull();
    return this.running.size > BUSY_RUNNING ? this.untilNextAnswer() : undefined;
  }

  /** What is not a request. Only what cannot be read is answered. */
  private take(message: Exclude<Single, Request>): string | undefined {
    if (message.kind === "malformed") {
      this.session?.rejectMalformed(message);
      return errorText(message.id, message.error);
    }
    if (message.kind === "notification") this.handleNotification(message);
    else this.session?.settle(message);
    return undefined;
  }

  // Batches exist in 2025-03-26 only.
  private receiveBatch(items: readonly Single[]): void {
    const modern = items.some((item) => "params" in item && hasModernMeta(item.params));
    if (this.session?.revision !== "2025-03-26" || modern) {
      this.send(errorText(undefined, new RpcError(INVALID_REQUEST, "batches are not part of this protocol revision")));
      return;
    }
    const answers = items.map((item) => (item.kind === "request" ? this.answer(item) : this.take(item)));
    const whole = Promise.all(answers).then((texts) => {
      const given = texts.filter((text) => text !== undefined);
      return given.length > 0 ? `[${given.map(String).join(",")}]` : undefined;
    });
    void this.deliver(whole, answers.length);
  }

  private async answer(request: Request): Promise<MessageText | undefined> {
    const running = this.running.start(request);
    if (running instanceof RpcError) return errorText(request.id, running);
    const replied = await replyTo(request.id, running.abort.signal, () =>
      this.service.handle(this.callFor(request, running)),
    );
    if (replied?.result && request.method === "initialize" && !hasModernMeta(request.params)) {
      this.openSession(request, replied.result);
    }
    this.running.end(request.id);
    return replied?.text;
  }

  private callFor(request: Request, running: RunningCall): Call {
    const { id, method, params = {} } = request;
    const { session } = this;
    const facts = {
      owner: this.owner,
      signal: running.abort.signal,
      notify: (name: string, body: Result) => {
        // Not after the answer: a later request may have the same id.
        if (this.running.has(id, running) && !running.abort.signal.aborted) this.notify(notificationText(name, body));
      },
    };
    if (hasModernMeta(params)) {
      const { version, client } = readModernMeta(params);
      return createCall(request, { ...facts, revision: supportedRevision(version), client });
    }
    if (session && method !== "initialize") {
      const { revision, client } = session;
      const ask: Call["request"] = (name, body, options) =>
        session.requestVia((text) => this.send(text), name, body, options);
      return createCall(request, { ...facts, revision, client, session, request: ask });
    }
    if (session) throw new RpcError(INVALID_REQUEST, "this connection is already initialized");
    if (method !== "initialize" && method !== "ping") {
      const problem = "initialize comes first (or send the metadata of 2026-07-28 with each request)";
      throw new RpcError(INVALID_REQUEST, problem);
    }
    return createCall(request, {
      ...facts,
      revision: negotiate(params["protocolVersion"]),
      client: clientFacts(params),
    });
  }

  private openSession(request: Request, result: Result): void {
    const revision = "protocolVersion" in result ? result["protocolVersion"] : undefined;
    if (!isLegacy(revision)) return;
    this.session = new LegacySession(this.owner, revision, request.params ?? {}, {
      send: (text) => this.send(text),
      notify: (text) => this.notify(text),
    });
  }

  /** What follows `initialize` is meant for the session it opens, also when it was sent before the answer. */
  private holdUntil(answered: Promise<void>): void {
    const messages: Incoming[] = [];
    this.held = { messages, over: answered.then(() => this.release(messages)) };
  }

  /** In their order, and no faster than the client takes the answers; what comes meanwhile stands behind them. */
  private async release(messages: Incoming[]): Promise<void> {
    for (let message = messages.shift(); message !== undefined; message = messages.shift()) {
      await this.dispatch(message);
    }
    this.held = undefined;
    this.checkIdle();
  }

  private handleNotification(message: Notification): void {
    if (message.method === "notifications/cancelled") this.running.cancel(message);
    else if (message.method === "notifications/initialized") {
      if (this.session && !this.opened) this.service.opened?.(this.session);
      this.opened = this.session !== undefined;
    } else {
      this.service.notified?.(message, this.session);
    }
  }

  private async deliver(answer: Promise<MessageText | undefined>, requests = 1): Promise<void> {
    this.unanswered += requests;
    this.send(await answer);
    this.unanswered -= requests;
    this.nextAnswer?.resolve();
    this.nextAnswer = undefined;
    this.checkIdle();
  }

  private untilNextAnswer(): Promise<void> {
    const next = (this.nextAnswer ??= Promise.withResolvers());
    return settlesWithin(next.promise, BUSY_PAUSE_MS).then(() => {
      if (this.nextAnswer === next) this.nextAnswer = undefined;
    });
  }

  private checkIdle(): void {
    // Cancelled calls get no answer, whenever they end.
    if (this.onIdle && !this.held && this.unanswered <= this.running.cancelled) this.onIdle();
  }

  private send(text: MessageText | undefined): void {
    if (text !== undefined) this.queue.push(text);
  }

  /** Left out when the client does not read: notifications must not pile up for it. */
  private notify(text: string): void {
    if (!this.queue.isFull) this.queue.push(text);
  }
}
