// Files that are too large to hold, though not to read: what the command line says of them is what it says of others.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { decodeFacts } from "../src/cli/load-payload.ts";
import {
  createMemoryStore,
  decode,
  DecodeError,
  encode,
  encodePlain,
  MAX_PAYLOAD_BYTES,
  render,
} from "../src/index.ts";
import type { EncodeOptions, NewBlock } from "../src/index.ts";
import { runCollected } from "./run.ts";
import { fromDigits } from "./vectors/hex.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

// The installed type definitions do not know it yet.
const { zstdCompressSync }: { zstdCompressSync(plain: Uint8Array): Uint8Array } = createRequire(import.meta.url)(
  "node:zlib",
);

const MIB = 1024 * 1024;
const PACKED_HEADER = fromDigits("4243500001000100");

let cwd = "";
beforeAll(async () => {
  cwd = await mkdtemp(path.join(tmpdir(), "bcp-large-"));
});
afterAll(() => rm(cwd, { recursive: true, force: true }));

function log(name: string, size: number): NewBlock {
  const line = (i: number): string =>
    `${name}: the worker has written its share of the events, ${(i * 48_271) % 9973}\n`;
  const text = Array.from({ length: Math.ceil(size / line(0).length) }, (_, i) => line(i)).join("");
  return { type: "document", title: name, content: new TextEncoder().encode(text), formatHint: "plain" };
}

const turns = (count: number): NewBlock[] =>
  Array.from({ length: count }, (_, i) => ({
    type: "conversation",
    role: "user",
    content: new TextEncoder().encode(`turn ${i}: run the tests again`),
  }));
const logs = (count: number, size: number): NewBlock[] =>
  Array.from({ length: count }, (_, i) => log(`log ${i}`, size));
const many = (): NewBlock[] => logs(16, MIB);

describe("what encode wrote is read", () => {
  // Made when they are needed: what is held by one test is looked through by every collection of the next.
  test.each<[string, () => readonly NewBlock[], EncodeOptions]>([
    ["many small blocks that pack well", () => logs(200, 100_000), { compressBlocks: true }],
    ["a payload with more blocks than are held at once", () => turns(160_000), { compressPayload: true }],
    [
      "a payload that refers to its last large block",
      () => [...many(), ...many().slice(-1)],
      { compressPayload: true, dedup: true, store: createMemoryStore() },
    ],
    [
      "blocks that refer to the last large one",
      () => [...many(), ...many().slice(-1)],
      { compressBlocks: true, dedup: true, store: createMemoryStore() },
    ],
  ])("%s", async (_, make, options) => {
    const blocks = make();
    const payload = await encode(blocks, options);
    expect(() => decode(payload)).toThrow(DecodeError);
    await writeFile(path.join(cwd, "x.bcp"), payload);
    const { exit, stdout, stderr } = await runCollected(["decode", "x.bcp", "--mode", "minimal"], { cwd });
    expect([exit, stderr]).toEqual([0, ""]);
    expect(stdout.trimEnd() === render(decode(encodePlain(blocks)).blocks, { mode: "minimal" }).trimEnd()).toBe(true);
  });
});

test("as many blocks as anybody packs one by one are read", async () => {
  const content = new TextEncoder().encode("run the tests again, and then once more; ".repeat(8));
  const turn: NewBlock = { type: "conversation", role: "user", content };
  const one = await encode([turn], { compressBlocks: true });
  const frame = one.subarray(8, -4);
  const payload = Buffer.concat([
    one.subarray(0, 8),
    ...Array.from({ length: 150_000 }, () => frame),
    one.subarray(-4),
  ]);
  await writeFile(path.join(cwd, "turns.bcp"), payload);
  expect(await runCollected(["validate", "turns.bcp"], { cwd })).toMatchObject({
    exit: 0,
    stdout: expect.stringContaining("150000 blocks"),
  });
}, 60_000);

describe("a fault is reported as in a file that is held", () => {
  const frames = encodePlain(many()).slice(8, -4);
  test.each([
    ["data behind END", "ff010000deadbeef"],
    ["no END", ""],
    ["a type above 255", "800200"],
    ["a frame that is cut in its type", "80"],
    ["a frame that is cut before its flags", "01"],
    ["a frame that is cut in its length", "010080"],
    ["a frame that is cut in its body", "01000b0100"],
    ["a required field that is missing", "010003010001ff010000"],
    ["an enumeration without such a value", "020006010009020100ff010000"],
    ["a reference to nothing", `010420${"00".repeat(32)}ff010000`],
  ])("%s", async (_, digits) => {
    const plain = Buffer.concat([frames, fromDigits(digits)]);
    const payload = Buffer.concat([PACKED_HEADER, zstdCompressSync(plain)]);
    await writeFile(path.join(cwd, "bad.bcp"), payload);
    const said: unknown = JSON.parse((await runCollected(["inspect", "bad.bcp", "--json"], { cwd })).stdout);
    const error = faultOf(payload);
    expect(said).toEqual({ error: { message: `failed to decode bad.bcp: ${error.message}`, ...decodeFacts(error) } });
  });
});

function faultOf(payload: Uint8Array): DecodeError {
  try {
    decode(payload, { limits: { payloadBytes: MAX_PAYLOAD_BYTES } });
  } catch (error) {
    if (error instanceof DecodeError) return error;
  }
  throw new Error("it decodes");
}

test("a packed body that is referred to is unpacked once", async () => {
  const [block] = logs(1, 10_000);
  if (!block) throw new Error("no block");
  const payload = await encode([block, block], { compressBlocks: true, dedup: true, store: createMemoryStore() });
  const buffers = decode(payload).blocks.map((read) => ("content" in read ? read.content.buffer : undefined));
  expect(buffers[0]).toBeInstanceOf(ArrayBuffer);
  expect(buffers[1] === buffers[0]).toBe(true);
});
