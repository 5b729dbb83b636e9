// Numbers in front of lines, as text from strings and as JSON from bytes.
import { expect, test } from "bun:test";
import { PlainLines } from "@bosun/engine";
import type { LineRun } from "@bosun/engine";
import { numberedJson, numberedLines } from "../src/surfaces/coding/numbered-lines.ts";

function plain(first: number, lines: readonly (string | Uint8Array)[]): PlainLines {
  const bytes = lines.map((line) => Buffer.from(line));
  let at = -1;
  const ends = bytes.map((line) => (at += line.length + 1));
  return new PlainLines(first, Buffer.concat(bytes.flatMap((line) => [line, Buffer.from("\n")])), ends);
}

function jsonOf(runs: readonly LineRun[], note = ""): unknown {
  const json = Buffer.concat(Array.from(numberedJson(runs, note), (piece) => Buffer.from(piece)));
  return JSON.parse(`"${json.toString()}"`);
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
  expect(numberedLines(lines.map((text, i) => ({ number: first + i, text })))).toBe(expected);
  expect(jsonOf([plain(first, lines)])).toBe(expected);
});

test("runs and single lines follow each other; a gap is shown; a cut line says so", () => {
  const long = { number: 10, text: "long", totalChars: 5000 };
  const last = { number: 20, text: "d" };
  const expected = " 8\ta\n 9\tb\n10\tlong... [truncated, 5000 chars total]\n11\tc\n...\n20\td\n";
  expect(jsonOf([plain(8, ["a", "b"]), long, plain(11, ["c"]), last])).toBe(expected);
  const alone = [{ number: 8, text: "a" }, { number: 9, text: "b" }, long, { number: 11, text: "c" }, last];
  expect(numberedLines(alone)).toBe(expected);
  expect(jsonOf([plain(8, ["a"]), plain(20, ["b"])])).toBe(" 8\ta\n...\n20\tb\n");
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
  const texts = bytes.map((one) => new TextDecoder().decode(one).replace(/\r$/, ""));
  const last = { number: 20_000, text: 'the "last"' };
  const shown = numberedLines([...texts.map((text, i) => ({ number: 7001 + i, text })), last]);
  expect(jsonOf([plain(7001, bytes), last], "\n[a note]") === `${shown}\n[a note]`).toBe(true);
});
