// The way back, given what nobody folded: damaged or hostile texts are refused with a reason, in bounded memory.
import { expect, test } from "bun:test";

import { Unfolder } from "../src/index.ts";
import type { Emitted } from "../src/index.ts";

const TREE_LAYOUT = { fold: "tree", layout: JSON.stringify([0, "  ", "", ",", " ", "", ""]) };
const words = (count: number, sign: string): string[] => Array.from({ length: count }, (_, i) => `${sign}${i}`);

test.each<[string, string, object[], RegExp]>([
  [
    "many names in a folder with a long name",
    `[bosun:paths]\n${"a".repeat(500_000)}/ ${"x ".repeat(1000)}`,
    [],
    /much/,
  ],
  ["many names in many folders", `[bosun:paths]\n{${words(3000, "f")}}/ ${words(3000, "n").join(" ")}`, [], /too many/],
  [
    "names in folders below a long one",
    `[bosun:paths]\n${"p".repeat(50_000)}/{${words(100, "f")}}/ ${words(100, "n").join(" ")}`,
    [],
    /much/,
  ],
  ["a tree deeper than the stack", `[bosun:tree]\n${"a/".repeat(200_000)} x`, [TREE_LAYOUT], /too deep/],
  [
    "names behind much white space",
    `[bosun:paths =*]\n${words(100_000, "n")
      .map((word) => `${word}=1`)
      .join(" ")}`,
    [{ fold: "paths", layout: JSON.stringify([[0, 0, 2000], " "]) }],
    /much/,
  ],
  [
    "names that are far in",
    `[bosun:indented]\n${"a/".repeat(2000)} ${words(10_000, "n").join(" ")}`,
    [{ fold: "indented", layout: '{"base":"","unit":"        "}' }],
    /much/,
  ],
  ["a tree without its white space", "[bosun:indented]\na/ b", [], /indentation/],
  [
    "a tree with other white space",
    "[bosun:indented]\na/ b",
    [{ fold: "indented", layout: '{"base":"","unit":"x"}' }],
    /indentation/,
  ],
  [
    "headings upon headings",
    `[bosun:ls-R a:]\n${"x".repeat(20_000)}/ y\n${words(9000, "f")
      .map((name) => ` ${name}/ z`)
      .join("\n")}`,
    [],
    /too much/,
  ],
  ["a line in ls -R", "[bosun:ls-R a:]\n|x", [], /not a name/],
  [
    "many lines that say the same",
    `[bosun:grep]\na.ts\n${Array.from({ length: 20_000 }, (_, i) => i).join(",")}:${"x".repeat(20_000)}`,
    [],
    /too many/,
  ],
  ["a range without end", "[bosun:paths]\na{1..999999999}", [], /too many/],
  ["ranges upon ranges", `[bosun:paths]\n${"a{1..999999} ".repeat(40)}`, [], /too many/],
  ["a range that counts down", "[bosun:paths]\na{9..1}", [], /too many/],
  ["a plus for many endings", `[bosun:paths +${words(5000, ".")}]\n${"a+ ".repeat(5000)}`, [], /too many endings/],
  ["a digest that was never there", "[bosun:digests x]\n1234567…", [], /no digest/],
  ["a digest in words that are none", `[bosun:digests x]\n1234567${"Zzyzx".repeat(11)}`, [], /part of a digest/],
  [
    "labels without their columns",
    "[bosun:paths =a,*,*]\nx=1",
    [{ fold: "paths", layout: JSON.stringify(["", " ", " ", " "]) }],
    /without its columns/,
  ],
  ["a folder without a name", "[bosun:paths]\n{a,}/ x", [], /without a name/],
  ["a line further in than its folder", "[bosun:paths]\na/ x\n   y", [], /too far in/],
  ["white space behind the end of JSON", '{"a":1}', [jsonLayout({ gaps: [" "], places: [99, 0] })], /behind the end/],
  ["white space that is none", '{"a":1}', [jsonLayout({ gaps: ["x"], places: [1, 0] })], /damaged/],
  ["white space nowhere", '{"a":1}', [jsonLayout({ gaps: [" "], places: [1] })], /damaged/],
  [
    "white space without end",
    `[${"1,".repeat(70_000)}1]`,
    [jsonLayout({ gaps: [" ".repeat(1000)], places: Array.from({ length: 140_000 }, () => 0) })],
    /too much/,
  ],
  ["a fold that is none", "[bosun:nonsense]\nx", [], /no fold/],
])("%s is refused with a reason, and the next text comes back", (_, text, layouts, reason) => {
  const unfolder = new Unfolder();
  const refused = unfolder.unfold(noted(text, layouts));
  expect(refused).toEqual({ ok: false, reason: expect.stringMatching(reason) });
  expect(unfolder.unfold({ text: "plain" })).toEqual({ ok: true, text: "plain" });
});

test.each<[string, unknown]>([
  ["no _meta", undefined],
  ["a _meta without a note", { other: 1 }],
  ["an empty note", { "bosun/fold": {} }],
  ["parts that are no list", { "bosun/fold": { parts: {} } }],
  ["a length that is no number", { "bosun/fold": { parts: [{ chars: "19", folded: true }] } }],
  ["a part that does not say it was folded", { "bosun/fold": { parts: [{ chars: 19 }] } }],
  ["a part that says so in other words", { "bosun/fold": { parts: [{ chars: 19, folded: "yes" }] } }],
  ["repeats in other words", { "bosun/fold": { parts: [{ chars: 19, repeats: 1 }] } }],
  ["digests that are none", { "bosun/fold": { parts: [{ chars: 19, repeats: true }], seen: { a: 1 } } }],
])("a shortened text with %s is no original", (_, meta) => {
  const text = "[bosun:runs]\n×3 wait";
  expect(new Unfolder().unfold({ text, meta })).toEqual({ ok: false, reason: expect.stringMatching(/_meta/) });
});

function jsonLayout(deviations: object): object {
  const regular = { lists: [], pad: "", comma: "", gaps: [], places: [] };
  return { fold: "json-space", layout: JSON.stringify([0, null, "", ",", ":", "", "", { ...regular, ...deviations }]) };
}

function noted(text: string, layouts: object[]): Emitted {
  return { text, meta: { "bosun/fold": { parts: [{ chars: text.length, folded: true, layouts }] } } };
}
