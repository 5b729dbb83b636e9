// Ordinary work runs unchanged in the sandbox: the same commands inside and outside, the same output.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { announceRows, row, skipped } from "./harness/contract.ts";
import { missingFor, TwoServers, workTable } from "./ordinary-work/compare.ts";
import { WORK } from "./ordinary-work/work.ts";
import type { Comparison } from "./ordinary-work/compare.ts";

announceRows();

const hasSandbox = Bun.which("bwrap") !== null;
const seen: Comparison[] = [];
let servers: TwoServers | undefined;

beforeAll(async () => {
  if (hasSandbox) servers = await TwoServers.start();
});
afterAll(async () => {
  await servers?.[Symbol.asyncDispose]();
  if (seen.length > 0) console.error(workTable(seen));
});

async function noted(comparison: Promise<Comparison> | undefined): Promise<Comparison> {
  const found = await comparison;
  if (found === undefined) throw new Error("no servers");
  seen.push(found);
  return found;
}

for (const work of WORK) {
  const missing = hasSandbox ? missingFor(work) : ["bwrap"];
  if (missing.length > 0) {
    skipped("server", `ordinary work: ${work.name}`, `not installed: ${missing.join(", ")}`);
    continue;
  }
  row("server", `ordinary work: ${work.name}`, async () => {
    const { inside, outside } = await noted(servers?.compare(work));
    expect(inside).toBe(outside);
    expect(inside).toContain(work.says);
  });
}

test.skipIf(!hasSandbox)("sudo fails cleanly inside", async () => {
  expect((await noted(servers?.compareSudo())).inside).toMatch(/status [1-9]/);
});
