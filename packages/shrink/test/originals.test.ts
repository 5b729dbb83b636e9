import { expect, test } from "bun:test";

import type { Selection, ToolResult } from "../src/index.ts";
import { Originals, wholeText } from "../src/index.ts";

const result = (text: string): ToolResult => ({ content: [{ type: "text", text }] });

test("a handle is long, and only its own client can use it", () => {
  const originals = new Originals();
  const handle = originals.put("a", result("secret")) ?? "";
  expect(handle).toMatch(/^\d{24}$/);
  expect(originals.read("a", handle)).toEqual({
    ok: true,
    result: result("secret"),
    json: JSON.stringify(result("secret")),
  });
  expect(originals.read("b", handle)).toMatchObject({ ok: false });
  expect(new Originals().put("a", result("secret"))).not.toBe(handle);
});

test.each<[string, Selection, string]>([
  ["lines", { lines: [2, 3] }, "two\nthree"],
  ["lines beyond the end", { lines: [4, 99] }, "vier ü"],
  ["bytes", { bytes: [4, 7] }, "two"],
  ["a pattern, with line numbers", { pattern: "^t\\w+e" }, "3:three"],
  ["a pattern nothing matches", { pattern: "zzz" }, "no line matches"],
  ["a pattern within lines", { lines: [1, 2], pattern: "o" }, "1:one\n2:two"],
  ["a pattern within later lines, numbered as in the original", { lines: [2, 4], pattern: "r" }, "3:three\n4:vier ü"],
  ["a pattern within bytes, numbered as in the original", { bytes: [8, 13], pattern: "." }, "3:three"],
])("reads %s", (_, selection, text) => {
  const originals = new Originals();
  const handle = originals.put("a", result("one\ntwo\nthree\nvier ü")) ?? "";
  const read = originals.read("a", handle, selection);
  expect(read.ok && wholeText(read.result)).toBe(text);
});

test.each<[string, Selection]>([
  ["a range that runs backwards", { lines: [3, 1] }],
  ["lines from zero", { lines: [0, 1] }],
  ["an unfinished pattern", { pattern: "(a" }],
])("refuses %s with a reason", (_, selection) => {
  const originals = new Originals();
  const handle = originals.put("a", result("x")) ?? "";
  expect(originals.read("a", handle, selection)).toMatchObject({ ok: false, reason: expect.any(String) });
});

test.each<[string, Selection, string]>([
  ["lines past the end", { lines: [5, 9] }, "there is no line 5: there are 4 lines"],
  ["lines past the end of a range of bytes", { bytes: [0, 3], lines: [2, 2] }, "there is no line 2: there is 1 line"],
  ["bytes past the end", { bytes: [30, 40] }, "there is no byte 30: there are 22 bytes, counted from 0"],
  ["bytes within one character", { bytes: [20, 21] }, "no character begins within bytes 20-21: one ends at 21"],
  ["no bytes", { bytes: [3, 3] }, "the end of bytes 3-3 is not part of the range: nothing is left"],
])("says how much there is, asked for %s", (_, selection, reason) => {
  const originals = new Originals();
  const handle = originals.put("a", result("one\ntwo\nthree\nvier ü\n")) ?? "";
  expect(originals.read("a", handle, selection)).toEqual({ ok: false, reason });
});

test("ranges of bytes that adjoin join up to the text, wherever they were cut", () => {
  const text = "\ufeffaä€😀\nz";
  const originals = new Originals();
  const handle = originals.put("a", result(text)) ?? "";
  const length = Buffer.byteLength(text);
  const part = (bytes: [number, number]): string => {
    const read = originals.read("a", handle, { bytes });
    return read.ok ? wholeText(read.result) : "";
  };
  for (let first = 0; first <= length; first++)
    for (let second = first; second <= length; second++)
      expect(part([0, first]) + part([first, second]) + part([second, length])).toBe(text);
});

test("number, bytes and time are bounded; the least used goes first", () => {
  let now = 0;
  const originals = new Originals({ maxCount: 3, maxBytes: 10_000, ttlMs: 100, now: () => now });
  const handles = ["a", "b", "c"].map((text) => originals.put("x", result(text)) ?? "");
  originals.read("x", handles[0] ?? "");
  originals.put("x", result("d"));
  expect(handles.map((handle) => originals.read("x", handle).ok)).toEqual([true, false, true]);
  expect(originals.put("x", result("y".repeat(20_000)))).toBeUndefined();
  for (let i = 0; i < 50; i++) originals.put("x", result(`${i}`.repeat(1000)));
  expect(originals.bytes).toBeLessThanOrEqual(10_000);
  const last = originals.put("x", result("last")) ?? "";
  now = 101;
  expect(originals.read("x", last)).toMatchObject({ ok: false, reason: expect.stringContaining("expired") });
  originals.put("x", result("new"));
  originals.forget("x");
  expect(originals.count).toBe(0);
});

test("what the caller does to its object afterwards does not change the original", () => {
  const originals = new Originals();
  const mine = result("before");
  const handle = originals.put("a", mine) ?? "";
  mine.content = [];
  expect(originals.read("a", handle)).toEqual({
    ok: true,
    result: result("before"),
    json: JSON.stringify(result("before")),
  });
});
