// Signing in at a server's authorization page: the person opens the address, the answer comes back to a port of ours on
// loopback. And the sign-in of another day that the person wanted kept: its token is used and renewed, but nobody is sent
// to a sign-in page unasked.
import { createServer as createTcpServer } from "node:net";
import type { AddressInfo } from "node:net";
import { createAuthorizedFetch } from "@bosun/mcp";
import type { CredentialStore, HttpFetch } from "@bosun/mcp";
import type { SavedSignIns } from "../settings/saved-sign-ins.ts";
import { plainFetch } from "./open-client.ts";
import type { ServerConfig } from "./server-config.ts";

const WAIT_MS = 300_000;

export type SignIn = { fetch: HttpFetch; close: () => void };

export type SignInOptions = {
  serverUrl: string;
  /** How the server is reached, without any token. */
  fetch: HttpFetch;
  store: CredentialStore;
  /** Gets the address to open. */
  show: (url: string) => void;
};

export async function prepareSignIn(options: SignInOptions, signal: AbortSignal): Promise<SignIn> {
  const { serverUrl, show, store } = options;
  const arrived = Promise.withResolvers<URL>();
  const listener = createTcpServer((socket) => {
    socket.once("data", (data: Buffer) => {
      const target = /^GET (\S+) HTTP\//.exec(data.toString("latin1"))?.[1];
      const text = "You can close this page and go back to the terminal.\n";
      socket.end(
        `HTTP/1.1 200 OK\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\nconnection: close\r\n\r\n${text}`,
      );
      if (target?.startsWith("/callback") === true) arrived.resolve(new URL(target, redirectUri));
    });
    socket.on("error", () => {});
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const redirectUri = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
  const timer = setTimeout(() => arrived.reject(new Error("nobody signed in")), WAIT_MS);
  signal.addEventListener("abort", () => arrived.reject(new Error("stopped")), { once: true });
  arrived.promise.catch(() => {}); // it may be rejected before anybody waits for it
  const fetch = createAuthorizedFetch({
    fetch: options.fetch,
    serverUrl,
    store,
    registration: { clientName: "aish" },
    grant: {
      kind: "authorization_code",
      interaction: {
        redirectUri,
        authorize: (url: URL) => {
          show(url.href);
          return arrived.promise;
        },
      },
    },
  });
  return {
    fetch,
    close: () => {
      clearTimeout(timer);
      listener.close();
    },
  };
}

const ANY_LOOPBACK = "http://127.0.0.1/callback";

export function keptSignIn({ alias, reach }: ServerConfig, signIns: SavedSignIns): HttpFetch | undefined {
  if (reach.kind !== "http" || reach.authToken !== undefined || reach.authEnv !== undefined) return undefined;
  const kept = signIns.keptFor(reach.url);
  if (kept === undefined) return undefined;
  return createAuthorizedFetch({
    fetch: plainFetch(reach),
    serverUrl: reach.url,
    store: signIns.store,
    registration: { clientName: "aish" },
    grant: {
      kind: "authorization_code",
      interaction: {
        redirectUri: kept.redirectUri ?? ANY_LOOPBACK,
        authorize: () => Promise.reject(new Error(`the sign-in is over; :mcp login ${alias} --keep`)),
      },
    },
  });
}
