// A client's link over Streamable HTTP, legacy and modern: a POST per message, replies as JSON or event streams.
import { AuthorizationError } from "../auth/authorization-error.ts";
import type { HttpFetch } from "../auth/fetch-json.ts";
import { Deadline } from "../wire/deadline.ts";
import { readCounted } from "../wire/http-body.ts";
import type { JsonObject, RawJson } from "../wire/json-value.ts";
import { EventStreamReader } from "./event-stream-reader.ts";
import type { Answer, FromServer, Link, Outgoing } from "./link.ts";
import { idValue, notificationText, parseMessage, requestText } from "../wire/message.ts";
import type { Id, Reply, Single } from "../wire/message.ts";
import { ConnectionError, CancelledByPeer } from "../wire/rpc-error.ts";
import { MAX_MESSAGE_BYTES } from "../wire/stdio.ts";

const ACCEPT = "application/json, text/event-stream";
/** There is nothing to think about: to take a message is all that is asked. */
const ACCEPTED_WITHIN_MS = 60_000;

type HttpLinkOptions = {
  url: URL;
  fetch: HttpFetch;
  headers?: Readonly<Record<string, string>> | undefined;
  /** Headers a message brings along: those of 2026-07-28. */
  headersFor: (outgoing: Outgoing) => [string, string][];
  receive: FromServer;
  /** Of one message; longer ones fail. */
  maxMessageBytes?: number | undefined;
  /** How long the server may take to accept a message that gets no reply. */
  timeoutMs?: number | undefined;
};

export class HttpLink implements Link {
  readonly http = true;
  private readonly options: HttpLinkOptions;
  private readonly end = new AbortController();
  private readonly events: EventStreamReader;
  private sessionId: string | undefined;
  private revision: string | undefined;
  private listening = new AbortController();

  constructor(options: HttpLinkOptions) {
    this.options = options;
    this.events = new EventStreamReader(
      (headers, signal) => this.fetch("GET", undefined, { accept: "text/event-stream", ...headers }, signal),
      (message) => this.take(message),
      options.maxMessageBytes,
    );
  }

  get gone(): AbortSignal {
    return this.end.signal;
  }

  async request(outgoing: Outgoing, signal: AbortSignal, onSent?: () => void): Promise<Answer> {
    const { id, method, params, exact } = outgoing;
    // By hand: AbortSignal.any would hang every request's signal on the one that lives as long as the client.
    const either = new AbortController();
    const abort = (): void => either.abort();
    const anySignal = either.signal;
    if (signal.aborted || this.gone.aborted) abort();
    signal.addEventListener("abort", abort);
    this.gone.addEventListener("abort", abort);
    if (method === "initialize") this.startOver();
    try {
      const pending = this.post(requestText(id, method, exact ?? params), this.options.headersFor(outgoing), anySignal);
      onSent?.();
      const response = await pending;
      if (method === "initialize") this.sessionId = response.headers.get("mcp-session-id") ?? undefined;
      return { reply: await this.replyIn(response, id, anySignal), status: response.status };
    } catch (error) {
      // also thrown when we gave up ourselves
      if (signal.aborted && this.revision !== undefined && method !== "initialize") {
        // In the legacy era hanging up means nothing: the server must be told.
        const reason = signal.reason instanceof CancelledByPeer ? signal.reason.message : "the client gave up";
        void this.notify("notifications/cancelled", { requestId: idValue(id), reason }).catch(() => {}); // it ends by itself
      }
      throw asConnectionError(error, signal);
    } finally {
      signal.removeEventListener("abort", abort);
      this.gone.removeEventListener("abort", abort);
    }
  }

  async notify(method: string, params?: JsonObject | RawJson): Promise<void> {
    await this.reply(notificationText(method, params));
  }

  async reply(text: string): Promise<void> {
    await accepted((signal) => this.post(text, [], signal), this.gone, this.options.timeoutMs);
  }

  /** Legacy: later messages carry the revision, and the server may speak on a stream of its own. */
  settled(revision: string): void {
    this.revision = revision;
    this.listening = new AbortController();
    void this.events.listen(this.listening.signal);
  }

  async close(): Promise<void> {
    if (this.gone.aborted) return;
    const { sessionId } = this;
    const deleted =
      sessionId === undefined ? undefined : this.fetch("DELETE", undefined, {}, AbortSignal.timeout(2000));
    await deleted?.then((response) => response.body?.cancel()).catch(() => {}); // the session ends when it is idle
    this.listening.abort();
    this.end.abort();
  }

  /** `initialize` carries nothing of an earlier session. */
  private startOver(): void {
    this.sessionId = undefined;
    this.revision = undefined;
    this.listening.abort();
  }

  private post(body: string, headers: [string, string][], signal: AbortSignal): Promise<Response> {
    const all = { accept: ACCEPT, "content-type": "application/json", ...Object.fromEntries(headers) };
    return this.fetch("POST", body, all, signal);
  }

  private fetch(
    method: string,
    body: string | undefined,
    headers: Record<string, string>,
    signal: AbortSignal,
  ): Promise<Response> {
    const own: Record<string, string> = { ...this.options.headers, ...headers };
    if (this.sessionId !== undefined) own["mcp-session-id"] = this.sessionId;
    if (this.revision !== undefined) own["mcp-protocol-version"] = this.revision;
    return this.options.fetch(this.options.url, {
      method,
      headers: own,
      signal,
      ...(body === undefined ? {} : { body }),
    });
  }

  private async replyIn(response: Response, id: Id, signal: AbortSignal): Promise<Reply> {
    const type = response.headers.get("content-type") ?? "";
    // Coming back to a broken stream is the legacy era's; 2026-07-28 loses the request with its stream.
    const resumable = this.revision !== undefined;
    if (response.ok && type.startsWith("text/event-stream")) {
      return this.events.replyIn(response, id, signal, resumable);
    }
    const body = await readCounted(response, this.options.maxMessageBytes ?? MAX_MESSAGE_BYTES);
    const message = body.ok ? parseMessage(body.text) : undefined;
    const single = message?.kind === "batch" ? message.items : message ? [message] : [];
    for (const one of single) {
      if (one.kind === "reply" && (one.id === id || (one.id === undefined && !response.ok))) return one;
      this.take(one);
    }
    const problem = body.ok
      ? problemOf(response, body.text)
      : `the server answered ${response.status}: ${body.problem}`;
    throw new ConnectionError("http", problem, response.status);
  }

  private take(message: Single): void {
    if (message.kind === "request" || message.kind === "notification") this.options.receive(message);
  }
}

/** For messages that get no reply: done when the server has taken it, given up when it does not in time. */
export async function accepted(
  post: (signal: AbortSignal) => Promise<Response>,
  gone: AbortSignal,
  timeoutMs = ACCEPTED_WITHIN_MS,
): Promise<void> {
  const deadline = new Deadline(timeoutMs, timeoutMs, gone);
  try {
    const response = await post(deadline.signal);
    await response.body?.cancel();
    if (!response.ok) throw new ConnectionError("http", `the server answered ${response.status}`, response.status);
  } catch (error) {
    // a deadline of ours must not look like a failed connection
    throw deadline.expired === undefined ? error : new ConnectionError("timeout", deadline.expired);
  } finally {
    deadline.over();
  }
}

function problemOf(response: Response, body: string): string {
  const elsewhere = response.status >= 300 && response.status < 400 ? response.headers.get("location") : null;
  // Not followed: it could carry credentials to another host.
  if (elsewhere !== null) return `the server answered ${response.status}: it is now at ${elsewhere.slice(0, 300)}`;
  const said = body.length > 0 && body.length < 300 && !body.includes("<") ? `: ${body.trim()}` : "";
  return response.ok
    ? `the server answered ${response.status} without a reply`
    : `the server answered ${response.status}${said}`;
}

function asConnectionError(error: unknown, signal: AbortSignal): Error {
  if (error instanceof ConnectionError || error instanceof AuthorizationError) return error;
  if (signal.aborted) return new ConnectionError("cancelled", "the request was cancelled");
  // What Bun advises its programmers says nothing to whoever reads this.
  const problem = error instanceof Error ? error.message.replace(/ ?For more information, pass .*$/s, "") : "";
  return new ConnectionError("closed", problem || "the connection failed");
}
