// When several answers are waited for no longer. A wait that went on would be ended by the time limit of the test.
import { expect, test } from "bun:test";
import { waitForMost, withTimeout } from "../src/merge/wait-for-most.ts";

const HOURS_MS = 3 * 60 * 60 * 1000;
const never = new Promise<never>(() => {});

test.concurrent("who has not answered long after the first is not waited for", async () => {
  await waitForMost([Promise.resolve(), never], HOURS_MS);
});

test.concurrent("nobody is waited for longer than the limit, and when all have failed nobody at all", async () => {
  await waitForMost([never], 10);
  await waitForMost([Promise.reject(new Error("no"))], HOURS_MS);
});

test.concurrent("what fails or comes too late is nothing, and its reason is told once", async () => {
  const told: [string, boolean][] = [];
  const tell = (why: string, isLate: boolean): void => void told.push([why, isLate]);
  expect(await withTimeout(HOURS_MS, Promise.resolve(1), tell)).toBe(1);
  expect(await withTimeout(HOURS_MS, Promise.reject(new Error("broken")), tell)).toBeUndefined();
  expect(await withTimeout(10, never, tell)).toBeUndefined();
  expect(told).toEqual([
    ["broken", false],
    ["no answer within 10 ms", true],
  ]);
});
