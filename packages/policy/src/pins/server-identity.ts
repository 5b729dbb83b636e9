// Which server this is, whatever alias it has today: approvals and pins hang on it, not on a name a person can reuse.
import { digestOf } from "@bosun/platform/json";
import { redact } from "@bosun/platform/secrets";

export type ServerAddress =
  | { readonly url: string }
  | { readonly command: string; readonly args: readonly string[] }
  /** Tools of our own, in this process. */
  | { readonly builtin: string };

/** A digest: nothing of an address (which may hold a token) reaches the disk. */
export function serverIdentity(address: ServerAddress): string {
  if (!("url" in address)) return digestOf(address);
  const url = URL.canParse(address.url) ? new URL(address.url) : undefined;
  // Origin and path: a changed query is not another server, another host is.
  return digestOf({ url: url === undefined ? address.url : `${url.origin}${url.pathname}` });
}

/** For questions and listings: where it is, without secrets. */
export function serverLabel(address: ServerAddress): string {
  if ("url" in address) {
    const url = URL.canParse(address.url) ? new URL(address.url) : undefined;
    return url === undefined ? redact(address.url) : `${url.origin}${redact(url.pathname)}`;
  }
  if ("builtin" in address) return address.builtin;
  return redact([address.command, ...address.args].join(" "));
}
