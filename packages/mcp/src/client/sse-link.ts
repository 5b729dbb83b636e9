// A client's link over HTTP+SSE, the transport of 2024-11-05: one stream for everything the server says, and an
// address, named on that stream, for everything we say.
import type { HttpFetch } from "../auth/fetch-json.ts";
import { eventsIn } from "./event-stream-reader.ts";
import { accepted } from "./http-link.ts";
import type { FromServer, Link } from "./link.ts";
import { TransportLink } from "./link.ts";
import { parseMessage } from "../wire/message.ts";
import type { Incoming } from "../wire/message.ts";
import { ConnectionError } from "../wire/rpc-error.ts";
import type { Transport } from "../wire/transport.ts";

type SseLinkOptions = {
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
    return new TransportLink(await openTransport(options, end), options.receive, { http: true });
  } catch (error) {
    end.abort(); // whatever it said, it is not listened to any longer
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

async function openTransport(
  { url, fetch, headers, timeoutMs }: SseLinkOptions,
  end: AbortController,
): Promise<Transport> {
  const response = await fetch(url, { headers: { ...headers, accept: "text/event-stream" }, signal: end.signal });
  if (!response.ok || !response.headers.get("content-type")?.startsWith("text/event-stream")) {
    await response.body?.cancel();
    throw new ConnectionError("http", `the server answered ${response.status}`, response.status);
  }
  const events = eventsIn(response);
  const first = await events.next();
  if (first.done || first.value.event !== "endpoint") {
    throw new ConnectionError("invalid", "the event stream did not start with an endpoint");
  }
  const endpoint = new URL(first.value.data, url);
  // Whoever controls the stream must not send our messages, and our token, elsewhere.
  if (endpoint.origin !== url.origin) {
    throw new ConnectionError("invalid", `the server named an endpoint of another origin: ${endpoint.origin}`);
  }
  return {
    incoming: messagesIn(events, end),
    async send(body) {
      const post = (signal: AbortSignal): Promise<Response> =>
        fetch(endpoint, { method: "POST", headers: { ...headers, "content-type": "application/json" }, body, signal });
      // The reply to a request has a deadline of its own, and may come before the POST is answered.
      await accepted(post, end.signal, parseMessage(body).kind === "request" ? Number.POSITIVE_INFINITY : timeoutMs);
    },
    close: async () => end.abort(),
  };
}

async function* messagesIn(events: ReturnType<typeof eventsIn>, end: AbortController): AsyncGenerator<Incoming> {
  try {
    for await (const { event, data } of events) if (event === "message" && data !== "") yield parseMessage(data);
  } finally {
    end.abort(); // without the stream there are no replies: what is still being sent is given up
  }
}
