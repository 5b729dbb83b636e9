// How fast the library is. `benchBcp()` for a bench of the whole project; run on its own it prints its rows.

// oxlint-disable-next-line no-restricted-imports -- a bench that also runs on Node, and only starts our own executable
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  blake3,
  createMemoryStore,
  decode,
  decodeStream,
  encode,
  encodePlain,
  MAX_PAYLOAD_BYTES,
  render,
} from "../src/index.ts";
import { mixedBlocks } from "./payload.ts";

/** The sample repeats itself so much that it packs three hundred to one. */
const LARGE = { limits: { payloadBytes: MAX_PAYLOAD_BYTES } };

export type Row = { readonly name: string; readonly value: number; readonly unit: "MB/s" | "ms" };

const LARGE_BYTES = 10_000_000;
const SMALL_BYTES = 2_000;
const SMALL_BLOCK_BYTES = 400;
const MAIN = path.join(import.meta.dirname, "../src/main.ts");

/** The best of several runs each, so that a busy machine says least. The small calls are what a server does per request. */
export async function benchBcp(): Promise<Row[]> {
  const blocks = mixedBlocks(LARGE_BYTES);
  const payload = encodePlain(blocks);
  const packed = await encode(blocks, { compressPayload: true });
  const small = encodePlain(mixedBlocks(SMALL_BYTES, SMALL_BLOCK_BYTES));
  const smallBlocks = decode(small).blocks;
  const megabytes = payload.length / 1e6;
  const rate = (name: string, ms: number): Row => ({ name, value: (megabytes / ms) * 1000, unit: "MB/s" });
  const each = (name: string, ms: number): Row => ({ name, value: ms, unit: "ms" });
  return [
    rate(`decode, ${megabytes.toFixed(1)} MB`, await best(25, () => void decode(payload))),
    rate("decode + render xml", await best(25, () => void flat(render(decode(payload).blocks, { mode: "xml" })))),
    rate(
      "decode + render minimal",
      await best(25, () => void flat(render(decode(payload).blocks, { mode: "minimal" }))),
    ),
    rate(
      "decode + render with a budget",
      await best(15, () => void flat(render(decode(payload).blocks, { budget: 500_000 }))),
    ),
    rate("decode zstd payload + render", await best(15, () => void flat(render(decode(packed, LARGE).blocks)))),
    rate("decode as a stream", await best(15, () => drain(payload))),
    rate("encode", await best(25, () => void encodePlain(blocks))),
    rate(
      "encode, deduplicating",
      await best(9, () => void encodePlain(blocks, { dedup: true, store: createMemoryStore() })),
    ),
    rate("BLAKE3", await best(9, () => void blake3(payload))),
    rate("encode, zstd payload", await best(9, async () => void (await encode(blocks, { compressPayload: true })))),
    each(`decode + render, ${small.length} bytes`, await perCall(() => flat(render(decode(small).blocks)))),
    each(`encode, ${small.length} bytes`, await perCall(() => encodePlain(smallBlocks))),
    each("the same decode + render by a bcp process", await subprocess(small)),
  ];
}

// What every call would cost if it were left to an executable: start, read, decode, render, end.
async function subprocess(payload: Uint8Array): Promise<number> {
  const folder = await mkdtemp(path.join(tmpdir(), "bcp-bench-"));
  const file = path.join(folder, "small.bcp");
  await writeFile(file, payload);
  try {
    return await best(15, () => run([process.execPath, MAIN, "decode", file]));
  } finally {
    await rm(folder, { recursive: true });
  }
}

function run([command = "", ...args]: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: "ignore" });
    child.on("error", reject);
    child.on("exit", (code) => (code === 0 ? resolve() : reject(new Error(`bcp ended with ${code}`))));
  });
}

// A joined string may be a rope: looking at its last character makes it one piece, as any use would.
function flat(text: string): number {
  return text.charCodeAt(text.length - 1);
}

async function drain(payload: Uint8Array): Promise<void> {
  for await (const _ of decodeStream(chunks(payload))) continue;
}

function* chunks(payload: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < payload.length; at += 65_536) yield payload.subarray(at, at + 65_536);
}

async function best(runs: number, work: () => void | Promise<void>): Promise<number> {
  let fastest = Number.POSITIVE_INFINITY;
  for (let run = 0; run < runs; run++) {
    const start = performance.now();
    await work();
    fastest = Math.min(fastest, performance.now() - start);
  }
  return fastest;
}

async function perCall(work: () => unknown): Promise<number> {
  const batch = 500;
  return (await best(15, () => void Array.from({ length: batch }, work))) / batch;
}

if (import.meta.main) {
  for (const { name, value, unit } of await benchBcp()) {
    console.log(`${name.padEnd(44)}${value.toFixed(unit === "ms" ? 4 : 0).padStart(10)} ${unit}`);
  }
}
