// What a payload that is packed as a whole may become: the library is careful, unless told otherwise.
import { expect, setDefaultTimeout, test } from "bun:test";
import { decode, DecodeError, encode, MAX_PAYLOAD_BYTES } from "../src/index.ts";
import type { NewBlock } from "../src/index.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const MIB = 1024 * 1024;
// Eight megabytes each that pack well, but not as only a bomb does: three digits of each line cannot be foreseen.
let seed = 1;
const digits = (): number => (seed = (seed * 48271) % 2147483647) % 1000;
const blocks: NewBlock[] = Array.from({ length: 6 }, () => {
  const lines = Array.from(
    { length: (8 * MIB) / 64 },
    () => `the worker has written its share of the events, in all: ${digits()}\n`,
  );
  return { type: "document", title: "log", formatHint: "plain", content: new TextEncoder().encode(lines.join("")) };
});

test("by default it may become 8 MiB and four times the input; who has more memory says so", async () => {
  const packed = await encode(blocks, { compressPayload: true });
  expect(packed.length).toBeLessThan(4 * MIB);
  expect(() => decode(packed)).toThrow(DecodeError);
  expect(
    decode(packed, { limits: { payloadBytes: MAX_PAYLOAD_BYTES, unpackedBytes: MAX_PAYLOAD_BYTES } }).blocks.length,
  ).toBe(6);
});
