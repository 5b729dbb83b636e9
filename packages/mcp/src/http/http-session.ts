// One legacy session over HTTP: its streams, its running calls, and when it is considered abandoned.
import { createCall } from "../server/call.ts";
import type { Principal, Service } from "../server/call.ts";
import { EventStream, parseEventId } from "./event-stream.ts";
import type { ReplayBudget, StreamLimits } from "./event-stream.ts";
import type { MessageText } from "../wire/encoded-text.ts";
import { HttpReply, jsonResponse } from "./http-reply.ts";
import type { JsonObject } from "../wire/json-value.ts";
import { LegacySession } from "../server/legacy-session.ts";
import { RunningCalls } from "../server/running-calls.ts";
import type { RunningCall } from "../server/running-calls.ts";
import { errorText, notificationText } from "../wire/message.ts";
import type { Malformed, Notification, Reply, Request } from "../wire/message.ts";
import type { LegacyRevision } from "../wire/revisions.ts";
import { replyTo } from "../wire/reply.ts";
import { RpcError } from "../wire/rpc-error.ts";

/** A finished stream can be fetched this long by a client that lost its connection. */
const FINISHED_STREAM_MS = 5 * 60 * 1000;
const MAX_STREAMS = 1000;
/** In one session. */
const MAX_RUNNING = 1000;

export class HttpSession {
  readonly legacy: LegacySession;
  readonly principalId: string | undefined;
  lastUsed = Date.now();
  /** Its client has come back with the id it was given. */
  isUsed = false;
  private readonly service: Service;
  private readonly limits: StreamLimits;
  private readonly budget: ReplayBudget;
  private readonly running = new RunningCalls(MAX_RUNNING);
  private readonly streams = new Map<string, EventStream>();
  private readonly standalone: EventStream;
  private nextStream = 1;
  private opened = false;

  constructor(
    service: Service,
    id: string,
    revision: LegacyRevision,
    params: JsonObject,
    principal: Principal | undefined,
    limits: StreamLimits,
    budget: ReplayBudget,
  ) {
    this.service = service;
    this.principalId = principal?.id;
    this.limits = limits;
    this.budget = budget;
    const send = (text: string): void => this.standalone.send(text);
    this.legacy = new LegacySession(id, revision, params, { send, notify: send });
    this.standalone = this.newStream();
  }

  get idle(): boolean {
    const works = this.running.size > 0 || this.standalone.attached;
    return !works && !(this.service.isBusy?.(this.legacy.id) ?? false);
  }

  /** Answers one request. A dropped connection is not a cancellation here: the work goes on and can be fetched. */
  async answer(request: Request, principal: Principal | undefined): Promise<Response> {
    const running = this.running.start(request);
    if (running instanceof RpcError) return jsonResponse(errorText(request.id, running), 400);
    const reply = new HttpReply(() => this.newStream());
    void this.run(request, running, principal, reply).then((answer) => {
      if (answer) reply.answer(answer, 200);
      else reply.drop();
    });
    return reply.response;
  }

  /** The answers to a batch (2025-03-26), as one array. */
  answerBatch(items: readonly (Request | Malformed)[], principal: Principal | undefined): Promise<Response> {
    const reply = new HttpReply(() => this.newStream());
    const answers = items.map(async (item) => {
      const running = item.kind === "malformed" ? item.error : this.running.start(item);
      return running instanceof RpcError
        ? errorText(item.id, running)
        : this.run(item as Request, running, principal, reply);
    });
    void Promise.all(answers).then((texts) => {
      const given = texts.filter((text) => text !== undefined);
      if (given.length > 0) reply.answer(`[${given.map(String).join(",")}]`, 200);
      else reply.drop();
    });
    return reply.response;
  }

  handleNotification(message: Notification): void {
    if (message.method === "notifications/cancelled") this.running.cancel(message);
    else if (message.method === "notifications/initialized") {
      if (!this.opened) this.service.opened?.(this.legacy);
      this.opened = true;
    } else {
      this.service.notified?.(message, this.legacy);
    }
  }

  settle(reply: Reply): void {
    this.legacy.settle(reply);
  }

  /** The standalone stream, or, with the id of an event, the stream that event was on. */
  listen(lastEventId: string | null): Response | undefined {
    if (lastEventId === null) return this.standalone.attach(this.standalone.lastDelivered);
    const position = parseEventId(lastEventId);
    if (!position) return undefined;
    const stream = this.streams.get(position.stream);
    return stream?.lostItsEnd(position.number) ? undefined : stream?.attach(position.number);
  }

  /** Settles when nothing is left of what it had. */
  end(): Promise<void> | void {
    this.running.abortAll();
    for (const stream of this.streams.values()) {
      stream.end();
      stream.forget();
    }
    this.legacy.end();
    return this.service.ended?.(this.legacy.id);
  }

  private async run(
    request: Request,
    running: RunningCall,
    principal: Principal | undefined,
    reply: HttpReply,
  ): Promise<MessageText | undefined> {
    const { legacy } = this;
    const { signal } = running.abort;
    const call = createCall(request, {
      revision: legacy.revision,
      client: legacy.client,
      principal,
      owner: legacy.id,
      signal,
      session: legacy,
      notify: (method, params) => {
        if (!signal.aborted) reply.send(notificationText(method, params));
      },
      request: (method, params, options) => legacy.requestVia((text) => reply.send(text), method, params, options),
      releaseConnection: (retryMs) => reply.streaming().release(retryMs),
    });
    const replied = await replyTo(request.id, signal, () => this.service.handle(call));
    this.running.end(request.id);
    this.lastUsed = Date.now();
    return replied?.text;
  }

  private newStream(): EventStream {
    this.forgetOldStreams();
    const id = (this.nextStream++).toString(36);
    // Before 2025-11-25 clients try to parse an event without data.
    const primed = this.legacy.revision === "2025-11-25";
    const stream = new EventStream(id, { resumable: true, primed }, this.limits, this.budget);
    this.streams.set(id, stream);
    return stream;
  }

  forgetOldStreams(): void {
    const before = Date.now() - FINISHED_STREAM_MS;
    let surplus = this.streams.size - MAX_STREAMS;
    for (const [id, stream] of this.streams) {
      if (!stream.ended || (stream.endedAt >= before && surplus-- <= 0)) continue;
      this.streams.delete(id);
      stream.forget();
    }
  }
}
