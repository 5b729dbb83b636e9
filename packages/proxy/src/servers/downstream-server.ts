// The server behind us, for one client: started when it is first needed, and again when it has died.
// It passes messages; what they mean is decided above.
import { ConnectionError } from "@bosun/mcp/server";
import type { JsonObject, RawJson } from "@bosun/mcp/server";
import { idOf } from "@bosun/mcp/relay";
import type { Answer, Link, Notification, Outgoing, Reply, Request } from "@bosun/mcp/relay";
import type { Log } from "@bosun/platform/log";
import type { Backpressure } from "./backpressure.ts";
import { ServerGone } from "./call-failed.ts";
import { openServerLink } from "./open-server-link.ts";
import { ReplayedState } from "./replayed-state.ts";
import { ServerRequests } from "./server-requests.ts";
import type { AnswerServer } from "./server-requests.ts";
import type { ServerSpec } from "./server-spec.ts";
import { stderrOf } from "./server-stderr.ts";
import { unlessAborted } from "./unless-aborted.ts";
import { UnreadableAnswers } from "./unreadable-answers.ts";

const FIRST_PAUSE_MS = 200;
const MAX_PAUSE_MS = 10_000;
const END_MS = 500;
/** How long a server that was started again may take to greet. */
const GREETING_MS = 10_000;
const NOT_FOUND = 404;
/** A request that was never sent may be sent again, so often. */
const MAX_ATTEMPTS = 3;

export type ServerEvents = {
  notified(message: Notification): void;
  asked: AnswerServer;
  backpressure: Backpressure;
  /** It has ended, or knows us no more: what comes after it may be another program. */
  restarted(): void;
};

export type Send = {
  signal: AbortSignal;
  exact?: RawJson | undefined;
  /** Arguments mirrored in HTTP headers. */
  headers?: [string, string][] | undefined;
};

type Handshake = { params: JsonObject | undefined; exact: RawJson | undefined };

export class DownstreamServer {
  readonly spec: ServerSpec;
  private readonly events: ServerEvents;
  private readonly log: Log;
  private readonly stderr: (text: string) => void;
  private readonly argumentHeaders = new Map<string, [string, string][]>();
  private readonly replayed = new ReplayedState();
  /** The one that requests may use: it has been greeted if it wants to be. */
  private link: Link | undefined;
  private starting: Promise<Link> | undefined;
  /** The one that is being started. */
  private opening: Link | undefined;
  private handshake: Handshake | undefined;
  private renewing: Promise<void> | undefined;
  /** Counts the sessions that we had with it. */
  private sessions = 0;
  private failures = 0;
  private pauseUntil = 0;
  private readonly unreadable: UnreadableAnswers;
  private nextId = 1;
  private readonly serverRequests: ServerRequests;
  private readonly ending = new Set<Promise<void>>();
  private closed = false;
  /** How the last process ended, once it has. */
  private ended: Promise<string> | undefined;

  constructor(spec: ServerSpec, events: ServerEvents, log: Log) {
    this.spec = spec;
    this.events = events;
    this.log = log;
    this.stderr = stderrOf(spec.name);
    this.unreadable = new UnreadableAnswers(spec.name);
    this.serverRequests = new ServerRequests((message, signal) => events.asked(message, signal));
  }

  /** `onId` hears the id under which the server sees the request, for what refers to it. */
  async request(
    method: string,
    params: JsonObject | undefined,
    send: Send,
    onId: (id: number) => void = () => {},
  ): Promise<Reply> {
    for (let attempt = 1; ; attempt++) {
      const link = await this.connected(send.signal);
      const session = this.sessions;
      let sent = false;
      try {
        const answer = await this.exchange(link, method, params, send, onId, () => (sent = true));
        if (attempt === 1 && this.hasLostSession(method, answer.status)) {
          await this.renew(link, session);
          continue;
        }
        return this.replyIn(answer, method, params);
      } catch (error) {
        // What the connection did not carry may be sent again, or is the end of this server.
        if (!(error instanceof ConnectionError) || send.signal.aborted) throw error;
        if (attempt === 1 && this.hasLostSession(method, error.status)) {
          await this.renew(link, session);
          continue;
        }
        if (error.reason !== "closed") throw new ServerGone(`${this.spec.name}: ${error.message}`);
        // Once it may have been seen it must not be sent again: it could run twice.
        if (sent || attempt === MAX_ATTEMPTS)
          throw new ServerGone(`${this.spec.name} is gone: ${await this.endingText(error)}`);
      }
    }
  }

  /** `initialize`, remembered so that a server that was started again is greeted the same way. */
  async initialize(params: JsonObject | undefined, send: Send): Promise<Reply> {
    const reply = await this.request("initialize", params, send);
    if (reply.result) {
      this.handshake = { params, exact: send.exact };
      this.link?.settled?.(String(reply.result["protocolVersion"]));
    }
    return reply;
  }

  /** How long it will not be started again, because it has died too often. */
  get backoffMs(): number {
    const isThere = this.link !== undefined && !this.link.gone.aborted;
    return isThere || this.opening ? 0 : Math.max(0, this.pauseUntil - Date.now());
  }

  async notify(method: string, params?: JsonObject | RawJson): Promise<void> {
    // A server that is not running has missed nothing it could act on.
    if (this.link && !this.link.gone.aborted) await this.link.notify(method, params).catch(() => {});
  }

  async close(): Promise<void> {
    this.closed = true;
    // Not what `starting` gives: a greeting that is never answered must not hold up the end.
    await Promise.all([this.link?.close(), this.opening?.close(), ...this.ending]);
  }

  private end(link: Link): void {
    const ended = link.close().catch(() => {});
    this.ending.add(ended);
    void ended.finally(() => this.ending.delete(ended));
  }

  private async exchange(
    link: Link,
    method: string,
    params: JsonObject | undefined,
    send: Send,
    onId: (id: number) => void,
    onSent: () => void,
  ): Promise<Answer> {
    const number = this.nextId++;
    const id = idOf(number);
    onId(number);
    if (send.headers) this.argumentHeaders.set(id, send.headers);
    try {
      const outgoing: Outgoing = { id, method, params, ...(send.exact ? { exact: send.exact } : {}) };
      const answer = link.request(outgoing, send.signal, onSent);
      const answered = await Promise.race([answer, this.unreadable.of(number)]);
      // We ask for the list ourselves whenever it was started again: that it could be had proves nothing.
      if (method !== "tools/list") this.failures = 0;
      return answered;
    } finally {
      this.unreadable.over(number);
      this.argumentHeaders.delete(id);
    }
  }

  private replyIn({ reply, status }: Answer, method: string, params: JsonObject | undefined): Reply {
    // An error without an id speaks of the HTTP request itself.
    if (reply.error && reply.id === undefined) {
      throw new ServerGone(`${this.spec.name} answered ${status ?? "nothing"}: ${reply.error.message}`);
    }
    if (!reply.error) this.replayed.note(method, params);
    return reply;
  }

  private async connected(signal: AbortSignal): Promise<Link> {
    if (this.closed) throw new ServerGone(`${this.spec.name} was stopped`);
    if (this.link && !this.link.gone.aborted) return this.link;
    this.starting ??= this.start().finally(() => (this.starting = undefined));
    return unlessAborted(this.starting, signal);
  }

  private async start(): Promise<Link> {
    const wait = this.pauseUntil - Date.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait).unref?.());
    if (this.closed) throw new ServerGone(`${this.spec.name} was stopped`);
    // From the second start in a row on, each waits longer than the last.
    this.pauseUntil = Date.now() + Math.min(FIRST_PAUSE_MS * 2 ** this.failures++, MAX_PAUSE_MS);
    const link = this.open();
    this.opening = link;
    try {
      if (this.handshake) await this.greetAgain(link, this.handshake);
      this.link = link;
      return link;
    } catch (error) {
      // What has not been greeted must not be asked anything.
      this.end(link);
      throw error;
    } finally {
      this.opening = undefined;
    }
  }

  private open(): Link {
    const receive = (message: Request | Notification): void => {
      if (message.kind === "request") void this.serverRequests.answer(message, link);
      else if (!this.serverRequests.withdraws(message)) this.events.notified(message);
    };
    const { link, ended } = openServerLink(this.spec, {
      receive,
      onStderr: this.stderr,
      unreadable: this.unreadable,
      backpressure: this.events.backpressure,
      argumentHeaders: this.argumentHeaders,
    });
    this.ended = ended;
    void ended?.then((how) => {
      if (!this.closed) this.log("warn", `${this.spec.name} ended (${how})`);
    });
    const gone = (): void => {
      // A process that has closed its output, or is not read any further, is of no use to anybody.
      this.end(link);
      if (!this.closed) this.events.restarted();
    };
    link.gone.addEventListener("abort", gone, { once: true });
    return link;
  }

  /** It knows our session no more, and so has not looked at the request: in a new one it may be sent again. */
  private hasLostSession(method: string, status: number | undefined): boolean {
    return status === NOT_FOUND && this.spec.kind === "url" && method !== "initialize" && this.handshake !== undefined;
  }

  /** A new session on the same link, once for all who found that the old one is gone. */
  private async renew(link: Link, session: number): Promise<void> {
    if (session !== this.sessions || !this.handshake) return;
    this.renewing ??= this.greetAgain(link, this.handshake).finally(() => (this.renewing = undefined));
    await this.renewing;
  }

  /** Its output ends a moment before the process does. */
  private async endingText({ message }: ConnectionError): Promise<string> {
    if (this.spec.kind === "url") return message;
    const unknown = new Promise<string>((resolve) => setTimeout(resolve, END_MS, "it closed the connection").unref?.());
    return Promise.race([this.ended ?? unknown, unknown]);
  }

  private async greetAgain(link: Link, { params, exact }: Handshake): Promise<void> {
    this.log("info", `${this.spec.name} ${this.spec.kind === "url" ? "gets a new session" : "was started again"}`);
    const signal = AbortSignal.timeout(GREETING_MS);
    const outgoing = { id: idOf(this.nextId++), method: "initialize", params, ...(exact ? { exact } : {}) };
    const { reply } = await link.request(outgoing, signal).catch((error: unknown) => {
      const why = signal.aborted ? `no answer to initialize within ${GREETING_MS} ms` : String(error);
      throw new ServerGone(`${this.spec.name} did not start again: ${why}`);
    });
    if (reply.error) throw new ServerGone(`${this.spec.name} refused to start again: ${reply.error.message}`);
    link.settled?.(String(reply.result["protocolVersion"]));
    await link.notify("notifications/initialized");
    this.sessions++;
    this.events.restarted();
    for (const earlier of this.replayed) {
      const again = { ...earlier, id: idOf(this.nextId++) };
      void link.request(again, AbortSignal.timeout(GREETING_MS)).catch(() => {});
    }
  }
}
