import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { createMemoryStore, DecodeError, decodeStream, encode, encodePlain } from "../src/index.ts";
import type { NewBlock, StreamEvent, StreamOptions } from "../src/index.ts";
import { fromDigits } from "./vectors/hex.ts";
import { TOUR } from "./vectors/tour.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const HEADER = "4243500001000000";
const END = "ff010000";
const BLOCK = "01000b0100050201016d03010178";

test("header, blocks, end, in this order", async () => {
  const events = await collect([TOUR]);
  expect(events.map(({ kind }): string => kind)).toEqual(["header", ...Array<string>(12).fill("block"), "end"]);
  expect(events.at(-1)).toEqual({ kind: "end", blocks: 12 });
});

test("a block is delivered as soon as its last byte is there, and END without a byte more", async () => {
  let sent = "";
  const seen: string[] = [];
  async function* source(): AsyncGenerator<Uint8Array, void> {
    for (const part of [HEADER, BLOCK.slice(0, 8), BLOCK.slice(8), END]) {
      sent += part;
      yield fromDigits(part);
    }
    throw new Error("read beyond END");
  }
  for await (const event of decodeStream(source())) seen.push(`${event.kind} after ${sent.length / 2}`);
  expect(seen).toEqual(["header after 8", "block after 22", "end after 26"]);
});

test("what was delivered stays when the source reuses its buffer", async () => {
  const shared = Buffer.alloc(64); // whose slice() copies nothing, which is the trap
  function* source(): Generator<Uint8Array> {
    const payload = fromDigits(HEADER + BLOCK + BLOCK + END);
    for (let at = 0; at < payload.length; at += 7) {
      const part = payload.subarray(at, at + 7);
      shared.fill(0xee);
      shared.set(part);
      yield shared.subarray(0, part.length);
    }
  }
  const [, first] = await collect(source());
  expect(first).toMatchObject({ block: { path: "m", content: Uint8Array.of(0x78) } });
});

test("the source is told when nobody reads on", async () => {
  let closed = false;
  async function* source(): AsyncGenerator<Uint8Array, void> {
    try {
      for (;;) yield TOUR;
    } finally {
      closed = true;
    }
  }
  for await (const event of decodeStream(source())) if (event.kind === "block") break;
  expect(closed).toBe(true);
});

describe("faults", () => {
  test.each([
    ["a short header", "4243", "InvalidHeader", 2],
    ["no END", HEADER + BLOCK, "MissingEndSentinel", 22],
    ["an end inside a frame's head", `${HEADER}${BLOCK}01`, "UnexpectedEof", 22],
    ["an end inside a body", `${HEADER}${BLOCK.slice(0, 20)}`, "UnexpectedEof", 8],
    ["a type of 256 is not cut down to 0", `${HEADER}80020000${END}`, "InvalidBlockType", 8],
    ["a type of 511 is not cut down to END", `${HEADER}ff030000${END}`, "InvalidBlockType", 8],
    ["a varint without end", `${HEADER}${"80".repeat(10)}`, "VarintTooLong", 8],
    ["a body of 2^64 - 1 bytes is not allocated", `${HEADER}0100${"ff".repeat(9)}01`, "BlockTooLarge", 8],
    ["a fault inside a body", `${HEADER}${BLOCK}010001ff${END}`, "UnexpectedEof", 25],
    ["a reference", `${HEADER}010420${"00".repeat(32)}${END}`, "MissingContentStore", 11],
    ["a compressed payload that is not", `4243500001000100${BLOCK}${END}`, "DecompressFailed", 8],
    ["a compressed payload of nothing", "4243500001000100", "DecompressFailed", 8],
  ])("%s", async (_, digits, code, offset) => {
    for (const size of [1, 5, 1000]) {
      const failure = await failureOf(pieces(fromDigits(digits), size));
      expect([failure.code, failure.offset]).toEqual([code as DecodeError["code"], offset]);
    }
  });

  test("a damaged block can be skipped, because the frame says where the next one starts", async () => {
    const payload = fromDigits(`${HEADER}${BLOCK}0100020107${BLOCK}${END}`);
    const events = await collect([payload], { skipDamaged: true });
    expect(events.map(({ kind }) => kind)).toEqual(["header", "block", "damaged", "block", "end"]);
    expect(events[2]).toMatchObject({ index: 1, error: { code: "UnknownFieldWireType", block: 1 } });
  });

  test("a fault in the framing is final", async () => {
    const payload = fromDigits(`${HEADER}${BLOCK}80020000${BLOCK}${END}`);
    const failure = await failureOf([payload], { skipDamaged: true });
    expect(failure.code).toBe("InvalidBlockType");
  });
});

describe("compressed as a whole", () => {
  const blocks: NewBlock[] = Array.from({ length: 300 }, (_, i) => ({
    type: "conversation",
    role: "user",
    content: new TextEncoder().encode(`${i} `.repeat(1 + ((i * 37) % 900))),
  }));

  test("is unpacked piece by piece", async () => {
    const payload = await encode(blocks, { compressPayload: true });
    expect(payload[6]).toBe(1);
    for (const size of [1, 1000]) {
      const events = await collect(pieces(payload, size));
      expect(events.length).toBe(302);
      expect(events[300]).toMatchObject({
        index: 299,
        block: { content: blocks[299]?.type === "conversation" ? blocks[299].content : undefined },
      });
    }
  });

  test("a bomb ends at the limit", async () => {
    const payload = await encode([{ type: "unknown", typeId: 99, body: new Uint8Array(3_000_000) }], {
      compressPayload: true,
    });
    const failure = await failureOf([payload], { limits: { payloadBytes: 1_000_000 } });
    expect([failure.code, failure.message]).toEqual([
      "DecompressionBomb",
      "decompressed size 1000001 exceeds limit 1000000",
    ]);
  });

  test("several frames and skippable ones are read on, garbage is not", async () => {
    const packed = "4243500001000100";
    const frames = "502a4d1803000000aabbcc28b52ffd200e71000001000b0100010201016103010178";
    const end = "28b52ffd2004210000ff010000";
    for (const size of [1, 1000]) {
      expect((await collect(pieces(fromDigits(packed + frames + end), size))).length).toBe(3);
      expect((await failureOf(pieces(fromDigits(`${packed}${frames}deadbeef`), size))).code).toBe("DecompressFailed");
    }
  });
});

describe("references", () => {
  const block = { type: "document", title: "t", content: new Uint8Array(50), formatHint: "plain" } as const;

  test("to earlier blocks resolve when asked for", async () => {
    const payload = encodePlain([block, block], { dedup: true, store: createMemoryStore() });
    expect((await failureOf([payload])).code).toBe("MissingContentStore");
    const events = await collect([payload], { references: "in-file" });
    expect(events[2]).toMatchObject({ kind: "block", block: { title: "t", flags: 4 } });
  });

  test("only as far as bodies are kept", async () => {
    const payload = encodePlain([block, block], { dedup: true, store: createMemoryStore() });
    const failure = await failureOf([payload], { references: "in-file", limits: { keptBytes: 10 } });
    expect(failure.code).toBe("MissingContentStore");
  });

  test("find their bodies in a store", async () => {
    const store = createMemoryStore();
    const payload = encodePlain([{ ...block, address: true }], { store });
    expect((await collect([payload], { store }))[1]).toMatchObject({ block: { title: "t" } });
  });
});

async function collect(
  source: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  options?: StreamOptions,
): Promise<StreamEvent[]> {
  const events: StreamEvent[] = [];
  for await (const event of decodeStream(source, options)) events.push(event);
  return events;
}

async function failureOf(source: Iterable<Uint8Array>, options?: StreamOptions): Promise<DecodeError> {
  try {
    await collect(source, options);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error("did not fail");
}

function* pieces(payload: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += size) yield payload.slice(at, at + size);
}
