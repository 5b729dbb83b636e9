// Ordinary work runs unchanged in the sandbox: the same commands inside and outside, the same output.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { announceRows, row, skipped } from "./harness/contract.ts";
import { TestServer } from "./harness/server.ts";
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

test.skipIf(!hasSandbox)("what keeps the place of an absent policy file is not shown by the file tools", async () => {
  await using server = await TestServer.start({
    files: { "a.txt": "a\n" },
    args: ["--sandbox", "require", "--tools", "coding,workspace"],
  });
  for (let i = 0; i < 3; i += 1) await server.bash("true");
  expect(await server.text("view", { path: "." })).not.toContain("bosun");
  expect(await server.text("glob", { pattern: "**/*" })).toBe("a.txt");
  expect(await server.text("list_dir", { dir: "." })).not.toContain("bosun");
});

test.skipIf(!hasSandbox)("sudo fails cleanly inside", async () => {
  expect((await noted(servers?.compareSudo())).inside).toMatch(/status [1-9]/);
});
