// Who may talk to this server at all, before anything of a request is read: the right Host, the right Origin.
// Checking both is what stops web pages from reaching a loopback port, also by DNS rebinding.

import { isLoopback } from "@bosun/platform/hosts";

export type HostRules = {
  /** Host names besides the loopback ones; "*" for any (behind a gateway that checks them itself). */
  allowedHosts?: readonly string[] | undefined;
  /** Origins of web pages that may call, such as https://app.example. None by default, but the server's own. */
  allowedOrigins?: readonly string[] | undefined;
};

export type HostCheck = { ok: true; origin: string | undefined } | { ok: false; reason: string };

export function checkHostAndOrigin(headers: Headers, rules: HostRules): HostCheck {
  const host = headers.get("host");
  const origin = headers.get("origin");
  if (!hostAllowed(host, rules)) return { ok: false, reason: `Host ${JSON.stringify(host)} is not served here` };
  if (origin === null) return { ok: true, origin: undefined };
  if (!originAllowed(origin, host, rules))
    return { ok: false, reason: `Origin ${JSON.stringify(origin)} may not call` };
  return { ok: true, origin };
}

function hostAllowed(host: string | null, { allowedHosts = [] }: HostRules): boolean {
  if (allowedHosts.includes("*")) return true;
  if (host === null) return false;
  const name = hostName(host);
  return name !== undefined && (isLoopback(name) || allowedHosts.includes(name) || allowedHosts.includes(host));
}

function originAllowed(origin: string, host: string | null, { allowedOrigins = [] }: HostRules): boolean {
  if (allowedOrigins.includes("*") || allowedOrigins.includes(origin)) return true;
  // Our own pages: same host and port as the request itself, which was checked above.
  const match = /^https?:\/\/([^/?#@\\]+)$/.exec(origin);
  return match !== null && host !== null && match[1]?.toLowerCase() === host.toLowerCase();
}

/** The name without its port, or undefined for anything that is not plainly `name`, `name:port` or `[v6]:port`. */
function hostName(host: string): string | undefined {
  const match = /^(\[[0-9a-fA-F:.]+\]|[A-Za-z0-9._-]+)(?::\d{1,5})?$/.exec(host);
  return match?.[1]?.toLowerCase();
}
