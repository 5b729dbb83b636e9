// Ordinary work runs unchanged in the sandbox: the same commands inside and outside, the same output.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
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
    if (work.inside === undefined) expect(inside).toBe(outside);
    else expect(inside).toMatch(work.inside);
    expect(inside).toContain(work.says);
  });
}

test.skipIf(!hasSandbox)("the workspace looks as if we were not there, to the tools and from outside", async () => {
  await using server = await TestServer.start({
    files: { "a.txt": "a\n" },
    args: ["--sandbox", "require", "--tools", "coding,workspace"],
  });
  for (let i = 0; i < 3; i += 1) expect(await server.bash("ls -A")).toContain("stdout:\na.txt\n");
  expect(await server.text("glob", { pattern: "**/*" })).toBe("a.txt");
  const seen = new Set<string>();
  const watching = server.bash("sleep 0.5");
  for (const until = performance.now() + 400; performance.now() < until; await Bun.sleep(10))
    for (const name of readdirSync(server.root)) seen.add(name);
  await watching;
  await server.close();
  expect([...seen, ...readdirSync(server.root)]).toEqual(["a.txt", "a.txt"]);
});

test.skipIf(!hasSandbox)("sudo fails cleanly inside", async () => {
  expect((await noted(servers?.compareSudo())).inside).toMatch(/status [1-9]/);
});
