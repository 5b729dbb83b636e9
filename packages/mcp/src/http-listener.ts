// The one place that listens: Bun.serve with the defaults that would hurt turned off.
import type { Service } from "./call.ts";
import { createHttpHandler } from "./http-handler.ts";
import type { HttpOptions } from "./http-handler.ts";
import { isLoopbackHost } from "./http-guard.ts";
import { MAX_MESSAGE_BYTES } from "./stdio.ts";

export type ListenOptions = HttpOptions & {
  /** Loopback unless told otherwise; another address needs `authorize`. */
  hostname?: string;
  /** 0 takes any free port. */
  port?: number;
  path?: string;
  /** Other paths, such as a health check or OAuth metadata. */
  routes?: { [path: string]: (request: Request) => Response | Promise<Response> };
};

export type Listening = { url: URL; sessions(): number; stop(): Promise<void> };

export function serveHttp(service: Service, options: ListenOptions = {}): Listening {
  const { hostname = "127.0.0.1", port = 0, path = "/mcp", routes = {} } = options;
  if (!isLoopbackHost(hostname) && !options.authorize) {
    throw new Error(`refusing to listen on ${hostname} without authorization: anybody who reaches it could call`);
  }
  const endpoint = createHttpHandler(service, options);
  const server = Bun.serve({
    hostname,
    port,
    // Bun closes quiet connections after 10 s: event streams and long calls are quiet for minutes.
    idleTimeout: 0,
    maxRequestBodySize: options.maxBodyBytes ?? MAX_MESSAGE_BYTES,
    fetch(request) {
      const { pathname } = new URL(request.url);
      if (pathname === path) return endpoint.fetch(request);
      const route = Object.hasOwn(routes, pathname) ? routes[pathname] : undefined;
      return route ? route(request) : new Response("not found\n", { status: 404 });
    },
    error(error) {
      console.error(error);
      return new Response("internal error\n", { status: 500 });
    },
  });
  return {
    url: new URL(path, server.url),
    sessions: () => endpoint.sessions(),
    async stop() {
      endpoint.close();
      await server.stop(true);
    },
  };
}
