// `bcp inspect`: what is in a file, block by block.

import { whole } from "@bosun/platform/flags";
import type { FlagValues } from "@bosun/platform/flags";
import type { Block } from "../block-types.ts";
import { escapeControls, quoted } from "../quote.ts";
import { decodeLossy } from "../utf8-text.ts";
import { annotationText, detail, facts, primaryBytes, size, typeTitle } from "./block-facts.ts";
import { ChunkedWriter } from "./chunked-writer.ts";
import type { BcpIo } from "./io.ts";
import { JsonArrayWriter } from "./json-array-writer.ts";
import { loadOrFail } from "./load-payload.ts";
import type { Loaded } from "./load-payload.ts";

// What the reference counts blocks with; no file has that many.
const MAX_INDEX = 2n ** 64n - 1n;
const BODY_CHARACTERS = 80;
const HEX_ROW = 16;
const HEX_PAIRS = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
const END_BYTES = 4;

type Show = { readonly body: boolean; readonly hex: boolean };

export async function inspect(io: BcpIo, file: string, parsed: FlagValues): Promise<number> {
  const only = whole(parsed, "block", { max: MAX_INDEX });
  const loaded = await loadOrFail(io, file, parsed);
  if (parsed.has("json")) {
    await writeJson(io, loaded, only);
    return 0;
  }
  const show = { body: parsed.has("show-body"), hex: parsed.has("show-hex") };
  const count = loaded.blockCount;
  // Neither a write per block nor all of a large dump at once.
  const out = new ChunkedWriter((chunk) => io.stdout(chunk));
  await out.write(`Header: BCP ${versionAndFlags(loaded)}, ${count} block${count === 1 ? "" : "s"}\n`);
  for await (const [index, block] of wantedBlocks(loaded, only)) {
    const bytes = await size(block, loaded.pauseIfDue);
    for (const piece of description(block, index, bytes, show)) await out.write(piece);
  }
  // Not where END is in a file that is compressed as a whole, but what the reference prints (D-46).
  await out.write(`---\nEND sentinel at offset ${loaded.payload.length - END_BYTES}\n`);
  await out.flush();
  return 0;
}

/** `v1.0, flags=0x00` */
export function versionAndFlags({ header }: Pick<Loaded, "header">): string {
  const flags = header.flags.toString(16).padStart(2, "0").toUpperCase();
  return `v${header.major}.${header.minor}, flags=0x${flags}`;
}

function* description(block: Block, index: number, bytes: number, show: Show): Generator<string, void> {
  yield `Block ${index}: ${typeTitle(block)}`;
  yield* detail(block);
  yield ` (${bytes} bytes)\n`;
  if (block.summary !== undefined) {
    yield "         Summary: ";
    yield* quoted([block.summary]);
    yield "\n";
  }
  if (show.body) yield `         Body:    ${excerpt(primaryBytes(block))}\n`;
  if (!show.hex) return;
  yield "         Hex dump:\n";
  yield* hexRows(primaryBytes(block));
}

function excerpt(bytes: Uint8Array): string {
  // No character takes more than four bytes, and one byte more tells whether there is more.
  const characters = [...decodeLossy(bytes.subarray(0, BODY_CHARACTERS * 4 + 4))];
  const rest = characters.length > BODY_CHARACTERS ? "…" : "";
  return escapeControls(characters.slice(0, BODY_CHARACTERS).join("")) + rest;
}

function* hexRows(bytes: Uint8Array): Generator<string> {
  for (let start = 0; start < bytes.length; start += HEX_ROW) {
    let hex = "";
    let ascii = "";
    // Byte by byte: lists of them would leave a hundred times as much behind.
    for (let at = start; at < Math.min(start + HEX_ROW, bytes.length); at++) {
      const byte = bytes[at] ?? 0;
      hex += `${HEX_PAIRS[byte]} `;
      ascii += byte > 0x20 && byte < 0x7f ? String.fromCharCode(byte) : ".";
    }
    yield `           ${start.toString(16).padStart(4, "0")}  ${hex.padEnd(49)} ${ascii}\n`;
  }
}

async function writeJson(io: BcpIo, loaded: Loaded, only: number | undefined): Promise<void> {
  const { header, file, payload, blockCount } = loaded;
  const report = {
    file,
    bytes: payload.length,
    version: `${header.major}.${header.minor}`,
    flags: header.flags,
    block_count: blockCount,
    blocks: [],
  };
  const out = new ChunkedWriter((chunk) => io.stdout(chunk));
  await out.write(JSON.stringify(report, undefined, 2).slice(0, -"[]\n}".length));
  const blocks = new JsonArrayWriter(out);
  for await (const [index, block] of wantedBlocks(loaded, only)) {
    const summary = block.summary === undefined ? {} : { summary: block.summary };
    const bytes = await size(block, loaded.pauseIfDue);
    const entry = { index, type: block.type, flags: block.flags, size: bytes, ...summary, ...facts(block) };
    if (block.type === "annotation") await blocks.add(entry, { key: "value", text: annotationText(block) });
    else await blocks.add(entry);
  }
  await blocks.end();
  await out.write("\n}\n");
  await out.flush();
}

async function* wantedBlocks(loaded: Loaded, only: number | undefined): AsyncGenerator<[number, Block]> {
  let index = 0;
  for await (const block of loaded.blocks()) {
    if (only === undefined || index === only) yield [index, block];
    index++;
  }
}
