// Whether an address is of the public internet: what an allowed name may resolve to. Everything else is this machine, its
// network, a cloud's metadata service, or nobody's (IANA special-purpose registries).
import { networkInterfaces } from "node:os";
import { ipBytes, ipKey } from "./ip-bytes.ts";

type Range = { readonly prefix: Uint8Array; readonly bits: number };

const NOT_PUBLIC_V4 = ranges(
  `0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.168.0.0/16
   198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3`,
);

const NOT_PUBLIC_V6 = ranges(
  "::/8 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 fc00::/7 fe80::/10 fec0::/10 ff00::/8",
);

/** Forms that hold an IPv4 address, which is what is reached: where in the bytes it stands. */
const EMBEDDED: readonly (Range & { readonly at: number })[] = [
  ...ranges("::ffff:0:0/96").map((range) => ({ ...range, at: 12 })), // mapped
  ...ranges("64:ff9b::/96").map((range) => ({ ...range, at: 12 })), // translated
  ...ranges("2002::/16").map((range) => ({ ...range, at: 2 })), // 6to4
];

export function isPublicAddress(address: string): boolean {
  const bytes = ipBytes(address);
  if (bytes === undefined) return false;
  const reached = embeddedIpv4(bytes) ?? bytes;
  return !isInside(reached, reached.length === 4 ? NOT_PUBLIC_V4 : NOT_PUBLIC_V6);
}

/** Also public ones: what listens here trusts those who are here. */
export function ownAddresses(): ReadonlySet<string> {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  return new Set(all.flatMap(({ address }) => ipKey(address) ?? []));
}

export function isOwnAddress(address: string, own: ReadonlySet<string>): boolean {
  const bytes = ipBytes(address);
  return bytes !== undefined && own.has((embeddedIpv4(bytes) ?? bytes).toHex());
}

function embeddedIpv4(bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length !== 16) return undefined;
  const form = EMBEDDED.find((range) => isInside(bytes, [range]));
  return form === undefined ? undefined : bytes.subarray(form.at, form.at + 4);
}

function isInside(bytes: Uint8Array, within: readonly Range[]): boolean {
  return within.some(({ prefix, bits }) => {
    for (let at = 0; at < bits; at += 8) {
      const mask = 0xff00 >> Math.min(8, bits - at);
      if ((((bytes[at / 8] ?? 0) ^ (prefix[at / 8] ?? 0)) & mask & 0xff) !== 0) return false;
    }
    return true;
  });
}

function ranges(written: string): readonly Range[] {
  return written.split(/\s+/).map((text) => {
    const [address = "", bits = ""] = text.split("/");
    return { prefix: ipBytes(address) ?? new Uint8Array(16), bits: Number(bits) };
  });
}
