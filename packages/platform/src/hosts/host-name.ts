// A host name as somebody wrote it → the one form that rules compare, or a refusal. Checked once, before any rule.

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/;

/** Lower case, without a trailing dot; undefined for anything a name server or a URL reader could read two ways. */
export function normaliseHost(written: string): string | undefined {
  if (written.length > 253 || !/^[\x21-\x7e]+$/.test(written)) return undefined;
  const host = written.toLowerCase().replace(/\.$/, "");
  if (/^\[[0-9a-f:.]+\]$/.test(host)) return canBeParsed(host) ? host : undefined;
  const labels = host.split(".");
  if (!labels.every((label) => LABEL.test(label))) return undefined;
  // 0x7f.1, 127.1 and 2130706433 are addresses to some programs and names to others.
  if (/^(?:0x[0-9a-f]*|\d+)$/.test(labels.at(-1) ?? "")) return isPlainIpv4(labels) ? host : undefined;
  return host;
}

/** An http(s) address without a password in it; undefined otherwise. */
export function httpUrl(written: string): URL | undefined {
  if (!/^https?:\/\/[\x21-\x7e]+$/i.test(written) || written.includes("\\")) return undefined;
  if (!URL.canParse(written)) return undefined;
  const url = new URL(written);
  const authority = written.slice(written.indexOf("//") + 2).split(/[/?#]/, 1)[0] ?? "";
  if (authority.includes("@") || url.username !== "" || url.password !== "") return undefined;
  const host = normaliseHost(authority.replace(/:\d*$/, ""));
  return host !== undefined && host === url.hostname.replace(/\.$/, "") ? url : undefined;
}

/** Nobody but this machine is reached by it, or listened to on it. Names below localhost may be anybody's to a name server. */
export function isLoopback(host: string): boolean {
  if (/^(?:localhost|::1|\[::1\])$/i.test(host)) return true;
  return host.startsWith("127.") && isPlainIpv4(host.split("."));
}

function isPlainIpv4(labels: readonly string[]): boolean {
  return labels.length === 4 && labels.every((label) => /^(?:0|[1-9]\d{0,2})$/.test(label) && Number(label) <= 255);
}

function canBeParsed(host: string): boolean {
  return URL.canParse(`http://${host}/`) && new URL(`http://${host}/`).hostname === host;
}
