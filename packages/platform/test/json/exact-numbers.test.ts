// Numbers that JavaScript would change survive being passed on.
import { expect, test } from "bun:test";
import { isExactNumber, parseExactly, parseKeepingIntegers } from "@bosun/platform/json";

test.each([
  "12345678901234567890",
  // Sixteen digits nowhere in a row.
  "123456789012345.678",
  "0.1234567890123456789",
  "0.00000012",
  "1.10",
  "1e5",
  "-0",
  "1.0",
])("%s is written as it was read", (number) => {
  const text = `{"n":${number},"list":[${number}],"plain":7}`;
  expect(JSON.stringify(parseExactly(text))).toBe(text);
});

test("what can be reckoned with stays a number where only long integers are kept", () => {
  const value = parseKeepingIntegers<{ a: unknown; b: unknown }>('{"a":1.50,"b":12345678901234567890}');
  expect(value.a).toBe(1.5);
  expect(isExactNumber(value.b)).toBe(true);
});
