import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  createMemoryStore,
  decode,
  decodeStream,
  encode,
  encodePlain,
  KNOWN_TYPES,
  render,
  RenderError,
} from "../src/index.ts";
import type { Block } from "../src/index.ts";
import { tableByType } from "../src/block-types.ts";
import type { NamedField } from "../src/field-table.ts";
import { Random, randomBlock, randomBlocks, TYPES } from "./generate.ts";
import { plain } from "./plain.ts";
import { hex } from "./vectors/hex.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const SEED = 20_260_307;
const CASES = 10_000;
const COMPRESSED_CASES = 250;

test(`${CASES} generated blocks of each type decode to what was encoded, and encode to the same bytes again`, () => {
  const random = new Random(SEED);
  const seen = new Set<string>();
  for (let i = 0; i < CASES; i++) {
    const blocks = TYPES.map((type) => randomBlock(random, type));
    const payload = encodePlain(blocks);
    const decoded = decode(payload).blocks;
    if (!Bun.deepEquals(plain(decoded), blocks, true)) expect(plain(decoded)).toEqual(blocks);
    if (Buffer.compare(encodePlain(decoded), payload) !== 0) expect(hex(encodePlain(decoded))).toBe(hex(payload));
    for (const block of blocks) note(seen, block.type, tableByType(block.type)?.fields ?? [], block);
  }
  // By the tables themselves: a field or a word that is new there and not generated here shows.
  const all = KNOWN_TYPES.flatMap((type) => [
    `${type}.summary`,
    `${type}.summary absent`,
    ...possible(type, tableByType(type)?.fields ?? []),
  ]);
  expect(all.length).toBeGreaterThan(100);
  expect(all.filter((one) => !seen.has(one))).toEqual([]);
});

/** What there is to see of a record: which fields it has and lacks, and each word of an enumeration. */
function possible(name: string, fields: readonly NamedField[], isInner = false): string[] {
  return fields.flatMap(({ key, present, form }) => {
    const field = `${name}.${key}`;
    const both = present ? [field] : [field, `${field} absent`];
    if (form.kind === "words") return [...both, ...form.words.list.map((word) => `${field}=${word}`)];
    if (form.kind !== "records") return both;
    // Trees hold trees: the second level stands for all.
    return isInner ? both : [...both, ...possible(field, form.table().fields, true)];
  });
}

function note(seen: Set<string>, name: string, fields: readonly NamedField[], record: object): void {
  const values = new Map<string, unknown>(Object.entries(record));
  seen.add(values.has("summary") ? `${name}.summary` : `${name}.summary absent`);
  for (const { key, form } of fields) {
    const value = values.get(key);
    const field = `${name}.${key}`;
    seen.add(value === undefined ? `${field} absent` : field);
    if (form.kind === "words") seen.add(`${field}=${String(value)}`);
    if (form.kind !== "records" || !Array.isArray(value)) continue;
    for (const inner of value as object[]) note(seen, field, form.table().fields, inner);
  }
}

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
      expect(withoutFlags(decode(payload).blocks)).toEqual(withoutFlags(blocks));
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
    expect(withoutFlags(streamed)).toEqual(withoutFlags(blocks));
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

function withoutFlags(blocks: readonly Block[]): unknown[] {
  return plain(blocks.map((block) => ({ ...block, flags: 0 })));
}

function* pieces(payload: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += size) yield payload.subarray(at, at + size);
}
