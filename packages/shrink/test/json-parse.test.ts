import { expect, test } from "bun:test";
import { parseJson } from "../src/json-parse.ts";
import { printJson } from "../src/json-syntax.ts";
import { Random } from "./random.ts";

const ROWS = [
  { id: 1, name: "a", tags: [], at: { x: 1, y: [2, {}] } },
  { id: 2, name: "b\n", tags: ["t", "u"] },
  {},
  [],
];
const PRINTED = [
  JSON.stringify(ROWS),
  JSON.stringify(ROWS, undefined, 2),
  JSON.stringify(ROWS, undefined, "\t"),
  JSON.stringify(ROWS, undefined, 1).replaceAll("\n", "\n\n"),
  '{"a": 1, "b": [1, 2], "a": null}',
  '{ "a" : 1 , "b" : [ 1 , 2 ] }',
  "  [1,2]\n",
  "[\n]",
  "[ ]",
  "[\n1,\n2\n]",
];

test.each(PRINTED)("exact is what prints to the same bytes: %j", (text) => {
  const parsed = parseJson(text);
  expect(parsed?.isExact).toBe(parsed && printJson(parsed.node, parsed.style) === text);
});

test("and so it is when white space comes and goes anywhere", () => {
  const random = new Random(7);
  let exact = 0;
  for (let i = 0; i < 4000; i++) {
    const text = PRINTED[random.below(PRINTED.length)] ?? "";
    const at = random.below(text.length + 1);
    const blank = [" ", "\n", "  ", "\t", ""][random.below(5)] ?? "";
    const changed = text.slice(0, at) + blank + text.slice(at + random.below(2));
    const parsed = parseJson(changed);
    if (parsed === undefined) continue;
    expect([changed, parsed.isExact]).toEqual([changed, printJson(parsed.node, parsed.style) === changed]);
    if (parsed.isExact) exact++;
  }
  expect(exact).toBeGreaterThan(100);
});

test("a tree says what JSON.parse says", () => {
  for (const text of PRINTED) {
    const parsed = parseJson(text);
    const compact = parsed && printJson(parsed.node, { pad: "", comma: ",", colon: ":", lead: "", trail: "" });
    expect(JSON.parse(compact ?? "null")).toEqual(JSON.parse(text));
  }
});
