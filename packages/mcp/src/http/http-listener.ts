// The one place that listens: Bun.serve with the defaults that would hurt turned off.
import type { Service } from "../server/call.ts";
import { createHttpHandler } from "./http-handler.ts";
import type { HttpOptions } from "./http-handler.ts";
import { isLoopback } from "@bosun/platform/hosts";
import { MAX_MESSAGE_BYTES } from "../wire/stdio.ts";

/** How long what has been answered may take to reach its clients when we stop. */
const FLUSH_TIMEOUT_MS = 500;
const POLL_MS = 10;

/** A connection on which nothing comes, before or in the middle of a request. */
const SILENT_PEER_SECONDS = 60;

export type ListenOptions = HttpOptions & {
  /** Loopback unless told otherwise; another address needs `authorize`. */
  hostname?: string;
  /** 0 takes any free port. */
  port?: number;
  path?: string;
  /** Other paths, such as a health check or OAuth metadata. */
  routes?: { [path: string]: (request: Request) => Response | Promise<Response> };
  /** How long a peer may stop in the middle of sending. */
  silentPeerSeconds?: number;
};

export type Listening = {
  url: URL;
  sessions(): number;
  /** No new connection from now on; those there are close once `answered` has settled and the answers are out. */
  stop(answered?: Promise<unknown>): Promise<void>;
};

export function serveHttp(service: Service, options: ListenOptions = {}): Listening {
  const { hostname = "127.0.0.1", port = 0, path = "/mcp", routes = {} } = options;
  if (!isLoopback(hostname) && !options.authorize) {
    throw new Error(`refusing to listen on ${hostname} without authorization: anybody who reaches it could call`);
  }
  const endpoint = createHttpHandler(service, {
    ...options,
    onReceived(request) {
      // Bun would close the connection in the quiet of a long call or of an event stream.
      server.timeout(request, 0);
      options.onReceived?.(request);
    },
  });
  const server = Bun.serve({
    hostname,
    port,
    idleTimeout: options.silentPeerSeconds ?? SILENT_PEER_SECONDS,
    maxRequestBodySize: options.maxBodyBytes ?? MAX_MESSAGE_BYTES,
    routes: { ...routes, [path]: (request: Request) => endpoint.fetch(request) },
    fetch: () => new Response("not found\n", { status: 404 }),
    error(error) {
      console.error(error);
      return new Response("internal error\n", { status: 500 });
    },
  });
  return {
    url: new URL(path, server.url),
    sessions: () => endpoint.sessions(),
    async stop(answered = Promise.resolve()) {
      void server.stop();
      await answered;
      endpoint.close();
      for (let waited = 0; server.pendingRequests > 0 && waited < FLUSH_TIMEOUT_MS; waited += POLL_MS)
        await Bun.sleep(POLL_MS);
      await server.stop(true);
    },
  };
}
