// Which URLs the OAuth code may touch. Every URL a foreign document names passes through here before anything is
// fetched or shown: a link handed to a browser opener was once enough to run a command (CVE-2025-6514).
import { reachOf } from "@bosun/platform/hosts";
import type { Reach } from "@bosun/platform/hosts";
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";

export type UrlPolicy = {
  /** The nearest host that may be named: a public server must not aim us at our own machine or network. */
  nearest: Reach;
  /** Accept plain http also beyond loopback. */
  insecureHttp: boolean;
};

const DISTANCE: Record<Reach, number> = { loopback: 0, private: 1, public: 2 };
const MAX_URL_LENGTH = 8192;

export function safeUrl(text: string, policy: UrlPolicy, what: string): URL {
  const url = parseStrictly(text, what);
  if (url.protocol !== "https:" && url.protocol !== "http:")
    throw refused(what, text, `only http and https are allowed, not ${url.protocol}`);
  if (url.username !== "" || url.password !== "") throw refused(what, "(hidden)", "it carries credentials");
  const reach = reachOf(url.hostname);
  if (DISTANCE[reach] < DISTANCE[policy.nearest])
    throw refused(what, text, `a ${policy.nearest} server may not name a ${reach} address`);
  if (url.protocol === "http:" && reach !== "loopback" && !policy.insecureHttp)
    throw refused(what, text, "plain http is only allowed on this machine");
  return url;
}

/** The policy for what a server may name: hosts as far away as itself, or farther. */
export function policyFor(serverUrl: URL, insecureHttp: boolean): UrlPolicy {
  return { nearest: reachOf(serverUrl.hostname), insecureHttp };
}

/** Whether `inner` lies at or below `outer`: same origin, and path segments that continue it. */
export function covers(outer: URL, inner: URL): boolean {
  if (outer.origin !== inner.origin) return false;
  if (outer.search !== "" && outer.search !== inner.search) return false;
  const prefix = outer.pathname.endsWith("/") ? outer.pathname : `${outer.pathname}/`;
  return `${inner.pathname}/`.startsWith(prefix);
}

// The URL parser trims and drops control characters and turns backslashes around: what was checked would not be what
// was written. Such text is refused before it is parsed.
function parseStrictly(text: string, what: string): URL {
  if (text.length > MAX_URL_LENGTH || /[\p{Cc}\s\\]/u.test(text))
    throw refused(what, text, "it contains characters no URL has, or too many");
  try {
    return new URL(text);
  } catch {
    // the parser's own words do not name the document the text came from
    throw refused(what, text, "it is not an absolute URL");
  }
}

function refused(what: string, text: string, why: string): AuthorizationError {
  return new AuthorizationError("unsafe_url", `${what} ${quoteForeign(text)} is refused: ${why}`);
}
