import { describe, expect, test } from "bun:test";
import { array, boolean, integer, number, object, oneOf, optional, raw, record, string } from "../src/server/schema.ts";
import type { Infer, Schema } from "../src/server/schema.ts";

const INPUT = object({
  path: string("where", { minLength: 1, maxLength: 5 }),
  lines: integer("how many", { min: 1, max: 10, default: 3 }),
  ratio: optional(number("ratio", { min: 0 })),
  deep: boolean("", { default: false }),
  mode: oneOf("how", ["a", "b"], { default: "a" }),
  tags: array("tags", string(""), { maxItems: 2, default: [] }),
});
const typed: Infer<typeof INPUT> = { path: "x", lines: 1, ratio: undefined, deep: true, mode: "b", tags: [] };

test("what is published is what is parsed with", () => {
  expect(typed.mode).toBe("b");
  expect(INPUT.json).toEqual({
    type: "object",
    properties: {
      path: { type: "string", description: "where", minLength: 1, maxLength: 5 },
      lines: { type: "integer", description: "how many", minimum: 1, maximum: 10, default: 3 },
      ratio: { type: "number", description: "ratio", minimum: 0 },
      deep: { type: "boolean", default: false },
      mode: { type: "string", description: "how", enum: ["a", "b"], default: "a" },
      tags: { type: "array", description: "tags", items: { type: "string" }, maxItems: 2, default: [] },
    },
    required: ["path"],
    additionalProperties: false,
  });
  expect(object({}).json).toEqual({ type: "object", additionalProperties: false });
});

test.each([
  ["what is left out", { path: "x" }],
  ["null where something may be left out", { path: "x", lines: null, ratio: null, deep: null, mode: null, tags: null }],
])("defaults fill in: %s", (_, given) => {
  expect(INPUT.parse(given, "arguments")).toEqual({
    ok: true,
    value: { path: "x", lines: 3, ratio: undefined, deep: false, mode: "a", tags: [] },
  });
});

describe("a problem names the place, the rule and what came", () => {
  test.each<[string, unknown, string]>([
    ["no object", 5, "arguments must be an object, got 5"],
    ["null", null, "arguments must be an object, got null"],
    ["an array", [], "arguments must be an object, got an array"],
    ["nothing", undefined, "arguments is required"],
    ["a missing member", {}, "arguments.path is required"],
    [
      "an unknown member",
      { path: "x", pth: 1 },
      `arguments has an unknown property "pth"; known: path, lines, ratio, deep, mode, tags`,
    ],
    [
      "__proto__",
      JSON.parse(`{"path":"x","__proto__":1}`),
      `arguments has an unknown property "__proto__"; known: path, lines, ratio, deep, mode, tags`,
    ],
    ["too short", { path: "" }, "arguments.path must not be empty"],
    ["too long", { path: "abcdef" }, "arguments.path must have at most 5 characters, got 6"],
    ["another type", { path: 7 }, "arguments.path must be a string, got 7"],
    ["null for what is required", { path: null }, "arguments.path must be a string, got null"],
    ["a fraction", { path: "x", lines: 1.5 }, "arguments.lines must be an integer, got 1.5"],
    ["beyond 2^53", { path: "x", lines: 2 ** 53 }, "arguments.lines must be an integer, got 9007199254740992"],
    ["out of range", { path: "x", lines: 11 }, "arguments.lines must be between 1 and 10, got 11"],
    ["below the minimum", { path: "x", ratio: -1 }, "arguments.ratio must be at least 0, got -1"],
    ["infinite", { path: "x", ratio: Number.POSITIVE_INFINITY }, "arguments.ratio must be a number, got null"],
    ["another choice", { path: "x", mode: "c" }, `arguments.mode must be one of a, b; got "c"`],
    ["too many items", { path: "x", tags: ["1", "2", "3"] }, "arguments.tags may have at most 2 items"],
    ["a wrong item", { path: "x", tags: ["1", 2] }, "arguments.tags[1] must be a string, got 2"],
    [
      "a long value is cut",
      { path: "x", mode: "y".repeat(100) },
      `arguments.mode must be one of a, b; got "${"y".repeat(59)}…`,
    ],
  ])("%s", (_, value, problem) => {
    expect(INPUT.parse(value, "arguments")).toEqual({ ok: false, problem });
  });
});

test.each<[string, Schema<unknown>, unknown, boolean]>([
  ["characters are counted, not halves", string("", { maxLength: 2 }), "😀😀", true],
  ["three characters are not two", string("", { maxLength: 2 }), "😀😀😀", false],
  ["one character is not two, though two halves", string("", { minLength: 2 }), "😀", false],
  ["a record of strings", record("", string("")), { a: "b", __proto__: "c" }, true],
  ["a record with a number", record("", string("")), { a: 1 }, false],
  ["raw takes any object", raw({ type: "object" }), { any: [1] }, true],
  ["raw takes nothing else", raw({ type: "object" }), [1], false],
  ["a nested object", object({ a: object({ b: integer("") }) }), { a: { b: 1 } }, true],
])("%s", (_, schema, value, ok) => {
  expect(schema.parse(value, "x").ok).toBe(ok);
});
