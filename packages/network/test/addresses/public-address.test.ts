import { networkInterfaces } from "node:os";
import { expect, test } from "bun:test";
import { checkAddresses } from "../../src/addresses/resolve-host.ts";
import { isPublicAddress } from "../../src/addresses/public-address.ts";

const NOT_PUBLIC =
  `0.0.0.0 0.255.255.255 10.0.0.1 10.255.255.255 100.64.0.1 100.127.255.255 127.0.0.1 127.255.255.254 169.254.169.254 172.16.0.1
   172.31.255.255 192.0.0.1 192.0.2.1 192.168.1.1 198.18.0.1 198.19.255.255 198.51.100.1 203.0.113.1 224.0.0.1 239.1.2.3 240.0.0.1
   255.255.255.255 :: ::1 ::7f00:1 64:ff9b:1::1 100::1 2001::1 2001:1ff::1 2001:db8::1 fc00::1 fd00::1 fdff::1 fe80::1 fe80::1%lo
   febf::1 fec0::1 ff02::1 ::ffff:127.0.0.1 ::ffff:7f00:1 0:0:0:0:0:ffff:a00:1 ::ffff:169.254.169.254 64:ff9b::a00:1
   64:ff9b::127.0.0.1 2002:7f00:1:: 2002:a9fe:a9fe::1 2002:c0a8:101::1 nonsense 127.1 0x7f.1 2130706433`.split(/\s+/);
const PUBLIC =
  `1.1.1.1 8.8.8.8 9.255.255.255 11.0.0.0 100.63.255.255 100.128.0.0 126.255.255.255 128.0.0.1 169.253.1.1 172.15.255.255 172.32.0.1
   192.0.1.1 192.167.1.1 198.17.1.1 198.20.1.1 223.255.255.255 2606:4700::1111 2001:200::1 2001:4860:4860::8888 2a00::1 64:ff9b::808:808
   ::ffff:8.8.8.8 2002:808:808::1 2003::1`.split(/\s+/);

test.each(NOT_PUBLIC.map((address) => [address]))("%s is not public", (address) => {
  expect(isPublicAddress(address)).toBe(false);
});

test.each(PUBLIC.map((address) => [address]))("%s is public", (address) => {
  expect(isPublicAddress(address)).toBe(true);
});

test("every address of this machine is refused, in each spelling", () => {
  for (const { address, family } of Object.values(networkInterfaces()).flatMap((list) => list ?? [])) {
    expect(checkAddresses([address]).kind).toBe("private");
    if (family === "IPv4") expect(checkAddresses([`::ffff:${address}`]).kind).toBe("private");
  }
});

test("one private address among public ones refuses the name", () => {
  expect(checkAddresses(["1.1.1.1", "10.0.0.1"])).toEqual({ kind: "private", address: "10.0.0.1" });
  expect(checkAddresses(["1.1.1.1", "8.8.8.8"]).kind).toBe("addresses");
});
