// Order without holding anybody up: the same as sorting at once, and others get their turn meanwhile.
import { describe, expect, test } from "bun:test";
import { firstInSlices, sortInSlices } from "../../src/files/sort-in-slices.ts";
import { TimeSlices } from "../../src/time-slices.ts";

const byNumber = (a: number, b: number): number => a - b;
const shuffled = (length: number): number[] => Array.from({ length }, (_, i) => (i * 7919) % length);

describe.each([0, 1, 2048, 2049, 4096, 10_007])("%i items", (length) => {
  const wanted = Array.from({ length }, (_, i) => i);

  test("all of them", async () => {
    expect(await sortInSlices(shuffled(length), byNumber, new TimeSlices())).toEqual(wanted);
  });

  test.each([1, 5, 2000, 20_000])("the first %i", async (most) => {
    expect(await firstInSlices(shuffled(length), most, byNumber, new TimeSlices())).toEqual(wanted.slice(0, most));
    expect(await firstInSlices(wanted.toReversed(), most, byNumber, new TimeSlices())).toEqual(wanted.slice(0, most));
  });
});

test.each([
  ["all", (list: number[]) => sortInSlices(list, byNumber, new TimeSlices())],
  ["the first", (list: number[]) => firstInSlices(list, 2000, byNumber, new TimeSlices())],
])("%s of a million: others get their turn", async (_, order) => {
  const list = shuffled(1_000_003);
  let slices = 0;
  let ordering = true;
  const count = (): void => {
    slices += 1;
    if (ordering) setImmediate(count);
  };
  setImmediate(count);
  const sorted = await order(list);
  ordering = false;
  expect(sorted[1999]).toBe(1999);
  expect(slices).toBeGreaterThan(3);
});

test("equal items keep their order", async () => {
  const list = Array.from({ length: 5000 }, (_, i) => ({ key: i % 3, at: i }));
  const sorted = await sortInSlices(list, (a, b) => a.key - b.key, new TimeSlices());
  expect(sorted).toEqual(list.toSorted((a, b) => a.key - b.key));
});
