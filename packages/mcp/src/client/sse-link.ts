// A client's link over HTTP+SSE, the transport of 2024-11-05: one stream for everything the server says, and an
// address, named on that stream, for everything we say.
import type { HttpFetch } from "../auth/fetch-json.ts";
import { eventsIn } from "./event-stream-reader.ts";
import { accepted } from "./http-link.ts";
import type { JsonObject, RawJson } from "../wire/json.ts";
import type { Answer, FromServer, Link, Outgoing } from "./link.ts";
import { idValue, notificationText, parseMessage, requestText } from "../wire/message.ts";
import { PendingRequests } from "../wire/pending-requests.ts";
import { ConnectionError } from "../wire/rpc-error.ts";

export type SseLinkOptions = {
  url: URL;
  fetch: HttpFetch;
  headers?: Readonly<Record<string, string>> | undefined;
  receive: FromServer;
  /** How long the server may take to accept a message. */
  timeoutMs?: number | undefined;
};

/** A server that opens the stream but never says where to send messages. */
const OPEN_TIMEOUT_MS = 10_000;

export async function openSseLink(options: SseLinkOptions): Promise<Link> {
  const end = new AbortController();
  const timer = setTimeout(() => end.abort(), OPEN_TIMEOUT_MS);
  try {
    return await open(options, end);
  } catch (error) {
    end.abort(); // whatever it said, it is not listened to any longer
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function open(options: SseLinkOptions, end: AbortController): Promise<Link> {
  const headers = { ...options.headers, accept: "text/event-stream" };
  const response = await options.fetch(options.url, { headers, signal: end.signal });
  if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw new ConnectionError("http", `the server answered ${response.status}`, response.status);
  }
  const events = eventsIn(response);
  const first = await events.next();
  if (first.done || first.value.event !== "endpoint") {
    throw new ConnectionError("invalid", "the event stream did not start with an endpoint");
  }
  const endpoint = new URL(first.value.data, options.url);
  // Whoever controls the stream must not send our messages, and our token, elsewhere.
  if (endpoint.origin !== options.url.origin) {
    throw new ConnectionError("invalid", `the server named an endpoint of another origin: ${endpoint.origin}`);
  }
  return new SseLink(options, endpoint, events, end);
}

class SseLink implements Link {
  readonly http = true;
  private readonly options: SseLinkOptions;
  private readonly endpoint: URL;
  private readonly end: AbortController;
  private readonly waiting = new PendingRequests();

  constructor(options: SseLinkOptions, endpoint: URL, events: ReturnType<typeof eventsIn>, end: AbortController) {
    this.options = options;
    this.endpoint = endpoint;
    this.end = end;
    void this.listen(events);
  }

  get gone(): AbortSignal {
    return this.end.signal;
  }

  async request({ id, method, params, exact }: Outgoing, signal: AbortSignal, onSent?: () => void): Promise<Answer> {
    const reply = this.waiting.wait(id, { signal }, (reason) => {
      if (method === "initialize") return;
      void this.notify("notifications/cancelled", { requestId: idValue(id), reason }).catch(() => {});
    });
    // Its reply has a deadline of its own, and may come before the POST is answered.
    const text = requestText(id, method, exact ?? params);
    const sending = this.post(text, Number.POSITIVE_INFINITY).catch((error: unknown) => {
      this.waiting.fail(id, error instanceof Error ? error : new ConnectionError("closed", String(error)));
    });
    onSent?.();
    await Promise.race([sending, reply]);
    return { reply: await reply, status: 200 };
  }

  notify(method: string, params?: JsonObject | RawJson): Promise<void> {
    return this.reply(notificationText(method, params));
  }

  reply(text: string): Promise<void> {
    return this.post(text, this.options.timeoutMs);
  }

  private async post(text: string, timeoutMs: number | undefined): Promise<void> {
    const headers = { ...this.options.headers, "content-type": "application/json" };
    const post = (signal: AbortSignal): Promise<Response> =>
      this.options.fetch(this.endpoint, { method: "POST", headers, body: text, signal });
    await accepted(post, this.gone, timeoutMs);
  }

  async close(): Promise<void> {
    this.end.abort();
  }

  private async listen(events: ReturnType<typeof eventsIn>): Promise<void> {
    try {
      for await (const event of events) {
        if (event.event !== "message" || event.data === "") continue;
        const message = parseMessage(event.data);
        for (const one of message.kind === "batch" ? message.items : [message]) {
          if (one.kind === "reply") this.waiting.settle(one);
          else if (one.kind === "malformed") this.waiting.rejectMalformed(one);
          else this.options.receive(one);
        }
      }
    } catch {
      // a broken stream is an ended one
    }
    this.end.abort();
    this.waiting.failAll(new ConnectionError("closed", "the server closed the connection"));
  }
}
