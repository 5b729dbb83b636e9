// Every truncation and every single-byte change of every payload we have: it decodes, or fails with a typed error that
// says where. Anything else that is thrown, and any hang, is a bug.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { createMemoryStore, decode, DecodeError, decodeStream, encode, render, RenderError } from "../src/index.ts";
import type { Block } from "../src/index.ts";
import { findGolden } from "./conformance.ts";
import { TOUR } from "./vectors/tour.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

const golden = findGolden();
const document = {
  type: "document",
  title: "T",
  content: new TextEncoder().encode("lorem ipsum ".repeat(30)),
  formatHint: "html",
} as const;

const PAYLOADS: [string, Uint8Array][] = [
  ["tour", TOUR],
  ["a compressed block", await encode([{ ...document, summary: "s" }], { compressBlocks: true })],
  ["a compressed payload", await encode([document, document], { compressPayload: true })],
  ["references", await encode([document, document], { dedup: true, store: createMemoryStore() })],
  ...goldenPayloads(),
];

if (golden === undefined) test.skip("golden payloads: not on this machine, so only our own are damaged", () => {});

describe.each(PAYLOADS)("%s", (_, payload) => {
  test("cut anywhere", () => {
    for (let length = 0; length < payload.length; length++) survives(payload.slice(0, length));
  });

  test("with any one byte changed", () => {
    const damaged = payload.slice();
    // Small payloads: all 255 other values. Large ones: each bit, all bits.
    const changes =
      payload.length < 1000 ? Array.from({ length: 255 }, (_, i) => i + 1) : [1, 2, 4, 8, 16, 32, 64, 128, 255];
    for (let at = 0; at < payload.length; at++) {
      const original = payload[at] ?? 0;
      for (const change of changes) {
        damaged[at] = original ^ change;
        survives(damaged);
      }
      damaged[at] = original;
    }
  });

  test("cut anywhere, as a stream", async () => {
    for (let length = 0; length < Math.min(payload.length, 700); length++) await streams(payload.slice(0, length));
  });

  test("with any one bit changed, as a stream", async () => {
    const damaged = payload.slice();
    for (let at = 0; at < Math.min(payload.length, 300); at++) {
      const original = payload[at] ?? 0;
      damaged[at] = original ^ (1 << (at % 8));
      await streams(damaged.slice());
      damaged[at] = original;
    }
  });
});

function survives(payload: Uint8Array): void {
  let blocks: readonly Block[];
  try {
    ({ blocks } = decode(payload));
  } catch (error) {
    return checkError(error, payload);
  }
  // What decoded is whole: a DecodeError must not come from looking at it.
  try {
    render(blocks);
  } catch (error) {
    if (!(error instanceof RenderError)) throw error;
  }
}

async function streams(payload: Uint8Array): Promise<void> {
  try {
    for await (const _ of decodeStream([payload])) continue;
  } catch (error) {
    checkError(error, payload);
  }
}

function checkError(error: unknown, payload: Uint8Array): void {
  if (!(error instanceof DecodeError)) throw error;
  const { offset } = error;
  if (!(Number.isInteger(offset) && offset >= 0 && offset <= payload.length)) expect(offset).toBe(payload.length);
}

function goldenPayloads(): [string, Uint8Array][] {
  if (golden === undefined) return [];
  const folder = path.join(golden, "golden");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".bcp"));
  return files.map((file) => [file, new Uint8Array(readFileSync(path.join(folder, file)))]);
}
