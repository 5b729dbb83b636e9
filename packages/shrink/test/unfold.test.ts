// The way back, given what nobody folded: damaged or hostile texts are refused with a reason, in bounded memory.
import { expect, test } from "bun:test";

import { unfold } from "../src/index.ts";
import type { Emitted } from "../src/index.ts";

type Forms = [name: string, layout?: string][];

const PATHS = '[bosun: paths by folder, "folder/: names"]';
const JSON_STYLE = JSON.stringify([0, null, "", ",", ":", "", ""]);
const long = (sign: string, chars: number): string => sign.repeat(chars);

test.each<[string, string, Forms, RegExp]>([
  [
    "many names in a folder with a long name",
    `${PATHS}\n${long("a", 500_000)}/: ${long("x ", 1000)}x`,
    [["paths"]],
    /much/,
  ],
  ["a tree deeper than the stack", `[bosun: t]\n./: ${long("a/", 200_000)}x`, [["tree", JSON_STYLE]], /deep|much/],
  ["a folder that its parent does not name", "[bosun: t]\n./: a/\nb/: x", [["tree", JSON_STYLE]], /no folder b/],
  ["matches without a file", "[bosun: matches as line:text under their file]\n12:x", [["matches"]], /without a file/],
  ["lines that continue nothing", "[bosun: x]\n a", [["beginnings"]], /nothing to continue/],
  [
    "a long beginning of many lines",
    `[bosun: x]\n${long("b", 100_000)}…\n${long(" a\n", 1000)}`,
    [["beginnings"]],
    /much/,
  ],
  ["a line again without a line", "[bosun: the line above 3 more times]", [["repeats"]], /no line above/],
  [
    "a line again without end",
    `${long("x", 1000)}\n[bosun: the line above 999999999 more times]`,
    [["repeats"]],
    /much/,
  ],
  [
    "a block from nowhere",
    "a\n[bosun: 9 more lines, the same as lines 1-9 of this result]",
    [["repeats"]],
    /no such block/,
  ],
  [
    "a pattern without its values",
    '[bosun: "A 5 x" is pattern A with {1}=5 {2}=x]\nA = {1} {2}\nA 1',
    [["patterns"]],
    /value/,
  ],
  [
    "a pattern with more values",
    '[bosun: "A 5 x" is pattern A with {1}=5 {2}=x]\nA = {1} {2}\nA 1 2 3',
    [["patterns"]],
    /value/,
  ],
  [
    "a long pattern of many rows",
    `[bosun: "A 5 x" is pattern A with {1}=5 {2}=x]\nA = ${long("p", 100_000)}\n${long("A\n", 1000)}`,
    [["patterns"]],
    /much/,
  ],
  ["code without a first number", "[bosun: every tenth line number is shown]\nx", [["numbered"]], /no number/],
  ["padding without end", "[bosun: columns without padding]\na b", [["padding", "[[1e9,1,1]]"]], /wide/],
  ["padding of other words", "[bosun: columns without padding]\na b", [["padding", "[[1,1]]"]], /fit/],
  ["colours from nowhere", "[bosun: without colours]\na b", [["colours", '[["x"],[99,0]]']], /fit/],
  ["rows that are not there", "[bosun: JSON]\n9 rows\n a\n 1", [["json", JSON.stringify([JSON_STYLE, []])]], /missing/],
  ["more cells than columns", "[bosun: JSON]\n1 rows\n a\n 1 2", [["json", JSON.stringify([JSON_STYLE, []])]], /cells/],
  ["an order of other members", "[bosun: JSON]\na=1 b=2", [["json", JSON.stringify([JSON_STYLE, [[1]]])]], /order/],
  [
    "white space that is none",
    "[1]",
    [["minified", JSON.stringify([0, null, "", ",", ":", "", "", [[1, "x"]]])]],
    /damaged/,
  ],
  [
    "white space without end",
    `[${long("1,", 70_000)}1]`,
    [["minified", JSON.stringify([0, long(" ", 1000), "", ",", ":", "", ""])]],
    /damaged/,
  ],
  ["a form that is none", "[bosun: nonsense]\nx", [["nonsense"]], /no form/],
  ["a form without its mark", "a/: b c", [["paths"]], /mark/],
])("%s is refused with a reason", (_, text, forms, reason) => {
  expect(unfold(noted(text, forms))).toEqual({ ok: false, reason: expect.stringMatching(reason) });
});

test.each<[string, unknown]>([
  ["no _meta", undefined],
  ["a _meta without a note", { other: 1 }],
  ["an empty note", { "bosun/fold": {} }],
  ["parts that are no list", { "bosun/fold": { parts: {} } }],
  ["a length that is no number", { "bosun/fold": { parts: [{ chars: "43", folded: { parts: [] } }] } }],
  ["a part that does not say it was folded", { "bosun/fold": { parts: [{ chars: 43 }] } }],
  ["a part that says so in other words", { "bosun/fold": { parts: [{ chars: 43, folded: true }] } }],
  [
    "a form in other words",
    { "bosun/fold": { parts: [{ chars: 43, folded: { parts: [{ at: 0, chars: 43, forms: [1] }] } }] } },
  ],
  [
    "a place beyond its end",
    { "bosun/fold": { parts: [{ chars: 43, folded: { parts: [{ at: 9, chars: 43, forms: [] }] } }] } },
  ],
])("a shortened text with %s is no original", (_, meta) => {
  const text = "wait\n[bosun: the line above 12 more times]\n";
  expect(text.length).toBe(43);
  expect(unfold({ text, meta })).toEqual({ ok: false, reason: expect.stringMatching(/_meta|note/) });
});

function noted(text: string, forms: Forms): Emitted {
  const folded = { parts: [{ at: 0, chars: text.length, forms }] };
  return { text, meta: { "bosun/fold": { parts: [{ chars: text.length, folded }] } } };
}
