// The conformance table: every payload, snapshot, manifest and vector of a folder of BCP conformance data.
//
// Run on its own it prints the table: bun packages/bcp/test/conformance.ts [folder]

import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import {
  blake3,
  buildManifest,
  createMemoryStore,
  decode,
  DecodeError,
  encode,
  estimateCodeAware,
  estimateHeuristic,
  KNOWN_TYPES,
  parseManifest,
  render,
} from "../src/index.ts";
import type { Block, EncodeOptions, Mode, Verbosity } from "../src/index.ts";
import { Reader } from "../src/byte-reader.ts";
import { BackWriter } from "../src/byte-writer.ts";
import { equal } from "./equal.ts";
import { addCommandLines } from "./conformance-commands.ts";
import type { Add } from "./conformance-commands.ts";
import { fromDigits, hex } from "./vectors/hex.ts";

export type Check = { readonly group: string; readonly name: string; readonly problem?: string };

/** Where the data lies, or undefined on a machine that has none. */
export function findGolden(): string | undefined {
  const shared = process.env["BOSUN_SHARED"] ?? path.join(import.meta.dir, "../../../../shared");
  const folder = path.join(shared, "bcp-golden");
  return existsSync(folder) ? folder : undefined;
}

/** Runs everything. A check without a problem has passed. */
export async function runConformance(folder: string): Promise<Check[]> {
  const vectors = JSON.parse(await readFile(path.join(folder, "supplementary/vectors.json"), "utf8"));
  const checks: Check[] = [];
  const add: Add = async (group, name, check) => {
    const problem = await problemOf(check);
    checks.push({ group, name, ...(problem === undefined ? {} : { problem }) });
  };
  for (const name of await fixtures(folder)) {
    await add("payloads: decode", name, () => decodesAsDescribed(folder, name));
    if (name !== TRAILING) await add("payloads: re-encode, bytes", name, () => reencodes(folder, name));
  }
  for (const file of await readdir(path.join(folder, "snapshots"))) {
    await add("snapshots", file, () => matchesSnapshot(folder, file));
  }
  for (const [name, shape] of Object.entries(INPUT_MANIFESTS)) {
    await add("manifests: strict, bytes", name, () => encodesManifest(folder, name, "strict", shape));
  }
  for (const name of EXTENDED_MANIFESTS) {
    await add("manifests: extended, bytes", name, () => encodesManifest(folder, name, "extended", {}));
  }
  await add("content store, hashes", "content_addressed", () => checkContentStore(folder));
  for (const entry of vectors.varint_encode) await add("vectors: varint", entry.hex, () => checkVarint(entry, true));
  for (const entry of vectors.varint_decode_nonminimal) {
    await add("vectors: varint", entry.hex, () => checkVarint(entry, false));
  }
  for (const entry of vectors.decode) await add("vectors: decode", entry.name, () => checkDecode(entry));
  for (const entry of vectors.decode_with_store) await add("vectors: references", entry.name, () => checkStore(entry));
  for (const entry of vectors.blake3) await add("vectors: BLAKE3", entry.hash, () => checkHash(entry));
  for (const entry of vectors.estimate)
    await add("vectors: estimators", JSON.stringify(entry.text), () => checkEstimate(entry));
  for (const entry of vectors.render) {
    for (const wanted of entry.renders) {
      const name = `${entry.name} ${wanted.mode} ${wanted.verbosity} ${wanted.budget}`;
      await add("vectors: render", name, () => checkRender(entry, wanted));
    }
  }
  for (const entry of vectors.compressed) {
    await add("vectors: compressed, decode", entry.name, () => checkCompressed(entry));
    await add("vectors: compressed, bytes", entry.name, () => recompresses(entry));
  }
  await addCommandLines(folder, add);
  return checks;
}

const TRAILING = "edge_cases/trailing_data";
// Manifests that are real inputs, with the options they need.
const INPUT_MANIFESTS: Record<string, EncodeOptions> = {
  simple_code: {},
  conversation: {},
  budget_constrained: {},
  "edge_cases/empty_content": {},
  compressed_payload: { compressPayload: true },
  content_addressed: { dedup: true },
};
// Those whose data is real, once the keys that the reference refuses are understood.
const EXTENDED_MANIFESTS = [...Object.keys(INPUT_MANIFESTS), "mixed_blocks", "with_summaries"];

async function fixtures(folder: string): Promise<string[]> {
  const files = await readdir(path.join(folder, "golden"), { recursive: true });
  return files
    .filter((file) => file.endsWith("payload.bcp"))
    .map((file) => path.dirname(file))
    .sort();
}

async function payloadOf(folder: string, name: string): Promise<Uint8Array> {
  return new Uint8Array(await readFile(path.join(folder, "golden", name, "payload.bcp")));
}

async function decodesAsDescribed(folder: string, name: string): Promise<void> {
  const payload = await payloadOf(folder, name);
  if (name === TRAILING) {
    const failure = await failureOf(() => decode(payload));
    equal(failure?.code, "TrailingData");
    equal(failure?.extraBytes, 4);
    const lenient = decode(payload, { trailingData: "ignore" });
    equal(lenient.blocks.length, 1);
    equal(lenient.trailingBytes, 4);
    return;
  }
  const { blocks } = decode(payload);
  const manifestFile = path.join(folder, "golden", name, "manifest.json");
  if (!existsSync(manifestFile)) {
    const [block] = blocks;
    equal(block?.type === "unknown" ? [block.typeId, text(block.body)] : undefined, [0x42, "hello"]);
    return;
  }
  // The manifest lists the blocks without the annotations that priorities add.
  const listed: { type: string }[] = JSON.parse(await readFile(manifestFile, "utf8")).blocks;
  const isAdded = (block: Block): boolean => block.type === "annotation" && block.kind === "priority";
  const types = blocks.filter((block) => !isAdded(block)).map(({ type }) => type);
  equal(
    types,
    listed.map(({ type }) => type),
  );
}

async function reencodes(folder: string, name: string): Promise<void> {
  const payload = await payloadOf(folder, name);
  const { blocks } = decode(payload);
  equal(hex(await encode(blocks, { compressBlocks: name === "compressed_blocks" })), hex(payload));
}

async function matchesSnapshot(folder: string, file: string): Promise<void> {
  const [, name = "", mode, budget] = /^conformance__(.*?)_(xml|markdown|minimal)(?:_(\d+))?\.snap$/.exec(file) ?? [];
  const snapshot = await readFile(path.join(folder, "snapshots", file), "utf8");
  const { blocks } = decode(await payloadOf(folder, name));
  const rendered = render(blocks, {
    mode: mode as Mode,
    ...(budget === undefined ? {} : { budget: Number(budget) }),
    ...(name === "all_block_types" ? { include: new Set(KNOWN_TYPES.filter((type) => type !== "image")) } : {}),
  });
  const expected = snapshot.split("\n").slice(4).join("\n");
  equal(rendered.replace(/\n+$/, ""), expected.replace(/\n+$/, ""));
}

async function encodesManifest(
  folder: string,
  name: string,
  shape: "strict" | "extended",
  options: EncodeOptions,
): Promise<void> {
  const source = await readFile(path.join(folder, "golden", name, "manifest.json"), "utf8");
  const manifest = parseManifest(source, shape);
  const blocks = await buildManifest(manifest, () => Promise.reject(new Error("no files here")));
  const dedup = options.dedup || manifest.dedup;
  const payload = await encode(blocks, {
    ...options,
    compressPayload: options.compressPayload || manifest.compressPayload,
    ...(dedup ? { dedup, store: createMemoryStore() } : {}),
  });
  equal(hex(payload), hex(await payloadOf(folder, name)));
}

async function checkContentStore(folder: string): Promise<void> {
  const file = path.join(folder, "golden/content_addressed/content_store.json");
  const store: Record<string, string> = JSON.parse(await readFile(file, "utf8"));
  for (const [hash, content] of Object.entries(store)) equal(hex(blake3(fromDigits(content))), hash);
}

function checkVarint(entry: { value: string; hex: string }, shortest: boolean): void {
  const reader = new Reader(fromDigits(entry.hex), { at: 0, packed: false });
  reader.varint();
  equal(String(reader.exact()), entry.value);
  equal(reader.pos, entry.hex.length / 2);
  if (!shortest) return;
  const writer = new BackWriter();
  const value = BigInt(entry.value);
  writer.varint(value <= Number.MAX_SAFE_INTEGER ? Number(value) : value);
  equal(hex(writer.view()), entry.hex);
}

type DecodeVector = {
  hex: string;
  ok?: { flags?: number; blocks: unknown };
  error?: string;
  message?: string;
};

async function checkDecode(entry: DecodeVector): Promise<void> {
  // As the reference: no store, no references to earlier blocks.
  const run = (): ReturnType<typeof decode> => decode(fromDigits(entry.hex), { references: "store" });
  if (entry.ok) {
    const { header, blocks } = run();
    equal(header.flags, entry.ok.flags);
    equal(blocks.map(dump), entry.ok.blocks);
  } else await failsAs(entry, run);
}

async function checkStore(entry: DecodeVector & { store: Record<string, string> }): Promise<void> {
  const store = createMemoryStore();
  for (const [hash, body] of Object.entries(entry.store)) equal(hex(store.put(fromDigits(body))), hash);
  if (entry.ok) equal(decode(fromDigits(entry.hex), { store }).blocks.length, entry.ok.blocks);
  else await failsAs(entry, () => decode(fromDigits(entry.hex), { store }));
}

async function failsAs(entry: DecodeVector, run: () => unknown): Promise<void> {
  const failure = await failureOf(run);
  equal(failure?.code, entry.error);
  if (entry.message !== undefined) equal(failure?.message, entry.message);
}

// A block as the vectors write it: numbers for enumerations, bytes in hex, nested records left out.
function dump(block: Block): unknown {
  const { type: _type, flags, summary, ...rest } = block;
  const fields: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(rest)) {
    if (key === "typeId" || key === "entries" || key === "hunks") continue;
    const name = key.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    fields[name] = value instanceof Uint8Array ? hex(value) : (NUMBERS[name]?.[String(value)] ?? value);
  }
  return {
    type: block.type === "unknown" ? block.typeId : NUMBERS["type"]?.[block.type],
    flags,
    summary: summary ?? null,
    fields,
  };
}

const NUMBERS: Record<string, Record<string, number>> = {
  type: { code: 1, conversation: 2, file_tree: 3, tool_result: 4, document: 5, structured_data: 6, diff: 7 },
  lang: { rust: 1, unknown: 255 },
  role: { system: 1, user: 2, assistant: 3, tool: 4 },
};

function checkHash(entry: { hash: string; input_hex?: string; input_repeat?: [string, number] }): void {
  const [byte = "", count = 0] = entry.input_repeat ?? [];
  const input =
    entry.input_hex === undefined ? new Uint8Array(count).fill(Number.parseInt(byte, 16)) : fromDigits(entry.input_hex);
  equal(hex(blake3(input)), entry.hash);
}

function checkEstimate(entry: { text: string; heuristic: number; code_aware: number }): void {
  equal([estimateHeuristic(entry.text), estimateCodeAware(entry.text)], [entry.heuristic, entry.code_aware]);
}

type Wanted = { mode: Mode; verbosity: Verbosity; budget: number | null; text: string };

function checkRender(entry: { hex: string }, wanted: Wanted): void {
  const { mode, verbosity, budget } = wanted;
  const options = { mode, verbosity, ...(budget === null ? {} : { budget }) };
  equal(render(decode(fromDigits(entry.hex)).blocks, options), wanted.text);
}

function checkCompressed(entry: { hex: string; plain_hex: string }): void {
  const withoutFlags = (source: string): unknown =>
    decode(fromDigits(source)).blocks.map((block) => ({ ...block, flags: 0 }));
  equal(withoutFlags(entry.hex), withoutFlags(entry.plain_hex));
}

async function recompresses(entry: { hex: string }): Promise<void> {
  const { header, blocks } = decode(fromDigits(entry.hex));
  equal(hex(await encode(blocks, header.flags & 1 ? { compressPayload: true } : { compressBlocks: true })), entry.hex);
}

async function problemOf(check: () => unknown): Promise<string | undefined> {
  try {
    await check();
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

async function failureOf(run: () => unknown): Promise<DecodeError | undefined> {
  try {
    run();
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error;
    throw error;
  }
}

function text(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

if (import.meta.main) {
  const folder = process.argv[2] ?? findGolden();
  if (folder === undefined) throw new Error("no conformance data: pass its folder");
  const checks = await runConformance(folder);
  const groups = Map.groupBy(checks, ({ group }) => group);
  for (const [group, members] of [...groups, ["all", checks] as const]) {
    const passed = members.filter(({ problem }) => problem === undefined).length;
    console.log(`${group.padEnd(32)}${`${passed}/${members.length}`.padStart(8)}`);
  }
  for (const { group, name, problem } of checks) if (problem) console.log(`\n${group}, ${name}: ${problem}`);
  process.exitCode = checks.some(({ problem }) => problem !== undefined) ? 1 : 0;
}
