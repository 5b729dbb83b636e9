// The host and port of an address in a tool's configuration. A password in it is the tool's affair.
import { normaliseHost } from "@bosun/platform/hosts";
import type { HostAndPort } from "./preset-names.ts";

const DEFAULT_PORTS: Readonly<Record<string, number>> = { "http:": 80, "https:": 443, "ssh:": 22 };

export function hostOfUrl(text: string): HostAndPort | undefined {
  const address = text.trim().replace(/^(?:sparse|registry)\+/, "");
  if (!URL.canParse(address)) return undefined;
  const { protocol, hostname, port } = new URL(address);
  const host = normaliseHost(hostname);
  const number = port === "" ? DEFAULT_PORTS[protocol] : Number(port);
  return host === undefined || number === undefined ? undefined : { host, port: number };
}
