import { describe, expect, test } from "bun:test";
import { blake3, createMemoryStore, decode, DecodeError, encode, encodePlain } from "../src/index.ts";
import type { DecodeCode, DecodeOptions } from "../src/index.ts";
import { fromDigits, hex } from "./vectors/hex.ts";

const HEADER = "4243500001000000";
const END = "ff010000";
// CODE: go, "m", "x"
const BODY = "0100050201016d03010178";
const BLOCK = `01000b${BODY}`;

type Fault = [name: string, digits: string, code: DecodeCode, message: string, offset: number];

describe("a fault has the reference's message and the true offset in the file", () => {
  test.each<Fault>([
    ["an empty file", "", "InvalidHeader", "invalid header: unexpected end of input at offset 0", 0],
    ["a short header", "424350", "InvalidHeader", "invalid header: unexpected end of input at offset 3", 3],
    [
      "another magic",
      `4c43500001000000${END}`,
      "InvalidHeader",
      "invalid header: invalid magic number: expected 0x42435000, got 0x0050434C",
      0,
    ],
    ["another major version", `4243500003020000${END}`, "InvalidHeader", "invalid header: unsupported version 3.2", 4],
    [
      "a reserved byte",
      `4243500001000001${END}`,
      "InvalidHeader",
      "invalid header: reserved field at offset 7 was 0x01, expected 0x00",
      7,
    ],
    ["no END", HEADER, "MissingEndSentinel", "payload does not end with END sentinel", 8],
    ["no END after a block", HEADER + BLOCK, "MissingEndSentinel", "payload does not end with END sentinel", 22],
    ["END without its length", `${HEADER}ff0100`, "UnexpectedEof", "unexpected end of input at offset 3", 8],
    ["bytes after END", `${HEADER}${END}aabb`, "TrailingData", "unexpected data after END sentinel (2 bytes)", 12],
    [
      "a block type that does not exist",
      `${HEADER}80020000${END}`,
      "InvalidBlockType",
      "invalid block type: varint value 256 exceeds u8 range",
      8,
    ],
    [
      "a block type of 64 bits",
      `${HEADER}ffffffffffffffffff010000${END}`,
      "InvalidBlockType",
      "invalid block type: varint value 18446744073709551615 exceeds u8 range",
      8,
    ],
    [
      "a body that runs past the end",
      `${HEADER}${BLOCK}0100ff01aa`,
      "UnexpectedEof",
      "unexpected end of input at offset 5",
      22,
    ],
    [
      "a missing field",
      `${HEADER}010007${BODY.slice(0, 14)}${END}`,
      "MissingRequiredField",
      "missing required field: content",
      11,
    ],
    [
      "two missing fields: the lower one is named",
      `${HEADER}010003010005${END}`,
      "MissingRequiredField",
      "missing required field: path",
      11,
    ],
    [
      "an unknown wire type on a field to skip",
      `${HEADER}01000209030000${END}`,
      "UnknownFieldWireType",
      "unknown field wire type: 3",
      11,
    ],
    ["an unknown role", `${HEADER}020006010005020100${END}`, "InvalidEnumValue", "invalid Role value: 0x05", 13],
    [
      "an entry of no kind, compared in all its bits",
      `${HEADER}03000e0101000202080101016102008202${END}`,
      "InvalidEnumValue",
      "invalid FileEntryKind value: 0x02",
      23,
    ],
    [
      "a summary longer than the body",
      `${HEADER}0101027f61${END}`,
      "UnexpectedEof",
      "unexpected end of input at offset 1",
      11,
    ],
    [
      "a reference without a store",
      `${HEADER}010420${"00".repeat(32)}${END}`,
      "MissingContentStore",
      "block has IS_REFERENCE flag but no content store was provided",
      11,
    ],
    [
      "compressed data that is none",
      `${HEADER}01020461626364${END}`,
      "DecompressFailed",
      "zstd decompression failed: Unknown frame descriptor",
      11,
    ],
    [
      "compressed data of no length",
      `${HEADER}010200${END}`,
      "DecompressFailed",
      "zstd decompression failed: incomplete frame",
      11,
    ],
  ])("%s", (_, digits, code, message, offset) => {
    const failure = failureOf(fromDigits(digits));
    expect([failure.code, failure.message, failure.offset]).toEqual([code, message, offset]);
  });

  test("and the index of the block", () => {
    expect(failureOf(fromDigits(`${HEADER}${BLOCK}${BLOCK}010001ff${END}`)).block).toBe(2);
  });
});

describe("what readers must put up with", () => {
  test.each([
    ["any minor version and unknown header flags", `424350000109fe00${BLOCK}${END}`],
    ["END with flags and a length", `${HEADER}${BLOCK}ff010763`],
    ["a type and an END that are longer than needed", `${HEADER}8100000b${BODY}ff81000000`],
    ["reserved block flags", `${HEADER}01f80b${BODY}${END}`],
    ["fields in any order", `${HEADER}01000b030101780201016d010005${END}`],
    ["unknown fields of every wire type", `${HEADER}010018${BODY}09000509010261620a02026162${END}`],
    ["a repeated field: the last one counts", `${HEADER}01000f0301017a${BODY}${END}`],
    ["a known field under another wire type", `${HEADER}01000b010105${BODY.slice(6)}${END}`],
    ["an enumeration beyond 8 bits", `${HEADER}01000c01008502${BODY.slice(6)}${END}`],
  ])("%s", (_, digits) => {
    const [block, ...rest] = decode(fromDigits(digits)).blocks;
    expect(rest).toEqual([]);
    expect({ ...block, flags: 0 }).toEqual({
      type: "code",
      flags: 0,
      lang: "go",
      path: "m",
      content: Uint8Array.of(0x78),
    });
  });
});

test("the first fault is the one reported, also behind a compressed block", async () => {
  const packed = await encode([{ type: "unknown", typeId: 99, body: new Uint8Array(300) }], { compressBlocks: true });
  const digits = hex(packed).slice(0, -END.length);
  const failure = failureOf(fromDigits(`${digits}010001ff01`));
  expect([failure.code, failure.message, failure.block]).toEqual([
    "UnexpectedEof",
    "unexpected end of input at offset 1",
    1,
  ]);
});

test("half a line range is kept when reading and not written again", () => {
  const [block] = decode(fromDigits(`${HEADER}01000e${BODY}040005${END}`)).blocks;
  expect(block).toMatchObject({ lineStart: 5 });
  if (block) expect(hex(encodePlain([block]))).toBe(HEADER + BLOCK + END);
});

test("bytes after END can be ignored, and are counted", () => {
  const decoded = decode(fromDigits(`${HEADER}${BLOCK}${END}dead`), { trailingData: "ignore" });
  expect([decoded.blocks.length, decoded.trailingBytes]).toEqual([1, 2]);
});

test("the views of a Buffer are plain byte arrays of the same memory", () => {
  const buffer = Buffer.from(fromDigits(HEADER + BLOCK + END));
  const [block] = decode(buffer).blocks;
  if (block?.type !== "code") throw new Error("not code");
  expect(Object.getPrototypeOf(block.content)).toBe(Uint8Array.prototype);
  expect(block.content.buffer).toBe(buffer.buffer);
});

test("a store keeps a copy of what it is given, also of a Buffer", () => {
  const store = createMemoryStore();
  const body = Buffer.from("abc");
  const hash = store.put(body);
  body.fill(0);
  expect([...(store.get(hash) ?? [])]).toEqual([0x61, 0x62, 0x63]);
});

describe("references", () => {
  const body = fromDigits(BODY);
  const reference = `010420${hex(blake3(body))}`;

  test("name an earlier block of the same file", () => {
    const { blocks } = decode(fromDigits(`${HEADER}${BLOCK}${reference}${END}`));
    expect(blocks[1]).toEqual({ type: "code", flags: 4, lang: "go", path: "m", content: Uint8Array.of(0x78) });
  });

  test("do not, when only the store counts", () => {
    const payload = fromDigits(`${HEADER}${BLOCK}${reference}${END}`);
    expect(failureOf(payload, { references: "store" }).code).toBe("MissingContentStore");
    const store = createMemoryStore();
    expect(failureOf(payload, { references: "store", store }).code).toBe("UnresolvedReference");
    store.put(body);
    expect(decode(payload, { references: "store", store }).blocks.length).toBe(2);
  });

  test("do not name a later block", () => {
    expect(failureOf(fromDigits(`${HEADER}${reference}${BLOCK}${END}`)).code).toBe("MissingContentStore");
  });

  test("of a deduplicated file resolve, whatever else was done to it", async () => {
    const content = new TextEncoder().encode("the same line again\n".repeat(40));
    const block = { type: "document", title: "T", content, formatHint: "plain", summary: "s" } as const;
    for (const options of [{}, { compressBlocks: true }, { compressPayload: true }]) {
      const payload = await encode([block, block, block], { ...options, dedup: true, store: createMemoryStore() });
      const { blocks } = decode(payload);
      expect(blocks.map(({ flags: _flags, ...rest }) => rest)).toEqual([block, block, block]);
      expect(blocks.map(({ flags }) => flags & 4)).toEqual([0, 4, 4]);
    }
  });

  test("of the wrong length are refused", () => {
    const store = createMemoryStore();
    const failure = failureOf(fromDigits(`${HEADER}01041f${"00".repeat(31)}${END}`), { store });
    expect([failure.code, failure.message]).toEqual(["UnexpectedEof", "unexpected end of input at offset 31"]);
  });
});

function failureOf(payload: Uint8Array, options: DecodeOptions = {}): DecodeError {
  try {
    decode(payload, options);
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
  throw new Error("did not fail");
}
