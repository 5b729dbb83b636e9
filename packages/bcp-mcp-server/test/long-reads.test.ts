// While a large file is read the server has time for others; and when nobody wants it any more, it stops.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { encode, encodePlain } from "@bosun/bcp";
import type { NewBlock } from "@bosun/bcp";
import type { Client } from "@bosun/mcp/client";
import { descendantsOf } from "@bosun/platform/process-tree";
import { call, start } from "./reading.ts";

/** Where /proc/PID/stat has the time in user mode, behind the name; the time in the kernel follows. */
const USER_TICKS = 11;
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
  const { answer, pings } = await whilePinging(call(client, "read_bcp_file", { path: at(name), budget: 100 }));
  expect(answer).toEqual({ failed: false, text: expect.stringContaining("part 1999") });
  // Without a pause there would be a few: before it begins, between two reads, behind it.
  expect(pings).toBeGreaterThan(4);
});

// One block each: checking it, building it, writing it and counting it each take longer than a pause may be away.
test.each([
  ["a tree", '{"type":"file_tree","root":"/","entries":[', '{"name":"a","kind":"file"}', 300_000],
  ["a diff", '{"type":"diff","path":"p","hunks":[', '{"old_start":1,"new_start":1,"lines":" a\\n"}', 200_000],
] as const)(
  "pings are answered while a manifest of %s is written, and what was written is read",
  async (_, head, record, count) => {
    writeFileSync(at("large.json"), `{"blocks":[${head}${Array(count).fill(record).join(",")}]}]}`);
    const paths = { manifest_path: at("large.json"), output_path: at("large.bcp") };
    const written = await whilePinging(call(client, "encode_bcp_file", paths));
    expect(written.answer).toEqual({ failed: false, text: expect.stringContaining("Blocks:  1 total") });
    expect(written.pings).toBeGreaterThan(20);
    const read = await whilePinging(call(client, "read_bcp_file", { path: at("large.bcp"), budget: 10 }));
    expect(read.answer).toEqual({ failed: false, text: expect.stringContaining("omitted") });
    // Without a pause there would be two: before it begins and behind it.
    expect(read.pings).toBeGreaterThan(2);
  },
);

test("writing a manifest ends when the call is cancelled", async () => {
  const turn = '{"type":"conversation","role":"user","content":"hi"}';
  writeFileSync(at("turns.json"), `{"blocks":[${Array(300_000).fill(turn).join(",")}]}`);
  const controller = new AbortController();
  const paths = { manifest_path: at("turns.json"), output_path: at("turns.bcp") };
  const ended = client.callTool("encode_bcp_file", paths, { signal: controller.signal }).then(
    () => "answered",
    () => "cancelled",
  );
  await client.ping();
  controller.abort();
  expect((await call(client, "inspect_bcp_file", { path: at("small.bcp") })).failed).toBe(false);
  expect([await ended, existsSync(at("turns.bcp"))]).toEqual(["cancelled", false]);
});

// The plain one is read too fast to be interrupted in a way that can be measured.
test.each(["blocks.bcp", "whole.bcp"])(
  "reading %s ends when the call is cancelled, and the next one has its turn",
  async (name) => {
    const whole = await worked(async () => void (await call(client, "read_bcp_file", { path: at(name), budget: 100 })));
    const cancelled = await worked(async () => {
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

async function whilePinging<T>(answering: Promise<T>): Promise<{ answer: T; pings: number }> {
  let isAnswered = false;
  const answered = answering.finally(() => {
    isAnswered = true;
  });
  let pings = 0;
  // oxlint-disable-next-line no-unmodified-loop-condition -- the answer sets it
  while (!isAnswered) {
    await client.ping();
    pings += 1;
  }
  return { answer: await answered, pings };
}

/** What the server worked meanwhile, in ticks of its processor: not by the clock, which others use too. */
async function worked(work: () => Promise<void>): Promise<number> {
  const [server] = descendantsOf(process.pid);
  const ticks = (): number => {
    const fields = readFileSync(`/proc/${server?.pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
    return Number(fields[USER_TICKS]) + Number(fields[USER_TICKS + 1]);
  };
  const before = ticks();
  await work();
  return ticks() - before;
}
