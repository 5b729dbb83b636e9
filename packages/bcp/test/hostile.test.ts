import { expect, test } from "bun:test";
import path from "node:path";
import { decode, DecodeError, EncodeError, Encoder, encodePlain } from "../src/index.ts";
import { HOSTILE } from "./hostile/payloads.ts";
import type { FileEntry } from "../src/index.ts";

// Each in a process of its own, because memory is measured by how far the peak of the process rises.
test.each(HOSTILE.map(({ name, ends }, index) => [name, ends, index] as const))(
  "%s ends in %s",
  async (_, ends, index) => {
    const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "hostile/measure.ts"), String(index)], {
      stdout: "pipe",
      stderr: "inherit",
      env: { PATH: process.env["PATH"] ?? "" },
    });
    const outcome = JSON.parse(await new Response(child.stdout).text());
    expect(await child.exited).toBe(0);
    expect(outcome.ends).toBe(ends);
    expect(outcome.grownKib * 1024).toBeLessThan(64e6 + 4 * outcome.inputBytes);
  },
);

test("a tree 100,000 levels deep is refused by both sides, or makes the round trip when asked for", async () => {
  let entries: readonly FileEntry[] = [];
  for (let level = 0; level < 100_000; level++) entries = [{ name: "d", kind: "directory", children: entries }];
  const encoder = new Encoder().addFileTree("/", entries);
  await expect(encoder.encode()).rejects.toThrow(EncodeError);
  const payload = encodePlain(encoder.blocks, { treeDepth: 100_001 });
  expect(() => decode(payload)).toThrow(DecodeError);
  const { blocks } = decode(payload, { limits: { treeDepth: 100_001 } });
  expect(Buffer.compare(encodePlain(blocks, { treeDepth: 100_001 }), payload)).toBe(0);
});

test.each([
  ["plain", 300],
  ["packed", 200],
] as const)("a %s stream of hundreds of megabytes takes memory for its largest block only", async (kind, blocks) => {
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "hostile/measure-stream.ts"), kind], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const outcome = JSON.parse(await new Response(child.stdout).text());
  expect(outcome.blocks).toBe(blocks);
  expect(outcome.grownKib * 1024).toBeLessThan(100e6);
});
