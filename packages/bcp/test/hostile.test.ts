import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { decode, DecodeError, EncodeError, Encoder, encodePlain } from "../src/index.ts";
import { HOSTILE, packedDocuments } from "./hostile/payloads.ts";
import { HOSTILE_MANIFESTS, MANIFEST_NAME } from "./hostile/manifests.ts";
import { ENCODE_WAYS, measured, WAYS } from "./hostile/table.ts";
import type { FileEntry } from "../src/index.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

// Some of them are walked through several times, each time to the end.
const TIMEOUT_MS = 60_000;
const folder = mkdtempSync(path.join(tmpdir(), "bcp-hostile-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.each(HOSTILE.map((hostile) => [hostile.name, hostile.ends, hostile] as const))(
  "%s ends in %s",
  async (_, ends, { make }) => {
    const outcome = await measured(fileOf(make()), ["library", "xml", "1000000"]);
    expect(outcome.ends).toBe(ends);
    expect(outcome.grownBytes).toBeLessThan(outcome.allowedBytes);
  },
  TIMEOUT_MS,
);

// Those that came closest. All ways with all payloads: hostile/table.ts.
describe.each([
  "60 MB of short paths that are not all Latin",
  "40 MB of three short names each, none of them all Latin",
  "an annotation of 15 MB that cannot be seen",
  "100,000 turns in 1 KB",
])("%s", (name) => {
  const file = path.join(folder, "walked.bcp");
  beforeAll(() => writeFileSync(file, HOSTILE.find((hostile) => hostile.name === name)?.make() ?? ""));

  test.each(WAYS.filter(([way = ""]) => way !== "library").map((way) => [way.join(" "), way] as const))(
    "%s",
    async (_, way) => {
      const { ends, grownBytes, allowedBytes } = await measured(file, way);
      expect(ends).toMatch(/^text$|written$/);
      expect(grownBytes).toBeLessThan(allowedBytes);
    },
    TIMEOUT_MS,
  );
});

test(
  "a stream of a hundred blocks of 16 MiB of zeros is delivered block by block, and not held",
  async () => {
    const zeros = HOSTILE.find(({ name }) => name === "a hundred blocks of 16 MiB of zeros");
    const outcome = await measured(fileOf(zeros?.make() ?? new Uint8Array()), ["stream"]);
    expect(outcome.ends).toBe("text");
    expect(outcome.grownBytes).toBeLessThan(outcome.allowedBytes);
  },
  TIMEOUT_MS,
);

test.each([
  ["decode", ["decode"], 100],
  ["decode as JSON, within a budget", ["decode", "--json", "--budget", "500000"], 1],
  ["inspect", ["inspect", "--show-body"], 0],
  ["stats", ["stats"], 0],
  ["validate", ["validate"], 0],
] as const)(
  "%s: 100 MiB out of a few are read, and not held",
  async (_, way, mebibytes) => {
    const outcome = await measured(fileOf(packedDocuments(100)), way);
    expect(Number.parseInt(outcome.ends, 10)).toBeGreaterThan(mebibytes * 1024 * 1024);
    expect(outcome.grownBytes).toBeLessThan(outcome.allowedBytes);
  },
  TIMEOUT_MS,
);

// Each in one way, by turns. All ways with all manifests: hostile/table.ts.
test.each(HOSTILE_MANIFESTS.map((hostile, index) => [hostile.name, index, hostile] as const))(
  "encode: %s",
  async (_, index, { make, ends }) => {
    const way = ENCODE_WAYS[index % ENCODE_WAYS.length] ?? [];
    const outcome = await measured(fileOf(make(), MANIFEST_NAME), way);
    expect(outcome.ends).toMatch(ends);
    expect(outcome.grownBytes).toBeLessThan(outcome.allowedBytes);
  },
  TIMEOUT_MS,
);

function fileOf(content: Uint8Array | string, name = "payload.bcp"): string {
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return file;
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
  const script = path.join(import.meta.dir, "hostile", "measure-stream.ts");
  const child = Bun.spawn([process.execPath, script, kind], { stdout: "pipe", stderr: "inherit", env: {} });
  const outcome = JSON.parse(await new Response(child.stdout).text());
  expect(outcome.blocks).toBe(blocks);
  expect(outcome.grownKib * 1024).toBeLessThan(100e6);
});
