// How far away a host of a URL is. What is named by somebody foreign must not be nearer than they are.
import { isLoopback } from "./host-name.ts";

/** A name that merely resolves to a near address counts as public. */
export type Reach = "loopback" | "private" | "public";

export function reachOf(hostname: string): Reach {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  // As a destination, a name below localhost is taken for this machine.
  if (isLoopback(host) || host.endsWith(".localhost")) return "loopback";
  if (host.startsWith("[")) return reachOfIpv6(host.slice(1, -1));
  const numbers = ipv4(host);
  return numbers ? reachOfIpv4(numbers) : "public";
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
  if (host === "::") return "loopback";
  const mapped = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(host);
  if (mapped?.[1] !== undefined && mapped[2] !== undefined) {
    const high = Number.parseInt(mapped[1], 16);
    const low = Number.parseInt(mapped[2], 16);
    return reachOfIpv4([high >> 8, high & 255, low >> 8, low & 255]);
  }
  return /^f[cd]|^fe[89ab]/.test(host) ? "private" : "public";
}
