// Numbers in front of lines, the fast way from bytes beside the plain way from strings.
import { expect, test } from "bun:test";
import { PlainLines } from "@bosun/engine";
import type { LineRun } from "@bosun/engine";
import { numberedJson, numberedLines } from "../src/surfaces/coding/numbered-lines.ts";

function plain(first: number, lines: readonly string[]): LineRun {
  const ends: number[] = [];
  let at = -1;
  for (const line of lines) ends.push((at += Buffer.byteLength(line) + 1));
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  return new PlainLines(first, lines.length, bytes, 0, bytes.length, ends);
}

test.each([
  [1, 1],
  [1, 9],
  [1, 10],
  [8, 4],
  [9, 2],
  [95, 10],
  [98, 905],
  [999, 2],
  [1, 1234],
  [6_000_000, 201],
])("from line %d, %d lines", (first, count) => {
  const lines = Array.from({ length: count }, (_, i) => (i % 3 === 0 ? "" : `line ${i} äöü 日本 😀`));
  const width = String(first + count - 1).length;
  const expected = lines.map((line, i) => `${String(first + i).padStart(width)}\t${line}\n`).join("");
  expect(numberedLines([plain(first, lines)])).toBe(expected);
  expect(numberedLines(lines.map((text, i) => ({ number: first + i, text })))).toBe(expected);
});

test("runs and single lines follow each other; a gap is shown; a cut line says so", () => {
  const runs: LineRun[] = [
    plain(8, ["a", "b"]),
    { number: 10, text: "long", totalChars: 5000 },
    plain(11, ["c"]),
    { number: 20, text: "d" },
  ];
  expect(numberedLines(runs)).toBe(" 8\ta\n 9\tb\n10\tlong... [truncated, 5000 chars total]\n11\tc\n...\n20\td\n");
  expect(numberedLines([])).toBe("");
});

test.each<[string, (i: number) => string | Uint8Array]>([
  ["plain", () => "y".repeat(63)],
  ["empty lines", () => ""],
  ["quotes, tabs and backslashes", (i) => `\tif (a["${i}"]) return "\\\\n";`],
  ["every control character", (i) => String.fromCharCode(i % 32 === 10 ? 11 : i % 32)],
  ["carriage returns, also lone ones", (i) => (i % 2 === 0 ? "a\r" : "b\rc\r\r")],
  ["other scripts", (i) => `${i} äöü 日本 😀 \u2028 \ufeff`],
  ["a quote now and then", (i) => (i % 900 === 0 ? '"' : "x".repeat(i % 100))],
  ["invalid UTF-8", (i) => new Uint8Array([0x61, 0xff, 0xe2, 0x82, i % 2 === 0 ? 0x62 : 0xf0])],
  ["invalid UTF-8 in one line near the end", (i) => (i === 3990 ? new Uint8Array([0x61, 0xff]) : "y".repeat(63))],
  ["long lines", (i) => "z".repeat(i % 2000)],
])("as JSON it is the same: %s", (_, line) => {
  const bytes = Array.from({ length: 4000 }, (_, i) => Buffer.from(line(i)));
  const content = Buffer.concat([Buffer.from("-\n"), ...bytes.flatMap((one) => [one, Buffer.from("\n")])]);
  const runs: LineRun[] = [
    new PlainLines(7001, bytes.length, content, 2, content.length),
    { number: 20_000, text: 'the "last"' },
  ];
  const json = Buffer.concat(Array.from(numberedJson(runs, "\n[a note]"), (piece) => Buffer.from(piece)));
  expect(JSON.parse(`"${json.toString()}"`) === `${numberedLines(runs)}\n[a note]`).toBe(true);
});
