import { expect, test } from "bun:test";
import { elementTexts, isDeeperThan, spanAt, splice } from "@bosun/platform/json";

test.each<[string, string, (string | number)[], string | undefined]>([
  ["a member", `{"a":1,"b":2}`, ["b"], "2"],
  ["a nested member", `{"a":{"b":[1,{"c":"x"}]}}`, ["a", "b", 1, "c"], `"x"`],
  ["whitespace around everything", ` { "a" : [ 1 , 2 ] } `, ["a", 1], "2"],
  ["the last of duplicates", `{"a":1,"a":12345678901234567890}`, ["a"], "12345678901234567890"],
  ["an escaped key", `{"\\u0061":true}`, ["a"], "true"],
  ["quotes and brackets inside strings", `{"x":"}]\\"{","a":3}`, ["a"], "3"],
  ["a string that ends with a backslash", `{"x":"\\\\","a":4}`, ["a"], "4"],
  ["no such member", `{"a":1}`, ["b"], undefined],
  ["a member of an array", `[1]`, ["a"], undefined],
  ["an element of an object", `{"a":1}`, [0], undefined],
  ["an element past the end", `[1]`, [1], undefined],
  ["the whole", ` [1] `, [], "[1]"],
])("%s", (_, text, path, expected) => {
  const span = spanAt(text, path);
  expect(span && text.slice(span.start, span.end)).toBe(expected);
});

test("one member can be replaced and no other byte changes", () => {
  const text = `{ "id" : 1 , "big":12345678901234567890,  "f":1.50e+3, "d":1, "d":2 }`;
  const span = spanAt(text, ["id"]);
  expect(span && splice(text, [{ ...span, by: `"new"` }])).toBe(text.replace("1 ,", `"new" ,`));
});

test("elements keep their spelling", () => {
  expect(elementTexts(` [ 1.0, "a,]" ,{"b":[ ]}, [[]] ] `)).toEqual(["1.0", `"a,]"`, `{"b":[ ]}`, "[[]]"]);
});

test("the scan of any cut or broken text ends", () => {
  const text = `{"a":[1,{"b":"c\\"d"}],"e":null}`;
  for (let cut = 0; cut <= text.length; cut++) {
    spanAt(text.slice(0, cut), ["e"]);
    spanAt(text.slice(cut), ["a", 0]);
    elementTexts(text.slice(cut));
    isDeeperThan(text.slice(cut), 2);
  }
});

test.each<[string, number, boolean]>([
  ["[[]]", 2, false],
  ["[[]]", 1, true],
  [`{"a":{"b":1}}`, 1, true],
  [`"[[[["`, 0, false],
  [`["\\"[[["]`, 1, false],
  ["[],[],[]", 1, false],
])("%s deeper than %d: %p", (text, limit, deeper) => {
  expect(isDeeperThan(text, limit)).toBe(deeper);
});
