import { expect, test } from "bun:test";

import { checkInputs } from "./properties.ts";

// scripts/property.ts runs a million.
const COUNT = process.env["BOSUN_FUZZ"] === "full" ? 100_000 : 4000;

test(`${COUNT} generated and mutated inputs come back exactly, none larger, always the same`, () => {
  const { failures, tried, changed } = checkInputs(COUNT, 42);
  expect(failures.slice(0, 3)).toEqual([]);
  expect(tried).toBe(COUNT);
  expect(changed).toBeGreaterThan(COUNT / 8);
});
