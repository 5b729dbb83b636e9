// JSON made from bytes beside JSON.stringify: for every character of ASCII, for chance, and across pieces.
import { expect, test } from "bun:test";
import { PlainLines } from "@bosun/engine";
import { escapedPieces, numberedPieces } from "../src/surfaces/json-escape.ts";

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function whole(pieces: Iterable<Uint8Array>): string {
  return Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece))).toString();
}

function check(text: string): void {
  expect(whole(escapedPieces(Buffer.from(text)))).toBe(inner(text));
  expect(whole(escapedPieces(Buffer.from(text), true))).toBe(inner(inner(text)));
}

test("every character of ASCII, alone and between others", () => {
  for (let code = 0; code < 0x80; code += 1) {
    const char = String.fromCharCode(code);
    for (const text of [char, char.repeat(3), `x${char}`, `ä${char}y`]) check(text);
  }
});

test("anything at all, of any length up to a hundred", () => {
  const alphabet = [...'\0\u0001\t\n\r\u001f !"#[\\]^`az\u007f\u0080äß€日😀\u2028\ufeff'];
  let seed = 7;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 3000; round += 1) {
    check(Array.from({ length: next(100) }, () => alphabet[next(alphabet.length)]).join(""));
  }
});

test("longer than a piece, of what grows most, and cut within characters", () => {
  for (const text of ['\u0001"'.repeat(100_000), `x${"日".repeat(100_000)}`]) {
    expect(whole(escapedPieces(Buffer.from(text))) === inner(text)).toBe(true);
    expect(whole(escapedPieces(Buffer.from(text), true)) === inner(inner(text))).toBe(true);
  }
});

test("numbered lines of what grows most, over many pieces", () => {
  const line = "\u0001".repeat(2000);
  const ends = Array.from({ length: 300 }, (_, i) => (i + 1) * 2001 - 1);
  const lines = new PlainLines(1, Buffer.from(`${line}\n`.repeat(300)), ends);
  const expected = ends.map((_, i) => `${String(i + 1).padStart(16)}\t${line}\n`).join("");
  expect(whole(numberedPieces(lines, 16) ?? []) === inner(expected)).toBe(true);
});

test("a line that no piece holds is an error, not a cut text", () => {
  const long = Buffer.from(`${"x".repeat(1_000_000)}\n`);
  expect(() => whole(numberedPieces(new PlainLines(1, long, [1_000_000]), 1) ?? [])).toThrow(RangeError);
});

test("what is not UTF-8 is left to the caller", () => {
  expect(numberedPieces(new PlainLines(1, Buffer.from([0xff, 0x0a]), [1]), 1)).toBeUndefined();
});
