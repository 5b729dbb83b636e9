// JSON with places: what is read, and where and why something is none.
import { expect, test } from "bun:test";
import { JsonError, memberOf, readJsonTree, valueOf } from "@bosun/platform/json";
import { randomFrom } from "../random.ts";

test.each<[string, string, string]>([
  ["nothing", "", "1:1: expected a value, found the end of the text"],
  ["a bare key", "{\n  a: 1\n}", '2:3: expected a key, found "a"'],
  ["no colon", '{"a" 1}', '1:6: expected ":", found "1"'],
  ["no comma between members", '{"a":1 "b":2}', '1:8: expected "," or "}"'],
  ["no comma between items", "[1 2]", '1:4: expected "," or "]"'],
  ["a leading zero", '{"a": 01}', "1:7: expected a value"],
  ["a word with a tail", "[truely]", "1:2: expected a value"],
  ["a control character", '{"a": "x\u0001"}', "1:7: this text is never closed, or has"],
  ["an unknown escape", '["\\x"]', "1:2: this text is never closed, or has"],
  ["an object that never ends", '{"a":{"b":1}', '1:13: expected "," or "}", found the end of the text'],
  ["something behind the end", "{} x", "1:4: expected the end"],
  ["a trailing comma", "[1,]", "1:4: expected a value"],
  ["a trailing comma in an object", '{"a":1,}', "1:8: expected a key"],
  ["a comment", "[1 // one\n]", '1:4: expected "," or "]"'],
  ["300 levels", "[".repeat(300), "nested too deeply"],
])("%s is refused with its place", (_, text, said) => {
  expect(() => readJsonTree(text)).toThrow(JsonError);
  expect(() => readJsonTree(text)).toThrow(said);
});

test("with comments allowed, they and trailing commas are read over", () => {
  const text = '\ufeff// head\n{ "a": [1, 2, /* two */], "a": {"b": null,}, }\n';
  const tree = readJsonTree(text, { comments: true });
  expect(valueOf(text, tree)).toEqual({ a: { b: null } });
  const member = memberOf(tree, "a");
  expect(text.slice(member?.value.start, member?.value.end)).toBe('{"b": null,}');
  expect(() => readJsonTree("[1] /* open", { comments: true })).toThrow("1:5: expected the end");
});

test("what JSON.parse takes is taken and means the same; what it refuses is refused", () => {
  const random = randomFrom(20261118);
  const pieces = [
    '"a"',
    '"\\u00e9\\n"',
    "1",
    "-0.5e+3",
    "true",
    "null",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    " ",
    "\n",
    "01",
    '"',
  ];
  let valid = 0;
  for (let round = 0; round < 20_000; round += 1) {
    const text = Array.from({ length: 1 + random.below(9) }, () => pieces[random.below(pieces.length)]).join("");
    let expected: { value: unknown } | undefined;
    try {
      expected = { value: JSON.parse(text) };
      valid += 1;
    } catch {
      expected = undefined; // refused: so must we
    }
    if (expected === undefined) expect(() => readJsonTree(text)).toThrow(JsonError);
    else expect(valueOf(text, readJsonTree(text))).toEqual(expected.value);
  }
  expect(valid).toBeGreaterThan(100);
});
