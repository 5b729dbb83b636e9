import { describe, expect, test } from "bun:test";
import { createMemoryStore, decode, encode, EncodeError, Encoder, encodePlain } from "../src/index.ts";
import type { EncodeCode, NewBlock } from "../src/index.ts";
import { hex } from "./vectors/hex.ts";

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("the builder", () => {
  test("writes what was added, with its remarks", async () => {
    const payload = await new Encoder()
      .addCode("rust", "a", "x", { lineStart: 1, lineEnd: 2 })
      .withPriority("high")
      .withSummary("s")
      .addConversation("tool", "ok", "call-1")
      .addFileTree("/", [{ name: "f", kind: "file" }])
      .addToolResult("ls", "ok", "out", "hint")
      .addDocument("T", "d", "plain")
      .addStructuredData("json", "{}", "schema")
      .addDiff("p", [{ oldStart: 1, newStart: 2, lines: utf8("+a\n") }])
      .addAnnotation(0, "tag", "entry")
      .addEmbeddingRef("v", Uint8Array.of(1), "m")
      .addImage("svg", "alt", "<svg/>")
      .addExtension("ns", "t", "c")
      .addUnknown(99, "raw")
      .encode();
    const { blocks } = decode(payload);
    // The summary goes to the code, not to the annotation that the priority put behind it.
    expect(blocks[0]).toMatchObject({ type: "code", summary: "s", lineStart: 1, lineEnd: 2 });
    expect(blocks[1]).toMatchObject({
      type: "annotation",
      targetBlockId: 0,
      kind: "priority",
      value: Uint8Array.of(2),
    });
    expect(blocks.map(({ type }) => type)).toEqual([
      "code",
      "annotation",
      "conversation",
      "file_tree",
      "tool_result",
      "document",
      "structured_data",
      "diff",
      "annotation",
      "embedding_ref",
      "image",
      "extension",
      "unknown",
    ]);
  });

  test("may be asked again, and has then the blocks added since", async () => {
    const encoder = new Encoder().addDocument("T", "d", "plain");
    const first = await encoder.encode();
    expect(hex(await encoder.encode())).toBe(hex(first));
    expect(decode(await encoder.addDocument("U", "e", "html").encode()).blocks.length).toBe(2);
  });

  test("compresses one block, all blocks or the payload", async () => {
    const long = "lorem ipsum ".repeat(40);
    const two = (): Encoder => new Encoder().addDocument("A", long, "plain").addDocument("B", long, "plain");
    const flags = async (encoder: Encoder): Promise<number[]> => {
      const { header, blocks } = decode(await encoder.encode());
      return [header.flags, ...blocks.map((block) => block.flags)];
    };
    expect(await flags(two())).toEqual([0, 0, 0]);
    expect(await flags(two().withCompression())).toEqual([0, 0, 2]);
    expect(await flags(new Encoder().compressBlocks().addDocument("A", long, "plain"))).toEqual([0, 2]);
    expect(await flags(two().compressBlocks().compressPayload())).toEqual([1, 0, 0]);
  });

  test("addresses one block, or whatever repeats", async () => {
    const store = createMemoryStore();
    const addressed = await new Encoder()
      .setContentStore(store)
      .addDocument("A", "a", "plain")
      .withContentAddressing()
      .encode();
    expect(decode(addressed, { store }).blocks[0]).toMatchObject({ flags: 4, title: "A" });
    // The store remembers: even a first occurrence becomes a reference.
    const again = await new Encoder().setContentStore(store).dedup().addDocument("A", "a", "plain").encode();
    expect(hex(again)).toBe(hex(addressed));
  });
});

describe("compression is kept only where it helps", () => {
  test.each([
    ["255 bytes are too few", 255, 0],
    ["256 bytes are enough", 256, 2],
  ])("%s", async (_, plainBytes, flags) => {
    const block: NewBlock = { type: "unknown", typeId: 99, body: new Uint8Array(plainBytes) };
    expect(decode(await encode([block], { compressBlocks: true })).blocks[0]?.flags).toBe(flags);
  });

  test("noise stays as it is", async () => {
    const body = crypto.getRandomValues(new Uint8Array(2000));
    const payload = await encode([{ type: "unknown", typeId: 99, body }], { compressBlocks: true });
    expect(hex(payload)).toBe(hex(encodePlain([{ type: "unknown", typeId: 99, body }])));
    expect(hex(await encode([{ type: "unknown", typeId: 99, body }], { compressPayload: true }))).toBe(hex(payload));
  });

  test("references are not compressed", async () => {
    const block: NewBlock = { type: "unknown", typeId: 99, body: new Uint8Array(1000) };
    const payload = await encode([block, block], { compressBlocks: true, dedup: true, store: createMemoryStore() });
    expect(decode(payload).blocks.map(({ flags }) => flags)).toEqual([2, 4]);
  });
});

describe("what cannot be written is refused", () => {
  const document = { type: "document", title: "T", content: utf8(""), formatHint: "plain" } as const;
  // As a caller without type checks would write it.
  const wrong = (change: object): readonly NewBlock[] => [{ ...document, ...change } as NewBlock];

  test.each<[string, () => unknown, EncodeCode, string]>([
    ["nothing", () => encodePlain([]), "EmptyPayload", "no blocks have been added to the encoder"],
    [
      "deduplication without a store",
      () => encodePlain([document], { dedup: true }),
      "MissingContentStore",
      "content addressing requires a content store (call set_content_store first)",
    ],
    [
      "an address without a store",
      () => encodePlain([{ ...document, address: true }]),
      "MissingContentStore",
      "content addressing requires a content store (call set_content_store first)",
    ],
    [
      "a body over 16 MiB",
      () => encodePlain([{ type: "unknown", typeId: 99, body: new Uint8Array(16_777_217) }]),
      "BlockTooLarge",
      "block body exceeds maximum size (16777217 bytes, limit 16777216)",
    ],
    [
      "a word that is none",
      () => encodePlain(wrong({ formatHint: "rtf" })),
      "InvalidValue",
      'format_hint cannot be "rtf"',
    ],
    ["a missing field", () => encodePlain(wrong({ title: undefined })), "InvalidValue", "title is missing"],
    [
      "text where bytes belong",
      () => encodePlain(wrong({ content: "text" })),
      "InvalidValue",
      'content cannot be "text"',
    ],
    [
      "a number beyond 32 bits",
      () => encodePlain([{ type: "annotation", targetBlockId: 2 ** 32, kind: "tag", value: utf8("") }]),
      "InvalidValue",
      "target_block_id cannot be 4294967296",
    ],
    [
      "a negative number",
      () => encodePlain([{ type: "annotation", targetBlockId: -1, kind: "tag", value: utf8("") }]),
      "InvalidValue",
      "target_block_id cannot be -1",
    ],
    [
      "a known type as an unknown one",
      () => encodePlain([{ type: "unknown", typeId: 1, body: utf8("") }]),
      "InvalidValue",
      "1 is not the number of an unknown type",
    ],
    [
      "END as a block",
      () => encodePlain([{ type: "unknown", typeId: 255, body: utf8("") }]),
      "InvalidValue",
      "255 is not the number of an unknown type",
    ],
    [
      "a type that does not exist",
      () => encodePlain(wrong({ type: "poem" })),
      "InvalidValue",
      'there is no block type "poem"',
    ],
    [
      "a summary of nothing",
      () => new Encoder().withSummary("s"),
      "NoBlockTarget",
      "with_summary called but no blocks have been added yet",
    ],
    [
      "a priority of nothing",
      () => new Encoder().withPriority("low"),
      "NoBlockTarget",
      "with_priority called but no blocks have been added yet",
    ],
    [
      "compression of nothing",
      () => new Encoder().withCompression(),
      "NoBlockTarget",
      "with_compression called but no blocks have been added yet",
    ],
    [
      "addressing of nothing",
      () => new Encoder().withContentAddressing(),
      "NoBlockTarget",
      "with_content_addressing called but no blocks have been added yet",
    ],
  ])("%s", (_, run, code, message) => {
    try {
      run();
    } catch (error) {
      expect(error).toBeInstanceOf(EncodeError);
      expect(error).toMatchObject({ code, message });
      return;
    }
    throw new Error("was not refused");
  });

  test("16 MiB exactly are not", () => {
    expect(encodePlain([{ type: "unknown", typeId: 99, body: new Uint8Array(16_777_216) }]).length).toBe(
      16_777_216 + 18,
    );
  });
});

test("a tree that contains itself is refused, not followed for ever", () => {
  const loop: { name: string; kind: "directory"; children: unknown[] } = { name: "d", kind: "directory", children: [] };
  loop.children.push(loop);
  const blocks = [{ type: "file_tree", rootPath: "/", entries: [loop] }] as unknown as NewBlock[];
  expect(() => encodePlain(blocks)).toThrow("nested more than 1024 levels deep");
});
