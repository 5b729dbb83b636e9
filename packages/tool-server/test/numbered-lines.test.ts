// Numbers in front of lines, the fast way from bytes beside the plain way from strings.
import { expect, test } from "bun:test";
import type { LineRun } from "@bosun/engine";
import { numberedLines } from "../src/surfaces/coding/numbered-lines.ts";

function plain(first: number, lines: readonly string[]): LineRun {
  const cuts: number[] = [];
  let at = 0;
  for (const line of lines) {
    const length = Buffer.byteLength(line);
    cuts.push(at, at + length);
    at += length + 1;
  }
  return { first, bytes: Buffer.from(lines.join("\n")), cuts };
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
