// An address as text → its bytes, 4 or 16 of them; undefined for anything else.
import { isIP } from "node:net";

export function ipBytes(text: string): Uint8Array | undefined {
  // A zone (fe80::1%eth0) names an interface of this machine.
  const address = text.replace(/%.*$/, "");
  switch (isIP(address)) {
    case 4:
      return Uint8Array.from(address.split("."), Number);
    case 6:
      return ipv6Bytes(address);
    default:
      return undefined;
  }
}

/** Equal for every spelling of one address. */
export function ipKey(text: string): string | undefined {
  return ipBytes(text)?.toHex();
}

function ipv6Bytes(address: string): Uint8Array {
  const [head = "", tail] = address.split("::");
  const front = groupsOf(head);
  const back = tail === undefined ? [] : groupsOf(tail);
  const zeros = Array<number>(Math.max(0, 16 - front.length - back.length)).fill(0);
  return Uint8Array.from([...front, ...zeros, ...back]);
}

function groupsOf(text: string): number[] {
  if (text === "") return [];
  return text.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const value = Number.parseInt(group, 16);
    return [value >> 8, value & 255];
  });
}
