// The 21 shapes in which servers send tool calls, each as a list of deltas.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bosun/mcp";
import { AnswerReader } from "../../src/model/answer.ts";
import { CallCollector } from "../../src/model/collect-calls.ts";
import { cutUp, delta, finish, seeded } from "../scripted-model.ts";

type Expected = [name: string, args: string, id?: string | RegExp];
const MINTED = /^[A-Za-z0-9]{9}$/;

function fn(name?: string, args?: unknown): JsonObject {
  return { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args as string }) };
}

const SHAPES: [shape: string, deltas: JsonObject[][], expected: Expected[]][] = [
  [
    "1 id and name, then fragments by index",
    [
      [{ index: 0, id: "c1", type: "function", function: fn("fs__read", "") }],
      [{ index: 0, function: fn(undefined, '{"pa') }],
      [{ index: 0, function: fn(undefined, 'th":"a"}') }],
    ],
    [["fs__read", '{"path":"a"}', "c1"]],
  ],
  [
    "2 two calls, fragments interleaved by index",
    [
      [{ index: 0, id: "c1", function: fn("a__x", "{") }],
      [{ index: 1, id: "c2", function: fn("a__y", '{"n":') }],
      [{ index: 0, function: fn(undefined, "}") }],
      [{ index: 1, function: fn(undefined, "2}") }],
    ],
    [
      ["a__x", "{}", "c1"],
      ["a__y", '{"n":2}', "c2"],
    ],
  ],
  [
    "3 two whole calls at index 0 with different ids",
    [
      [{ index: 0, id: "call_a1", function: fn("f__r", '{"path":"a"}') }],
      [{ index: 0, id: "call_b2", function: fn("f__r", '{"path":"b"}') }],
    ],
    [
      ["f__r", '{"path":"a"}', "call_a1"],
      ["f__r", '{"path":"b"}', "call_b2"],
    ],
  ],
  [
    "4 two whole calls at index 0 with empty ids",
    [
      [{ index: 0, id: "", function: fn("f__r", '{"path":"a"}') }],
      [{ index: 0, id: "", function: fn("f__r", '{"path":"b"}') }],
    ],
    [
      ["f__r", '{"path":"a"}', MINTED],
      ["f__r", '{"path":"b"}', MINTED],
    ],
  ],
  [
    "5 no index, ids on the first fragment only",
    [
      [{ id: "x1", function: fn("f__a", '{"p"') }],
      [{ function: fn(undefined, ':"1"}') }],
      [{ id: "x2", function: fn("f__b", "{") }],
      [{ function: fn(undefined, "}") }],
    ],
    [
      ["f__a", '{"p":"1"}', "x1"],
      ["f__b", "{}", "x2"],
    ],
  ],
  [
    "6 no index, no id, whole calls",
    [[{ function: fn("f__a", '{"p":1}') }], [{ function: fn("f__b", "{}") }]],
    [
      ["f__a", '{"p":1}', MINTED],
      ["f__b", "{}", MINTED],
    ],
  ],
  [
    "7 continuation with empty id and name",
    [[{ index: 0, id: "call_7", function: fn("f__list", "{") }], [{ index: 0, id: "", function: fn("", "}") }]],
    [["f__list", "{}", "call_7"]],
  ],
  [
    "8 id and name repeated on every fragment",
    [
      [{ index: 0, id: "c", function: fn("f__a", '{"p') }],
      [{ index: 0, id: "c", function: fn("f__a", '":1') }],
      [{ index: 0, id: "c", function: fn("f__a", "}") }],
    ],
    [["f__a", '{"p":1}', "c"]],
  ],
  ["9 arguments as an object", [[{ index: 0, id: "c", function: fn("f__a", { p: 1 }) }]], [["f__a", '{"p":1}', "c"]]],
  [
    "10 arguments before the name",
    [[{ index: 0, id: "c", function: fn(undefined, '{"p":') }], [{ index: 0, function: fn("f__a", "1}") }]],
    [["f__a", '{"p":1}', "c"]],
  ],
  ["11 no arguments at all", [[{ index: 0, id: "c", function: fn("f__a") }]], [["f__a", "{}", "c"]]],
  [
    "12 the name grows",
    [
      [{ index: 0, id: "c", function: fn("fs__re", "") }],
      [{ index: 0, function: fn("fs__read_file", "") }],
      [{ index: 0, function: fn(undefined, "{}") }],
    ],
    [["fs__read_file", "{}", "c"]],
  ],
  [
    "13 the name in pieces",
    [
      [{ index: 0, id: "c", function: fn("fs__", "") }],
      [{ index: 0, function: fn("read", "") }],
      [{ index: 0, function: fn(undefined, "{}") }],
    ],
    [["fs__read", "{}", "c"]],
  ],
  [
    "14 the complete arguments once more at the end",
    [
      [{ index: 0, id: "c", function: fn("f__a", '{"p":1}') }],
      [{ index: 0, id: "c", function: fn("f__a", '{"p":1}') }],
    ],
    [["f__a", '{"p":1}', "c"]],
  ],
  [
    "15 arguments as a JSON string of JSON",
    [[{ index: 0, id: "c", function: fn("f__a", JSON.stringify('{"p":1}')) }]],
    [["f__a", '{"p":1}', "c"]],
  ],
  [
    "17 two objects in one buffer",
    [[{ index: 0, id: "c", function: fn("f__a", '{"p":"a"}{"p":"b"}') }]],
    [
      ["f__a", '{"p":"a"}', "c"],
      ["f__a", '{"p":"b"}', MINTED],
    ],
  ],
  [
    "17b the same object twice in one buffer is one call",
    [[{ index: 0, id: "c", function: fn("f__a", '{"p":"a"}{"p": "a"}') }]],
    [["f__a", '{"p":"a"}', "c"]],
  ],
  [
    "18 the first index is 1",
    [[{ index: 1, id: "c", function: fn("f__a", "{") }], [{ index: 1, function: fn(undefined, "}") }]],
    [["f__a", "{}", "c"]],
  ],
  [
    "20 the id arrives after the name",
    [[{ index: 0, function: fn("f__a", "{") }], [{ index: 0, id: "c", function: fn(undefined, "}") }]],
    [["f__a", "{}", "c"]],
  ],
  ["21 empty lists and nulls", [[]], []],
  ["a call without a name is dropped", [[{ index: 0, id: "c", function: fn(undefined, "{}") }]], []],
  [
    "repeated ids get new ones",
    [[{ index: 0, id: "c", function: fn("f__a", '{"n":1}{"n":2}') }]],
    [
      ["f__a", '{"n":1}', "c"],
      ["f__a", '{"n":2}', MINTED],
    ],
  ],
];

function collected(deltas: JsonObject[][], cut: Parameters<typeof cutUp>[1]) {
  const reader = new AnswerReader();
  const frames = deltas.map((calls) => `data: ${JSON.stringify(delta({ content: null, tool_calls: calls }))}\n\n`);
  const pieces = cutUp([...frames, `data: ${JSON.stringify(finish("tool_calls"))}\n\n`, "data: [DONE]\n\n"], cut);
  for (const piece of pieces) reader.push(piece);
  return reader.finish("end").calls;
}

describe("fragments of tool calls become calls, whatever the server", () => {
  test.each(SHAPES)("%s", (_, deltas, expected) => {
    for (const cut of ["lines", "every:1", "random:7", "whole"] as const) {
      const calls = collected(deltas, cut);
      expect(calls.map(({ name, arguments: args }) => [name, args])).toEqual(
        expected.map(([name, args]) => [name, args]),
      );
      calls.forEach((call, place) => {
        const id = expected[place]?.[2];
        if (id instanceof RegExp) expect(call.id).toMatch(id);
        else if (id !== undefined) expect(call.id).toBe(id);
      });
      expect(new Set(calls.map((call) => call.id)).size).toBe(calls.length);
    }
  });

  test("16 arguments cut in the middle of a string are broken, with the place", () => {
    const [call] = collected([[{ index: 0, id: "c", function: fn("f__a", '{"query":"select * from') }]], "whole");
    expect(call?.broken).toEqual({ line: 1, column: 10 });
    expect(call?.arguments).toBe('{"query":"select * from');
  });

  test("19 members of the server's own are kept with the call", () => {
    const extra = { google: { thought_signature: "abc" } };
    const [call] = collected(
      [[{ id: "fc-1", type: "function", function: fn("f__a", "{}"), extra_content: extra }]],
      "lines",
    );
    expect(call?.extras).toEqual({ extra_content: extra });
  });

  test("integers beyond 2^53 keep their digits", () => {
    const [call] = collected([[{ index: 0, id: "c", function: fn("f__a", '{"id":12345678901234567890}') }]], "lines");
    expect(call?.arguments).toBe('{"id":12345678901234567890}');
  });

  test.each([
    ["a list", "[1]", { line: 1, column: 1 }],
    ["a number", "7", { line: 1, column: 1 }],
    ["a missing comma", '{"a":1 "b":2}', { line: 1, column: 8 }],
    ["a bare word on the second line", '{"a":1,\n oops}', { line: 2, column: 2 }],
    ["an object that never ends", '{"a":{"b":1}', { line: 1, column: 13 }],
  ])("%s is broken where it breaks", (_, args, place) => {
    const [call] = collected([[{ index: 0, id: "c", function: fn("f__a", args) }]], "lines");
    expect(call?.broken).toEqual(place);
  });

  test("for any deltas, cutting anywhere gives the same calls, and comments change nothing", () => {
    const random = seeded(11);
    for (let round = 0; round < 200; round += 1) {
      const deltas = Array.from({ length: 1 + Math.floor(random() * 5) }, () => randomDelta(random));
      const plain = keyed(collected(deltas, "whole"));
      expect(keyed(collected(deltas, "every:1"))).toEqual(plain);
      const spaced = new CallCollector();
      for (const list of deltas) for (const one of list) spaced.add(one);
      expect(keyed(spaced.finish())).toEqual(plain);
    }
  });
});

function keyed(calls: { name: string; arguments: string }[]): string[] {
  return calls.map((call) => `${call.name} ${call.arguments}`);
}

function randomDelta(random: () => number): JsonObject[] {
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const one: JsonObject = {};
  if (random() < 0.6) one["index"] = pick([0, 0, 1, 2]);
  if (random() < 0.5) one["id"] = pick(["", "a", "b", "c"]);
  const name = pick([undefined, "", "t__a", "t__b"]);
  const args = pick<unknown>([undefined, null, "", "{", "}", '{"p":1}', '"x"', { p: 2 }]);
  one["function"] = {
    ...(name === undefined ? {} : { name }),
    ...(args === undefined ? {} : { arguments: args as string }),
  };
  return [one];
}
