// JSON made in WebAssembly beside JSON.stringify, for every byte at every place of a word, and for chance.
import { readFileSync } from "node:fs";
import { expect, test } from "bun:test";
import { JsonText, PIECE_BYTES } from "../src/json-text/json-text.ts";
import { eight, sixteen, widest } from "../src/json-text/lanes.ts";
import { countLines, escapedPieces } from "../src/json-text/pieces.ts";

// Where the processor cannot look at sixteen bytes at once, it is the same twice.
const ways = [new JsonText(0, eight), new JsonText(0, widest())];

function inner(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

function check(text: string): void {
  const bytes = Buffer.from(`before${text}after`);
  const part = { bytes, from: 6, to: bytes.length - 5 };
  for (const json of ways) {
    expect(json.escaped(part).toString()).toBe(inner(text));
    expect(json.escaped(part, true).toString()).toBe(inner(inner(text)));
  }
}

test("every character of ASCII, at every place, alone and beside its like", () => {
  for (let code = 0; code < 0x80; code += 1) {
    const char = String.fromCharCode(code);
    for (let before = 0; before < 17; before += 1) {
      for (const behind of ["", "x", "y".repeat(17)]) {
        check("x".repeat(before) + char + behind);
        check("ä".repeat(before) + char.repeat(3) + behind);
      }
    }
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

test.each<[string, number, number, string]>([
  ["one line", 1, 1, "a\n"],
  ["from nine to ten", 8, 2, "a\nb\nc\n"],
  ["the last number that fits", 98, 2, "a\nb\n"],
  ["wide numbers", 9_999_999, 8, "a\nb\n"],
  ["the widest", 9_999_999_999_999, 16, "a\nb\n"],
  ["empty lines", 1, 3, "\n\n\n"],
  ["returns", 1, 1, "a\r\n\r\n\r\r\nb\rc\n"],
  ["specials", 1, 1, '\t"\\\u0001äöü日😀\n'],
])("numbers: %s", (_, first, width, text) => {
  const bytes = Buffer.from(text);
  const lines = text.slice(0, -1).split("\n");
  const expected = lines
    .map((line, i) => `${String(first + i).padStart(width)}\t${line.replace(/\r$/, "")}\n`)
    .join("");
  const part = { bytes, from: 0, to: bytes.length };
  for (const json of ways) {
    expect(json.numbered(part, first, width).toString()).toBe(inner(expected));
    // Again: what one call leaves behind means nothing to the next.
    expect(json.numbered(part, first, width).toString()).toBe(inner(expected));
    expect(json.escaped(part).toString()).toBe(inner(text));
  }
});

test("numbers count on over every place, in every width", () => {
  for (let width = 1; width <= 16; width += 1) {
    const first = Math.max(1, Number("9".repeat(Math.min(width, 15))) - 1200);
    const count = Math.min(1201, Number("9".repeat(Math.min(width, 15))) - first + 1);
    const bytes = Buffer.from("a\n".repeat(count));
    const expected = Array.from({ length: count }, (_, i) => `${String(first + i).padStart(width)}\ta\n`).join("");
    for (const json of ways) {
      expect(json.numbered({ bytes, from: 0, to: bytes.length }, first, width).toString()).toBe(inner(expected));
    }
  }
});

test("a text that stands in its room is not brought there, and is left as it is", () => {
  const json = new JsonText(1000);
  const text = `${"x".repeat(30)}"\n`.repeat(31);
  const part = { bytes: json.room, from: 5, to: 5 + json.room.write(text, 5) };
  for (let again = 0; again < 2; again += 1) {
    expect(json.lines(part, 2000)).toBe(31);
    expect(json.escaped(part).toString()).toBe(inner(text));
    expect(json.room.toString("latin1", part.from, part.to)).toBe(text);
  }
});

test("this machine looks at sixteen bytes at once, or cannot", () => {
  expect(widest()).toBe(process.arch === "arm64" || hasAvx() ? sixteen : eight);
});

function hasAvx(): boolean {
  return process.platform !== "linux" || /\bavx\b/.test(readFileSync("/proc/cpuinfo", "utf8"));
}

test("pieces full of what grows most, and none too large", () => {
  const text = '\u0001"'.repeat(PIECE_BYTES);
  for (const twice of [false, true]) {
    const whole = Buffer.concat(Array.from(escapedPieces(Buffer.from(text), twice), (piece) => Buffer.from(piece)));
    expect(whole.toString() === (twice ? inner(inner(text)) : inner(text))).toBe(true);
  }
  const lines = { bytes: Buffer.from("\n".repeat(PIECE_BYTES)), from: 0, to: PIECE_BYTES };
  for (const json of ways) {
    expect(json.numbered(lines, 1, 16).toString().split("\\n").length).toBe(PIECE_BYTES + 1);
    expect(json.nextNumber(16)).toBe(PIECE_BYTES + 1);
    expect(() => json.escaped({ bytes: Buffer.alloc(PIECE_BYTES + 1), from: 0, to: PIECE_BYTES + 1 })).toThrow(
      RangeError,
    );
  }
});

test.each<[string, string, number, number | undefined]>([
  ["nothing but newlines", "\n".repeat(100), 0, 100],
  ["a line just short enough", `${"x".repeat(20)}\n`, 20, 1],
  ["a line too long", `${"x".repeat(21)}\n`, 20, undefined],
  ["the last one too long", `a\n${"x".repeat(21)}\n`, 20, undefined],
  ["bytes that are almost newlines", "\u000b\t\u008a\u000b\n\u000b\n".repeat(9), 20, 18],
  ["more than a piece", `${"y".repeat(99)}\n`.repeat(6000), 99, 6000],
  ["a line longer than a piece", `a\n${"x".repeat(2 * PIECE_BYTES)}\n`, 4 * PIECE_BYTES, undefined],
])("lines are counted: %s", (_, text, most, expected) => {
  for (const before of ["", "x\n", "1234567\n"]) {
    const bytes = Buffer.from(`${before}${text}behind it`);
    expect(countLines(bytes, before.length, bytes.length - 9, most)).toBe(expected);
  }
});

test("lines of any length are counted alike, and one too long is noticed wherever it is", () => {
  let seed = 11;
  const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
  for (let round = 0; round < 300; round += 1) {
    const longest = [20, 1000, 1990, 2000, 2001][round % 5] ?? 0;
    const lengths = Array.from({ length: next(60) + 1 }, () => (next(4) === 0 ? longest - next(12) : next(90)));
    const bytes = Buffer.from(lengths.map((length) => `${"z".repeat(length)}\n`).join(""));
    const expected = lengths.some((length) => length > 2000) ? undefined : lengths.length;
    for (const json of ways) expect(json.lines({ bytes, from: 0, to: bytes.length }, 2000)).toBe(expected);
  }
});
