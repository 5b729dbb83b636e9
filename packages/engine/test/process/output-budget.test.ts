// Streams that share their room: all of it can be used, and each is sure of its share.
import { expect, test } from "bun:test";
import { Capture, OutputBudget } from "../../src/index.ts";

function pair(maxBytes: number, shareBytes: number): [Capture, Capture] {
  const plan = {
    cap: { max: maxBytes, unit: "bytes" as const },
    tailBytes: 0,
    budget: new OutputBudget(maxBytes, shareBytes),
  };
  return [new Capture(plan), new Capture(plan)];
}

test("one stream may have all but the other's share", () => {
  const [out, err] = pair(100, 10);
  for (let i = 0; i < 30; i += 1) out.push(Buffer.from("12345"));
  expect([out.captured().text.length, out.captured().cut, out.totalBytes]).toEqual([90, true, 150]);
  err.push(Buffer.from("why it failed"));
  expect([err.captured().text, err.captured().cut]).toEqual(["why it fai", true]);
});

test("what one has used already the other cannot have", () => {
  const [out, err] = pair(100, 10);
  err.push(Buffer.alloc(60, "e"));
  out.push(Buffer.alloc(60, "o"));
  expect([err.captured().text.length, out.captured().text.length]).toEqual([60, 40]);
  err.push(Buffer.from("more"));
  expect(err.captured()).toMatchObject({ cut: true, totalBytes: 64, text: "e".repeat(60) });
});

test("nothing is cut that fits", () => {
  const [out, err] = pair(100, 10);
  out.push(Buffer.alloc(90, "o"));
  err.push(Buffer.alloc(10, "e"));
  expect([out.captured().cut, err.captured().cut]).toEqual([false, false]);
});
