// `bcp stats`: how many blocks of what, how large, and about how many tokens.

import type { Block } from "../blocks/all.ts";
import { estimateHeuristic } from "../estimate.ts";
import { RenderError } from "../failure.ts";
import { PAYLOAD_COMPRESSED } from "../header.ts";
import { MODES } from "../render/mode.ts";
import type { Mode } from "../render/mode.ts";
import { render } from "../render/render.ts";
import type { Parsed } from "./arguments.ts";
import { size, typeTitle } from "./block-facts.ts";
import { versionAndFlags } from "./inspect.ts";
import type { BcpIo } from "./io.ts";
import { loadOrFail } from "./load.ts";

const RULE = "─".repeat(36);

type Row = { readonly title: string; count: number; bytes: number };

export async function stats(io: BcpIo, file: string, parsed: Parsed): Promise<number> {
  const loaded = await loadOrFail(io, file, parsed);
  const { header, payload, blocks } = loaded;
  const compressed = (header.flags & PAYLOAD_COMPRESSED) !== 0;
  const rows = tally(blocks);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (parsed.flags.has("json")) {
    const report = {
      file,
      bytes: payload.length,
      version: `${header.major}.${header.minor}`,
      flags: header.flags,
      compressed,
      block_count: blocks.length,
      content_bytes: bytes,
      types: rows.map((row) => ({ type: row.title.toLowerCase(), count: row.count, bytes: row.bytes })),
      tokens: Object.fromEntries(MODES.map((mode) => [mode, tokens(blocks, mode)])),
    };
    await io.stdout(`${JSON.stringify(report, undefined, 2)}\n`);
    return 0;
  }
  const line = ({ title, count, bytes }: Row): string =>
    `${title.padEnd(20)}${String(count).padStart(6)}${String(bytes).padStart(8)}\n`;
  await io.stdout(
    `File:    ${file}  (${payload.length} bytes)\n` +
      `Header:  BCP ${versionAndFlags(loaded)} (${compressed ? "payload zstd-compressed" : "uncompressed"})\n` +
      `Blocks:  ${blocks.length} total\n\n` +
      `Type                 Count   Bytes\n${RULE}\n` +
      `${rows.map(line).join("")}${RULE}\n` +
      `${line({ title: "Total", count: blocks.length, bytes })}\n` +
      "Tokens (heuristic estimate):\n" +
      MODES.map((mode) => `  ${`${mode} mode`.padEnd(13)} ~${tokens(blocks, mode) ?? 0} tokens\n`).join(""),
  );
  return 0;
}

// One row per type in order of appearance; all unknown types share one.
function tally(blocks: readonly Block[]): Row[] {
  const rows = new Map<string, Row>();
  for (const block of blocks) {
    const title = typeTitle(block);
    const row = rows.get(title) ?? { title, count: 0, bytes: 0 };
    row.count++;
    row.bytes += size(block);
    rows.set(title, row);
  }
  return [...rows.values()];
}

/** Null where the file cannot be rendered, one binary image being enough; the table shows 0 for it. */
function tokens(blocks: readonly Block[], mode: Mode): number | null {
  try {
    return estimateHeuristic(render(blocks, { mode, verbosity: "full" }));
  } catch (error) {
    if (error instanceof RenderError) return null;
    throw error;
  }
}
