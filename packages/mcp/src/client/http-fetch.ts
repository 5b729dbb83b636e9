// The one place that makes HTTP requests. Bun's fetch gives up after 360 s of silence, and event streams are silent
// for longer: that limit is off, and every caller brings its own deadline in `signal`.
import type { HttpFetch } from "../auth/fetch-json.ts";

export const httpFetch: HttpFetch = (url, init) => {
  const target = new URL(url);
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    return Promise.reject(new TypeError(`${target.protocol} is not an address of an MCP server: http or https`));
  }
  // A redirect could carry credentials to another host: the caller decides.
  return fetch(target, { redirect: "manual", ...init, ...({ timeout: false } as RequestInit) });
};
