import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { decode, DecodeError, EncodeError, Encoder, encodePlain } from "../src/index.ts";
import { HOSTILE, packedDocuments } from "./hostile/payloads.ts";
import type { FileEntry } from "../src/index.ts";

const folder = mkdtempSync(path.join(tmpdir(), "bcp-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Each in a process of its own, because memory is measured by how far the peak of the process rises.
test.each(HOSTILE.map((hostile) => [hostile.name, hostile.ends, hostile] as const))(
  "%s ends in %s",
  async (_, ends, { make }) => {
    const outcome = await measured("measure.ts", fileOf(make()));
    expect(outcome.ends).toBe(ends);
    expect(outcome.grownKib * 1024).toBeLessThan(64e6 + 4 * outcome.inputBytes);
  },
);

test.each([
  ["decode", ["decode"], 100],
  ["decode as JSON, within a budget", ["decode", "--json", "--budget", "500000"], 1],
  ["inspect", ["inspect", "--show-body"], 0],
  ["stats", ["stats"], 0],
  ["validate", ["validate"], 0],
] as const)("%s: 100 MiB out of a few are read, and not held", async (_, [command, ...words], mebibytes) => {
  const payload = packedDocuments(100);
  const outcome = await measured("measure-command.ts", fileOf(payload), command, ...words);
  expect(outcome.exit).toBe(0);
  expect(outcome.written).toBeGreaterThan(mebibytes * 1024 * 1024);
  expect(outcome.grownKib * 1024).toBeLessThan(64e6 + 4 * payload.length);
});

function fileOf(payload: Uint8Array): string {
  const file = path.join(folder, "payload.bcp");
  writeFileSync(file, payload);
  return file;
}

async function measured(script: string, ...words: string[]) {
  const child = Bun.spawn([process.execPath, path.join(import.meta.dir, "hostile", script), ...words], {
    stdout: "pipe",
    stderr: "inherit",
    env: { PATH: process.env["PATH"] ?? "" },
  });
  const said = await new Response(child.stdout).text();
  expect(await child.exited).toBe(0);
  return JSON.parse(said);
}

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
  const outcome = await measured("measure-stream.ts", kind);
  expect(outcome.blocks).toBe(blocks);
  expect(outcome.grownKib * 1024).toBeLessThan(100e6);
});
