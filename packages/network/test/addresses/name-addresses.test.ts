import { expect, test } from "bun:test";
import { NameAddresses } from "../../src/addresses/name-addresses.ts";
import { LIMITS } from "../../src/limits.ts";

test("a name keeps its address, and every address is of one name", () => {
  const names = new NameAddresses();
  const addresses = Array.from({ length: LIMITS.names }, (_, at) => names.addressOf(`h${at}.test`));
  expect(new Set(addresses).size).toBe(LIMITS.names);
  expect(addresses.every((address) => /^127\.(6[4-9]|7\d)\./.test(address ?? ""))).toBe(true);
  expect(names.addressOf("h7.test")).toBe(addresses[7] as string);
  expect(names.hostOf(addresses[7] as string)).toBe("h7.test");
});

test("only an address that was unused for a minute goes to another name, and none with a connection", () => {
  let now = 0;
  const names = new NameAddresses({ ...LIMITS, names: 2 }, () => now);
  const a = names.addressOf("a.test") as string;
  const b = names.addressOf("b.test") as string;
  expect(names.addressOf("c.test")).toBeUndefined();
  const letGo = names.hold(a);
  now = LIMITS.nameReuseMs + 1;
  expect(names.addressOf("c.test")).toBe(b);
  expect(names.hostOf(b)).toBe("c.test");
  expect(names.addressOf("d.test")).toBeUndefined();
  letGo();
  expect(names.addressOf("d.test")).toBeUndefined();
  now += LIMITS.nameReuseMs + 1;
  names.addressOf("c.test");
  expect(names.addressOf("d.test")).toBe(a);
});
