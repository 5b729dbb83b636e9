// Ways to a server: start one, or go to one over HTTP.
import type { HttpFetch } from "../auth/fetch-json.ts";
import { startServer } from "../wire/child-transport.ts";
import type { ChildOptions } from "../wire/child-transport.ts";
import { Client } from "./client.ts";
import type { ClientOptions, OpenLink } from "./client-session.ts";
import { HttpLink } from "./http-link.ts";
import { httpFetch } from "./http-fetch.ts";
import { TransportLink } from "./link.ts";
import { ConnectionError } from "../wire/rpc-error.ts";
import { openSseLink } from "./sse-link.ts";
import type { Transport } from "../wire/transport.ts";

export function connectTransport(transport: Transport, options: ClientOptions): Promise<Client> {
  const open: OpenLink = async (receive, _, earlier) => {
    if (earlier?.gone.aborted) throw new ConnectionError("closed", "this connection cannot be opened again");
    return earlier ?? new TransportLink(transport, receive);
  };
  return Client.connect(open, options);
}

/** Starts a server and talks to it over stdio. Closing the client ends it. */
export function connectChild(child: ChildOptions, options: ClientOptions): Promise<Client> {
  return Client.connect(async (receive) => new TransportLink(startServer(child), receive), options);
}

export type HttpConnectOptions = ClientOptions & {
  headers?: Readonly<Record<string, string>>;
  /** For example one that authorizes: see createAuthorizedFetch. */
  fetch?: HttpFetch;
};

/** Streamable HTTP of any revision, and, where that fails, the HTTP+SSE of 2024-11-05. */
export async function connectHttp(url: string | URL, options: HttpConnectOptions): Promise<Client> {
  const target = new URL(url);
  const { headers, fetch = httpFetch, timeoutMs } = options;
  try {
    return await Client.connect(
      async (receive, headersFor) => new HttpLink({ url: target, fetch, headers, headersFor, receive, timeoutMs }),
      options,
    );
  } catch (error) {
    // only what an old server would answer is worth a second attempt
    if (!looksLikeSse(error) || options.era === "modern") throw error;
    return Client.connect((receive) => openSseLink({ url: target, fetch, headers, receive, timeoutMs }), {
      ...options,
      era: "legacy",
    }).catch(() => {
      throw error; // what the first attempt said is the better explanation
    });
  }
}

function looksLikeSse(error: unknown): boolean {
  return error instanceof ConnectionError && [400, 404, 405].includes(error.status ?? 0);
}
