// While a large file is read the server has time for others; and when nobody wants it any more, it stops.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { encode, encodePlain } from "@bosun/bcp";
import type { NewBlock } from "@bosun/bcp";
import type { Client } from "@bosun/mcp/client";
import { call, start } from "./reading.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bcp-long-"));
const at = (name: string): string => path.join(folder, name);
let client: Client;

beforeAll(async () => {
  // Fewer blocks than anybody would count before a pause, 60 MB in all: just below what the server takes.
  const text = Array.from(
    { length: 100_000 },
    (_, n) => `INFO ${n} took ${(n * 7919) % 10_007} ms for /items/${n % 977}\n`,
  );
  const content = new TextEncoder().encode(text.join(""));
  const blocks = Array.from({ length: 2000 }, (_, n): NewBlock => ({
    type: "document",
    title: `part ${n}`,
    content: content.subarray(n * 1000, n * 1000 + 30_000),
    formatHint: "plain",
  }));
  writeFileSync(at("plain.bcp"), encodePlain(blocks));
  writeFileSync(at("blocks.bcp"), await encode(blocks, { compressBlocks: true }));
  writeFileSync(at("whole.bcp"), await encode(blocks, { compressPayload: true }));
  writeFileSync(at("small.bcp"), encodePlain(blocks.slice(0, 1)));
  client = await start();
});
afterAll(async () => {
  await client.close();
  rmSync(folder, { recursive: true, force: true });
});

test.each(["plain.bcp", "blocks.bcp", "whole.bcp"])("pings are answered while %s is read", async (name) => {
  let isRead = false;
  const reading = call(client, "read_bcp_file", { path: at(name), budget: 100 }).then((answer) => {
    isRead = true;
    return answer;
  });
  let answered = 0;
  // oxlint-disable-next-line no-unmodified-loop-condition -- the answer sets it
  while (!isRead) {
    await client.ping();
    answered += 1;
  }
  expect(await reading).toEqual({ failed: false, text: expect.stringContaining("part 1999") });
  // Without a pause there would be a few: before it begins, between two reads, behind it.
  expect(answered).toBeGreaterThan(8);
});

// The plain one is read too fast to be interrupted in a way that can be measured.
test.each(["blocks.bcp", "whole.bcp"])(
  "reading %s ends when the call is cancelled, and the next one has its turn",
  async (name) => {
    const whole = await taken(async () => void (await call(client, "read_bcp_file", { path: at(name), budget: 100 })));
    const cancelled = await taken(async () => {
      const controller = new AbortController();
      const reading = client.callTool("read_bcp_file", { path: at(name), budget: 100 }, { signal: controller.signal });
      const ended = reading.then(
        () => "answered",
        () => "cancelled",
      );
      await client.ping();
      controller.abort();
      const next = await call(client, "inspect_bcp_file", { path: at("small.bcp") });
      expect([await ended, next.failed]).toEqual(["cancelled", false]);
    });
    expect(cancelled).toBeLessThan(whole / 2);
  },
);

async function taken(work: () => Promise<void>): Promise<number> {
  const started = performance.now();
  await work();
  return performance.now() - started;
}
