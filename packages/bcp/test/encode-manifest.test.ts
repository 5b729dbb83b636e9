// `bcp encode` writes blocks from where they stand in a manifest. The library makes objects of them first: both are to
// write the same bytes.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { buildManifest, createMemoryStore, encode, encodePlain, parseManifest } from "../src/index.ts";
import type { EncodeOptions, NewBlock } from "../src/index.ts";
import { zstd } from "../src/zstd.ts";
import { runCollected } from "./run.ts";

// Some take more than five seconds on a busy machine. Said in each file: a preload reaches only the first one.
setDefaultTimeout(60_000);

let cwd = "";
beforeAll(() => void (cwd = mkdtempSync(path.join(tmpdir(), "bcp-encode-"))));
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const SAMPLES: readonly [string, string][] = [
  ["a tree of many shapes", tree(`[${list(4, (i) => entry(6, i))}]`)],
  ["a tree as deep as it may be", tree(deep(1024))],
  ["a tree of nothing", tree("[]")],
  ["many hunks", `{"type":"diff","path":"p","hunks":[${list(300, (i) => hunk(i))}]}`],
  ["thousands of turns, all of them twice", [...turns(3000), ...turns(3000)].join(",")],
  [
    "every escape, in texts, keys and contents",
    '{"t\\u0079pe":"c\\u006fde","lang":"\\u0072ust","path":"\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\\u6f22\\ud83d\\ude00é漢😀","content":"\\\\\\\\\\"","summary":"\\u0000"}',
  ],
  [
    "a long content that ends in backslashes",
    `{"type":"document","title":"","content":"${'x\\"'.repeat(99)}\\\\\\\\"}`,
  ],
  [
    "base64 with spaces of every kind",
    String.raw`{"type":"image","media_type":"png","alt_text":"","data":" AA EC\n\u00a0/w\u3000==\ufeff"}`,
  ],
  [
    "sizes up to 64 bits",
    tree(`[${["0", "-0", "9007199254740991", "18446744073709551615"].map((size) => file(size))}]`),
  ],
  ["more than a piece of the output", `{"type":"document","title":"t","content":"${"0123456789".repeat(250_000)}"}`],
];

const WAYS: readonly [string, readonly string[], EncodeOptions][] = [
  ["plain", [], {}],
  ["block by block compressed", ["--compress-blocks"], { compressBlocks: true }],
  ["compressed as a whole", ["--compress-payload"], { compressPayload: true }],
  ["deduplicated", ["--dedup"], { dedup: true }],
];

describe.each(SAMPLES)("%s", (_, blocks) => {
  const text = `{"blocks":[${blocks}]}`;

  test.each(WAYS)("%s", async (_name, flags, options) => {
    const store = options.dedup ? { store: createMemoryStore() } : {};
    const expected = await encode(await loadBlock(text), { ...options, ...store });
    const { exit, bytes } = await runCollected(["encode", "-", "-o", "-", "--extended", ...flags], {
      cwd,
      stdin: text,
    });
    expect([exit, Buffer.compare(bytes, expected)]).toEqual([0, 0]);
  });
});

test("what cannot be held is written all the same: a small manifest that names a file often enough", async () => {
  const content = crypto.getRandomValues(new Uint8Array(65_536));
  writeFileSync(path.join(cwd, "noise"), "");
  for (let i = 0; i < 64; i++) appendFileSync(path.join(cwd, "noise"), content);
  const entries = list(8, (i) => `{"type":"document","title":"${i}","content_file":"noise"}`);
  writeFileSync(path.join(cwd, "often.json"), `{"blocks":[${entries}]}`);
  const noise = await Bun.file(path.join(cwd, "noise")).bytes();
  const blocks = Array.from({ length: 8 }, (_, i): NewBlock => {
    return { type: "document", title: `${i}`, content: noise, formatHint: "markdown" };
  });
  const { stdout } = await runCollected(["encode", "often.json", "-o", "often.bcp"], { cwd });
  const written = await Bun.file(path.join(cwd, "often.bcp")).bytes();
  expect(stdout).toBe(`Wrote ${written.length} bytes to often.bcp\n`);
  expect(Buffer.compare(written, encodePlain(blocks))).toBe(0);
});

const TURNS = list(3, () => '{"type":"conversation","role":"user","content":"hi"}');
const LONG = list(2, () => `{"type":"document","title":"","content":"${"x".repeat(1000)}"}`);
const NAMED = list(2, () => '{"type":"document","title":"","content_file":"part"}');

test.each([
  ["blocks", TURNS, [], { blocks: 2 }, "3 blocks, and no more than 2 are read again: split the manifest into several"],
  ["bytes", NAMED, [], { inputBytes: 3000 }, "3040 bytes, and no more than 3000 are read again: split the manifest"],
  ["an unpacked payload", LONG, ["--compress-payload"], { payloadBytes: 2000 }, "or do not compress the payload"],
  ["unpacked blocks", LONG, ["--compress-blocks"], { unpackedBytes: 2000 }, "or compress none"],
  ["what references stand for", LONG, ["--dedup"], { referencedBytes: 1000 }, "or do not deduplicate"],
] as const)("what could not be read again is not written: %s", async (_, blocks, options, limits, said) => {
  writeFileSync(path.join(cwd, "part"), "x".repeat(1500));
  const stdin = `{"blocks":[${blocks}]}`;
  const { exit, stderr } = await runCollected(["encode", "-", "-o", "refused.bcp", ...options], { cwd, stdin, limits });
  expect([exit, stderr]).toEqual([1, expect.stringContaining(said)]);
  expect(await Bun.file(path.join(cwd, "refused.bcp")).exists()).toBe(false);
});

test("a file that grows while it is read leaves nothing behind", async () => {
  const file = path.join(cwd, "growing");
  writeFileSync(file, "x".repeat(4 * 1024 * 1024));
  const entries = list(8, () => '{"type":"document","title":"","content_file":"growing"}');
  writeFileSync(path.join(cwd, "grows.json"), `{"blocks":[${entries}]}`);
  let reads = 0;
  const resolvePath = (name: string): string => {
    if (name === "growing" && ++reads === 9) appendFileSync(file, "y");
    return path.join(cwd, name);
  };
  const { exit, stderr } = await runCollected(["encode", "grows.json", "-o", "grown.bcp"], { cwd, resolvePath });
  expect([exit, stderr]).toEqual([1, "error: a content_file has changed while it was being read\n"]);
  expect(await Bun.file(path.join(cwd, "grown.bcp")).exists()).toBe(false);
});

test("what does not become smaller is written plain", async () => {
  const text = '{"blocks":[{"type":"conversation","role":"user","content":"hi"}]}';
  const { bytes } = await runCollected(["encode", "-", "-o", "-", "--compress-payload"], { cwd, stdin: text });
  expect(Buffer.compare(bytes, encodePlain(await loadBlock(text)))).toBe(0);
});

test("a payload in several pieces is compressed as it is in one", async () => {
  const words = Array.from({ length: 400_000 }, (_, i) => (i * i * 31).toString(36)).join(" ");
  const blocks: NewBlock[] = [{ type: "document", title: "", content: Buffer.from(words), formatHint: "plain" }];
  const plain = encodePlain(blocks);
  const packed = await encode(blocks, { compressPayload: true });
  expect(plain.length).toBeGreaterThan(2 * 1024 * 1024);
  expect(Buffer.compare(packed.subarray(8), await inOneWrite(plain.subarray(8)))).toBe(0);
});

async function loadBlock(text: string): Promise<NewBlock[]> {
  return buildManifest(parseManifest(text, "extended"), () => Promise.reject(new Error("no files here")));
}

// As the reference has it.
function inOneWrite(plain: Uint8Array): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const stream = zstd().createZstdCompress({ params: { 100: 3 } });
    const chunks: Uint8Array[] = [];
    stream.on("data", (chunk: Uint8Array) => chunks.push(chunk));
    stream.on("error", reject);
    stream.on("end", () => resolve(Buffer.concat(chunks)));
    stream.write(plain);
    stream.end();
  });
}

function tree(entries: string): string {
  return `{"type":"file_tree","root":"/","entries":${entries}}`;
}

// Entries with none, one and several children, whose keys come in any order.
function entry(levels: number, index: number): string {
  if (levels === 0) return file(`${index}`);
  const children = `[${list(index, (i) => entry(levels - 1, i + 1))}]`;
  return index % 2 === 0
    ? `{"children":${children},"name":"d${index}","kind":"dir"}`
    : `{"name":"é${index}","kind":"DIRECTORY","children":${children},"size":${levels}}`;
}

function deep(levels: number): string {
  return `${'[{"name":"d","kind":"dir","children":'.repeat(levels)}[]${',"size":7}]'.repeat(levels)}`;
}

function file(size: string): string {
  return `{"name":"f","kind":"file","size":${size}}`;
}

function hunk(index: number): string {
  return `{"new_start":${index},"lines":"+${"a".repeat(index)}\\n","old_start":${index * 3}}`;
}

function turns(count: number): string[] {
  return Array.from({ length: count }, (_, i) => `{"type":"conversation","role":"user","content":"turn ${i}"}`);
}

function list(count: number, make: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => make(index)).join(",");
}
