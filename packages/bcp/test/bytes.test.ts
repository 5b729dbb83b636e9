import { describe, expect, test } from "bun:test";
import { decodeLossy } from "../src/utf8-text.ts";
import { DecodeError } from "../src/index.ts";
import { Reader } from "../src/byte-reader.ts";
import { BackWriter, Writer } from "../src/byte-writer.ts";
import { fromDigits, hex } from "./vectors/hex.ts";

const PLACE = { at: 100, packed: false };

describe("varints", () => {
  test.each([
    [0n, "00"],
    [127n, "7f"],
    [128n, "8001"],
    [16_383n, "ff7f"],
    [16_384n, "808001"],
    [2n ** 32n - 1n, "ffffffff0f"],
    [2n ** 32n, "8080808010"],
    [2n ** 53n - 1n, "ffffffffffffff0f"],
    [2n ** 53n, "8080808080808010"],
    [2n ** 56n - 1n, "ffffffffffffff7f"],
    [2n ** 63n - 1n, "ffffffffffffffff7f"],
    [2n ** 64n - 1n, "ffffffffffffffffff01"],
  ])("%p is %s both ways", (value, digits) => {
    const reader = new Reader(fromDigits(digits), PLACE);
    reader.varint();
    expect(BigInt(reader.exact())).toBe(value);
    const writer = new BackWriter();
    writer.varint(value < 2n ** 53n ? Number(value) : value);
    expect(hex(writer.view())).toBe(digits);
    if (value >= 2n ** 53n) return;
    const forward = new Writer();
    forward.varint(Number(value));
    expect(forward.pieces().map(hex)).toEqual([digits]);
  });

  test.each([
    ["longer than needed", "8100", 1n],
    ["longer than needed by two", "ff818000", 255n],
    ["bits beyond 64 are dropped", "81808080808080808002", 1n],
    ["bits beyond 64 are dropped, all set", "ffffffffffffffffff7f", 2n ** 64n - 1n],
  ])("%s", (_, digits, value) => {
    const reader = new Reader(fromDigits(digits), PLACE);
    reader.varint();
    expect(BigInt(reader.exact())).toBe(value);
    expect(reader.pos).toBe(digits.length / 2);
  });

  test.each([
    ["nothing there", "", "UnexpectedEof", "unexpected end of input at offset 0"],
    ["cut", "8080", "UnexpectedEof", "unexpected end of input at offset 2"],
    ["ten bytes that go on, and the end", "80".repeat(10), "UnexpectedEof", "unexpected end of input at offset 10"],
    ["ten bytes that go on, and more", "80".repeat(11), "VarintTooLong", "varint too long: exceeded 10-byte limit"],
  ])("%s", (_, digits, code, message) => {
    const reader = new Reader(fromDigits(`00${digits}`), PLACE, 1);
    const failure = caught(() => reader.varint());
    expect([failure.code, failure.message, failure.offset]).toEqual([code, message, 101]);
  });
});

describe("the backward writer", () => {
  test("grows at its front and keeps what is there", () => {
    const writer = new BackWriter();
    for (let i = 0; i < 5000; i++) writer.bytes(Uint8Array.of(i & 0xff));
    expect(writer.length).toBe(5000);
    expect([...writer.view()]).toEqual(Array.from({ length: 5000 }, (_, i) => (4999 - i) & 0xff));
  });

  test.each(["", "plain", "x".repeat(3000), "größe 漢字 😀", `${"x".repeat(40)}é`, "\ud800 alone"])(
    "text %#",
    (text) => {
      const writer = new BackWriter();
      writer.bytes(Uint8Array.of(7));
      const expected = new TextEncoder().encode(text);
      expect(writer.text(text)).toBe(expected.length);
      expect([...writer.view()]).toEqual([...expected, 7]);
    },
  );
});

test("lossy text is what a TextDecoder that keeps the BOM makes of it", () => {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const awkward = [
    0x41, 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xa0, 0x9f, 0xed, 0xef, 0xbb, 0xf0, 0x90, 0xf4, 0xf5, 0xff,
  ];
  let state = 7;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  for (let i = 0; i < 20_000; i++) {
    const bytes = Uint8Array.from({ length: 1 + random(9) }, () => awkward[random(awkward.length)] ?? 0);
    expect(decodeLossy(bytes)).toBe(decoder.decode(bytes));
  }
  expect(decodeLossy(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61))).toBe("\ufeffa");
});

function caught(run: () => unknown): DecodeError {
  try {
    run();
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error("did not fail");
}
