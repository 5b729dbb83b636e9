// Where the user takes part: someone opens the authorization page and brings back the address it ends at.
import { AuthorizationError } from "./authorization-error.ts";
import { DEFAULT_TIMEOUT_MS } from "./fetch-json.ts";
import type { HttpFetch } from "./fetch-json.ts";
import { reachOf } from "@bosun/platform/hosts";

export type UserInteraction = {
  /** Where the authorization server sends the user back: loopback http, or https. */
  readonly redirectUri: string;
  /** Shows `url` to the user; resolves to the address the authorization server redirected to, query included. */
  authorize(url: URL): Promise<URL>;
};

/** For servers that approve without asking anyone: one request, and the redirect is read instead of followed. */
export function createHeadlessInteraction(options: { fetch: HttpFetch; redirectUri?: string }): UserInteraction {
  return {
    redirectUri: options.redirectUri ?? "http://127.0.0.1:33418/callback",
    async authorize(url) {
      const signal = AbortSignal.timeout(DEFAULT_TIMEOUT_MS);
      const response = await options.fetch(url, { redirect: "manual", signal });
      await response.body?.cancel();
      const location = response.headers.get("location");
      const target = location === null ? null : URL.parse(location, url.href);
      if (!target || response.status < 300 || response.status > 399)
        throw new AuthorizationError("interaction_failed", `the authorization page answered HTTP ${response.status}`);
      return target;
    },
  };
}

/** Anything but loopback or https would carry the code in the open. */
export function checkRedirectUri(text: string): URL {
  const url = URL.parse(text);
  const safe = url?.protocol === "https:" || (url?.protocol === "http:" && reachOf(url.hostname) === "loopback");
  if (!url || !safe || url.hash !== "" || url.username !== "" || url.password !== "")
    throw new AuthorizationError("bad_configuration", "the redirect URI must be https, or http on loopback");
  return url;
}
