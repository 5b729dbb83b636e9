import { describe, expect, test } from "bun:test";
import { createMemoryStore, decode, decodeStream, encode, encodePlain, render, RenderError } from "../src/index.ts";
import type { Block } from "../src/index.ts";
import { Random, randomBlocks } from "./generate.ts";
import { hex } from "./vectors/hex.ts";

const SEED = 20_260_307;
const CASES = 10_000;
const COMPRESSED_CASES = 250;

test(`${CASES} generated payloads decode to what was encoded, and encode to the same bytes again`, () => {
  const random = new Random(SEED);
  const types = new Set<string>();
  for (let i = 0; i < CASES; i++) {
    const blocks = randomBlocks(random);
    const payload = encodePlain(blocks);
    const decoded = decode(payload).blocks;
    if (!Bun.deepEquals(decoded, blocks, true)) expect(decoded).toEqual(blocks);
    if (Buffer.compare(encodePlain(decoded), payload) !== 0) expect(hex(encodePlain(decoded))).toBe(hex(payload));
    for (const { type } of blocks) types.add(type);
  }
  expect(types.size).toBe(12);
});

describe("stored another way, they decode to the same blocks", () => {
  test.each([
    ["each block compressed", { compressBlocks: true }],
    ["compressed as a whole", { compressPayload: true }],
    ["deduplicated", { dedup: true }],
    ["deduplicated and compressed", { dedup: true, compressBlocks: true }],
  ])("%s", async (_, options) => {
    const random = new Random(SEED + 1);
    for (let i = 0; i < COMPRESSED_CASES; i++) {
      const once = randomBlocks(random);
      const blocks = [...once, ...once]; // so that there is something to deduplicate
      const payload = await encode(blocks, { ...options, store: createMemoryStore() });
      expect(decode(payload).blocks.map(withoutFlags)).toEqual(blocks.map(withoutFlags));
    }
  });
});

test("a stream in pieces of any size gives the same blocks as the whole", async () => {
  const random = new Random(SEED + 2);
  for (let i = 0; i < 300; i++) {
    const blocks = randomBlocks(random);
    const payload = await encode(blocks, random.pick([{}, {}, { compressBlocks: true }, { compressPayload: true }]));
    const size = 1 + random.below(40);
    const streamed: Block[] = [];
    for await (const event of decodeStream(pieces(payload, size)))
      if (event.kind === "block") streamed.push(event.block);
    expect(streamed.map(withoutFlags)).toEqual(blocks.map(withoutFlags));
  }
});

test("whatever decodes either renders or says why not, in every mode and with any budget", () => {
  const random = new Random(SEED + 3);
  let rendered = 0;
  for (let i = 0; i < 2000; i++) {
    const blocks = randomBlocks(random);
    try {
      const budget = random.chance(2) ? { budget: random.below(60) } : {};
      const verbosity = random.pick(["full", "summary", "adaptive"] as const);
      render(blocks, { mode: random.pick(["xml", "markdown", "minimal"] as const), verbosity, ...budget });
      rendered++;
    } catch (error) {
      expect(error).toBeInstanceOf(RenderError);
    }
  }
  expect(rendered).toBeGreaterThan(1000);
});

function withoutFlags({ flags: _flags, ...rest }: Block): unknown {
  return rest;
}

function* pieces(payload: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += size) yield payload.subarray(at, at + size);
}
