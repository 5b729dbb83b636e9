// Which URLs the OAuth code may touch. Every URL a foreign document names passes through here before anything is
// fetched or shown: a link handed to a browser opener was once enough to run a command (CVE-2025-6514).
import { AuthorizationError, quoteForeign } from "./authorization-error.ts";

/** How near to this machine a host is. A name that merely resolves to a near address counts as public. */
export type Reach = "loopback" | "private" | "public";

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

export function reachOf(hostname: string): Reach {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  if (host.startsWith("[")) return reachOfIpv6(host.slice(1, -1));
  const numbers = ipv4(host);
  return numbers ? reachOfIpv4(numbers) : "public";
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
    throw refused(what, text, "it is not an absolute URL");
  }
}

// The URL parser has already brought every spelling (0x7f.1, 2130706433) to four numbers.
function ipv4(host: string): number[] | undefined {
  return /^\d+\.\d+\.\d+\.\d+$/.test(host) ? host.split(".").map(Number) : undefined;
}

function reachOfIpv4([a = 0, b = 0]: number[]): Reach {
  if (a === 127 || a === 0) return "loopback"; // 0.0.0.0 reaches this machine too
  if (a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168)) return "private";
  if ((a === 169 && b === 254) || (a === 100 && b >= 64 && b < 128)) return "private";
  return "public";
}

function reachOfIpv6(host: string): Reach {
  if (host === "::1" || host === "::") return "loopback";
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (mapped?.[1] !== undefined && mapped[2] !== undefined) {
    const high = Number.parseInt(mapped[1], 16);
    const low = Number.parseInt(mapped[2], 16);
    return reachOfIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  return /^f[cd]|^fe[89ab]/.test(host) ? "private" : "public";
}

function refused(what: string, text: string, why: string): AuthorizationError {
  return new AuthorizationError("unsafe_url", `${what} ${quoteForeign(text)} is refused: ${why}`);
}
