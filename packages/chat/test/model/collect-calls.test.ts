// The 21 shapes in which servers send tool calls, each as a list of deltas.
import { describe, expect, test } from "bun:test";
import type { JsonObject } from "@bosun/mcp";
import { AnswerReader } from "../../src/model/answer.ts";
import { CallCollector } from "../../src/model/collect-calls.ts";
import { cutUp, seeded } from "../scripted-model.ts";
import { CALL_SHAPES, chunksOf, fn } from "./call-shapes.ts";

describe("fragments of tool calls become calls, whatever the server", () => {
  test.each(CALL_SHAPES)("%s", (_, deltas, expected) => {
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

function collected(deltas: JsonObject[][], cut: Parameters<typeof cutUp>[1]) {
  const reader = new AnswerReader();
  const frames = chunksOf(deltas).map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`);
  const pieces = cutUp([...frames, "data: [DONE]\n\n"], cut);
  for (const piece of pieces) reader.push(piece);
  return reader.finish("end").calls;
}
