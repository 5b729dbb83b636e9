// What the README says was measured is what was measured.
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import path from "node:path";
import { FEATURES } from "../features.ts";
import { comparison, withComparison } from "../readme.ts";
import { goals, measured, table } from "../report.ts";
import type { Row } from "../report.ts";
import { PUBLISHED, readResults } from "../results.ts";

const readme = readFileSync(path.resolve(import.meta.dir, "../../README.md"), "utf8");
const MISSED: Row = {
  what: "reads",
  unit: "ms",
  ours: 2,
  theirs: { peer: 4 },
  target: { text: "≤ 1/4", reached: false },
};
const REACHED: Row = { what: "starts", unit: "ms", ours: 1, theirs: {}, target: { text: "≤ 5 ms", reached: true } };

test("the README has the published results (else: npm run bench -- --readme)", () => {
  expect(withComparison(readme, readResults(PUBLISHED))).toBe(readme);
});

test("every section of the bench is published", () => {
  const sections = ["serve", "engine", "mcp", "proxy", "tokens", "tools", "tokenizer", "bcp", "chat"];
  expect(Object.keys(readResults(PUBLISHED))).toEqual(expect.arrayContaining(sections));
});

test("a goal that was missed is called so, and counted", () => {
  const text = comparison({ serve: { about: "", date: "2026-01-02", machine: "a machine", rows: [MISSED, REACHED] } });
  expect(text).toMatch(/reads +\| 2 ms; peer 4 \(1\/2\) +\| ≤ 1\/4 +\| \*\*no\*\*/);
  expect(text).toContain("1 of the 2 goals above are not reached");
  expect(text).toContain("2026-01-02 on a machine");
});

test("goals say what was asked for and what was measured", () => {
  expect(goals([MISSED, REACHED])).toContain("1 of 2 goals reached");
  expect(goals([MISSED])).toMatch(/reads \| ≤ 1\/4 \| 2 ms; peer 4 \(1\/2\) \| NO/);
});

test.each<[Row, string]>([
  [MISSED, "2 ms; peer 4 (1/2)"],
  [{ ...MISSED, ours: 8 }, "8 ms; peer 4 (2×)"],
  [REACHED, "1 ms"],
])("%j is put into words", (row, words) => {
  expect(measured(row)).toBe(words);
});

test("columns are as wide as what they show", () => {
  expect(table(["a", "bb"], [["● x", "1"]])).toEqual(["| a   | bb  |", "| --- | --- |", "| ● x | 1   |"]);
});

test("every feature has a mark for everybody", () => {
  for (const { peers, rows } of FEATURES)
    for (const [feature, ...marks] of rows)
      expect([feature, marks.length, marks.every((mark) => "●◐○–?".includes(mark))]).toEqual([
        feature,
        peers.length + 1,
        true,
      ]);
});

test("without a place for it the README is refused", () => {
  expect(() => withComparison("# nothing", {})).toThrow("the README has no place for it");
});
