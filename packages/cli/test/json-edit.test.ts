// Edits of JSON text: what they name changes, every other byte stays.
import { describe, expect, test } from "bun:test";
import { dropItems, prependItems, readEditable, removeMember, setMember } from "../src/init/json-edit.ts";
import { JsonError, valueOf } from "@bosun/platform/json";

const ENTRY = { command: "x", args: ["a", "b"] };

describe("a member is added in the style of the file", () => {
  test.each<[string, string, string]>([
    [
      "an empty object",
      "{}\n",
      '{\n  "s": {\n    "n": {\n      "command": "x",\n      "args": ["a", "b"]\n    }\n  }\n}\n',
    ],
    [
      "tabs",
      '{\n\t"s": {\n\t\t"o": 1\n\t}\n}',
      '{\n\t"s": {\n\t\t"o": 1,\n\t\t"n": {\n\t\t\t"command": "x",\n\t\t\t"args": ["a", "b"]\n\t\t}\n\t}\n}',
    ],
    ["one line", '{"s": {"o": 1}}', '{"s": {"o": 1, "n": {"command":"x","args":["a","b"]}}}'],
    [
      "a comment after the last",
      '{\n  "s": {\n    "o": 1 // why\n  }\n}',
      '{\n  "s": {\n    "o": 1, // why\n    "n": {\n      "command": "x",\n      "args": ["a", "b"]\n    }\n  }\n}',
    ],
    [
      "a trailing comma",
      '{\n  "s": {\n    "o": 1,\n  },\n}',
      '{\n  "s": {\n    "o": 1,\n    "n": {\n      "command": "x",\n      "args": ["a", "b"]\n    },\n  },\n}',
    ],
    [
      "DOS line ends",
      '{\r\n  "s": {}\r\n}\r\n',
      '{\r\n  "s": {\r\n    "n": {\r\n      "command": "x",\r\n      "args": ["a", "b"]\r\n    }\r\n  }\r\n}\r\n',
    ],
    [
      "only a comment",
      "{\n  // nothing yet\n}",
      '{\n  // nothing yet\n  "s": {\n    "n": {\n      "command": "x",\n      "args": ["a", "b"]\n    }\n  }\n}',
    ],
  ])("%s", (_, before, after) => {
    expect(setMember(before, ["s", "n"], ENTRY)).toBe(after);
    expect(valueOf(after, readEditable(after))).toMatchObject({ s: { n: ENTRY } });
  });
});

describe("adding and removing give back the same bytes", () => {
  test.each([
    ["members on lines", '{\n  "s": {\n    "a": {}, // one\n    /* two */ "b": [1, 2]\n  },\n  "z": null\n}\n'],
    ["tabs and a byte order mark", '\ufeff{\n\t"s": {\n\t\t"a": 1\n\t}\n}'],
    ["one line", '{"s":{"a":1,"b":2}}'],
    ["trailing commas", '{\n  "s": {\n    "a": 1,\n  },\n}\n'],
    ["an empty object inside", '{\n  "s": {}\n}\n'],
    ["DOS line ends", '{\r\n    "s": {\r\n        "a": 1\r\n    }\r\n}\r\n'],
    ["a comment at the end", '{\n  "s": {\n    "a": 1 // last\n    // after\n  }\n}'],
  ])("%s", (_, text) => {
    expect(removeMember(setMember(text, ["s", "n"], ENTRY), ["s", "n"])).toBe(text);
  });
});

test("removing keeps every other member, wherever it stands", () => {
  for (const text of [
    '{"a":1,"b":2,"c":3}',
    '{ "a": 1, "b": 2, "c": 3 }',
    '{\n  "a": 1,\n  "b": 2, // x\n  "c": 3,\n}',
  ]) {
    for (const key of ["a", "b", "c"]) {
      const rest: Record<string, number> = { a: 1, b: 2, c: 3 };
      delete rest[key];
      const removed = removeMember(text, [key]);
      expect(valueOf(removed, readEditable(removed))).toEqual(rest);
      expect(removed.includes("// x")).toBe(text.includes("// x"));
    }
  }
});

describe("items in front of a list, and back", () => {
  test.each([
    ["one line", '{"l": ["a", "b"]}', '{"l": ["x", "y", "a", "b"]}'],
    [
      "lines with comments",
      '{\n  "l": [\n    // first\n    "a",\n    "b" // second\n  ]\n}',
      '{\n  "l": [\n    // first\n    "x",\n    "y",\n    "a",\n    "b" // second\n  ]\n}',
    ],
    ["empty", '{"l": []}', '{"l": ["x", "y"]}'],
  ])("%s", (_, before, after) => {
    expect(prependItems(before, ["l"], ["x", "y"])).toBe(after);
    expect(dropItems(after, ["l"], 2)).toBe(before);
  });
});

describe("random texts: a set value is read back, and the others stay", () => {
  test("300 of them", () => {
    const random = seeded(20261115);
    for (let round = 0; round < 300; round += 1) {
      const value = { s: randomObject(random, 3), other: randomObject(random, 2) };
      const text = printed(value, random);
      expect(valueOf(text, readEditable(text))).toEqual(value);
      const added = setMember(text, ["s", "new key"], ENTRY);
      expect(valueOf(added, readEditable(added))).toEqual({ ...value, s: { ...value.s, "new key": ENTRY } });
      expect(removeMember(added, ["s", "new key"])).toBe(text);
      const [first] = Object.keys(value.s);
      if (first === undefined) continue;
      const removed = removeMember(text, ["s", first]);
      const { [first]: _, ...rest } = value.s;
      expect(valueOf(removed, readEditable(removed))).toEqual({ ...value, s: rest });
    }
  });
});

test.each([
  ["", "1:1: expected a value"],
  ["{\n  a: 1\n}", "2:3: expected a key"],
  ['{"a" 1}', '1:6: expected ":"'],
  ['{"a": 1 "b": 2}', '1:9: expected "," or "}"'],
  ["[1 2]", '1:4: expected "," or "]"'],
  ['{"a": 01}', "1:7: expected a value"],
  ['{"a": "x\u0001"}', "1:7: this text is never closed, or has"],
  ["{} x", "1:4: expected the end"],
  ["[".repeat(300), "nested too deeply"],
])("what is not JSON is refused with its place: %j", (text, said) => {
  expect(() => readEditable(text)).toThrow(JsonError);
  expect(() => readEditable(text)).toThrow(said);
});

function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

function randomObject(random: () => number, depth: number): Record<string, unknown> {
  const entries = Array.from({ length: Math.floor(random() * 4) }, (_, i): [string, unknown] => {
    const key = ["a", 'q"uote', "ключ", "back\\slash"][i] ?? "k";
    return [
      key,
      random() < 0.4 && depth > 0 ? randomObject(random, depth - 1) : [random() < 0.5, "//no", 1e3, null][i],
    ];
  });
  return Object.fromEntries(entries);
}

/** The same value in any layout an editor may have left: no two lines alike. */
function printed(value: unknown, random: () => number): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).map(([key, inner]) => `${JSON.stringify(key)}:${printed(inner, random)}`);
  if (entries.length === 0) return "{}";
  const style = random();
  if (style < 0.3) return `{${entries.join(",")}}`;
  const separator = style < 0.6 ? ",\n  " : ", // c\n\t";
  return `{\n  ${entries.join(separator)}${random() < 0.3 ? "," : ""}${random() < 0.3 ? " /* end */" : ""}\n}`;
}
