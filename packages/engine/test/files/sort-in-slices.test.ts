// Order without holding anybody up: the same as sorting at once, and others get their turn meanwhile.
import { describe, expect, test } from "bun:test";
import { firstInTurns, sortInTurns } from "../../src/files/sort-in-slices.ts";
import { Turns } from "../../src/time-slices.ts";

const byNumber = (a: number, b: number): number => a - b;
const shuffled = (length: number): number[] => Array.from({ length }, (_, i) => (i * 7919) % length);

describe.each([0, 1, 2048, 2049, 4096, 10_007])("%i items", (length) => {
  const wanted = Array.from({ length }, (_, i) => i);

  test("all of them", async () => {
    expect(await sortInTurns(shuffled(length), byNumber, new Turns())).toEqual(wanted);
  });

  test.each([1, 5, 2000, 20_000])("the first %i", async (most) => {
    expect(await firstInTurns(shuffled(length), most, byNumber, new Turns())).toEqual(wanted.slice(0, most));
    expect(await firstInTurns(wanted.toReversed(), most, byNumber, new Turns())).toEqual(wanted.slice(0, most));
  });
});

test.each([
  ["all", (list: number[]) => sortInTurns(list, byNumber, new Turns())],
  ["the first", (list: number[]) => firstInTurns(list, 2000, byNumber, new Turns())],
])("%s of a million: others get their turn", async (_, order) => {
  const list = shuffled(1_000_003);
  let turns = 0;
  let ordering = true;
  const count = (): void => {
    turns += 1;
    if (ordering) setImmediate(count);
  };
  setImmediate(count);
  const sorted = await order(list);
  ordering = false;
  expect(sorted[1999]).toBe(1999);
  expect(turns).toBeGreaterThan(3);
});

test("equal items keep their order", async () => {
  const list = Array.from({ length: 5000 }, (_, i) => ({ key: i % 3, at: i }));
  const sorted = await sortInTurns(list, (a, b) => a.key - b.key, new Turns());
  expect(sorted).toEqual(list.toSorted((a, b) => a.key - b.key));
});
