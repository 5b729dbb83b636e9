// The shapes in which servers send tool calls, each as a list of deltas.
import type { JsonObject } from "@bosun/mcp";
import { delta, finish } from "../scripted-model.ts";

export type ExpectedCall = [name: string, args: string, id?: string | RegExp];
const MINTED = /^[A-Za-z0-9]{9}$/;

export function fn(name?: string, args?: unknown): JsonObject {
  return { ...(name === undefined ? {} : { name }), ...(args === undefined ? {} : { arguments: args as string }) };
}

export const CALL_SHAPES: [shape: string, deltas: JsonObject[][], expected: ExpectedCall[]][] = [
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
  [
    "16 cut in the middle of a string: broken, as it was written",
    [[{ index: 0, id: "c", function: fn("f__a", '{"query":"select * from') }]],
    [["f__a", '{"query":"select * from', "c"]],
  ],
  [
    "19 a signature of the server's own beside the call",
    [
      [
        {
          id: "fc-1",
          type: "function",
          function: fn("f__a", "{}"),
          extra_content: { google: { thought_signature: "s" } },
        },
      ],
    ],
    [["f__a", "{}", "fc-1"]],
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

/** The events of such an answer, as they would stand in a stream. */
export function chunksOf(deltas: JsonObject[][]): JsonObject[] {
  return [...deltas.map((calls) => delta({ content: null, tool_calls: calls })), finish("tool_calls")];
}
