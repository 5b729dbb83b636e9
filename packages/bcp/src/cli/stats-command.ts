// `bcp stats`: how many blocks of what, how large, and about how many tokens.

import type { FlagValues } from "@bosun/platform/flags";
import { Buffer } from "node:buffer";
import { RenderError } from "../bcp-errors.ts";
import type { Block } from "../block-types.ts";
import { repeatWithPauses } from "../cooperative-work.ts";
import { PAYLOAD_COMPRESSED } from "../header.ts";
import { BlockRenderer } from "../render/block-renderer.ts";
import { MODES } from "../render/render-mode.ts";
import type { Mode } from "../render/render-mode.ts";
import type { Part } from "../render/text-buffer.ts";
import { estimateOpaque } from "../token-estimate.ts";
import { size, typeTitle } from "./block-facts.ts";
import { versionAndFlags } from "./inspect-command.ts";
import type { BcpIo } from "./io.ts";
import { loadOrFail } from "./load-payload.ts";
import type { Loaded } from "./load-payload.ts";

const RULE = "─".repeat(36);

type Row = { readonly title: string; count: number; bytes: number };

export async function stats(io: BcpIo, file: string, parsed: FlagValues): Promise<number> {
  const loaded = await loadOrFail(io, file, parsed);
  const { header, payload, blockCount } = loaded;
  const compressed = (header.flags & PAYLOAD_COMPRESSED) !== 0;
  const { rows, tokens } = await tally(loaded);
  const bytes = rows.reduce((sum, row) => sum + row.bytes, 0);
  if (parsed.has("json")) {
    const report = {
      file,
      bytes: payload.length,
      version: `${header.major}.${header.minor}`,
      flags: header.flags,
      compressed,
      block_count: blockCount,
      content_bytes: bytes,
      types: rows.map((row) => ({ type: row.title.toLowerCase(), count: row.count, bytes: row.bytes })),
      tokens,
    };
    await io.stdout(`${JSON.stringify(report, undefined, 2)}\n`);
    return 0;
  }
  const line = ({ title, count, bytes }: Row): string =>
    `${title.padEnd(20)}${String(count).padStart(6)}${String(bytes).padStart(8)}\n`;
  await io.stdout(
    `File:    ${file}  (${payload.length} bytes)\n` +
      `Header:  BCP ${versionAndFlags(loaded)} (${compressed ? "payload zstd-compressed" : "uncompressed"})\n` +
      `Blocks:  ${blockCount} total\n\n` +
      `Type                 Count   Bytes\n${RULE}\n` +
      `${rows.map(line).join("")}${RULE}\n` +
      `${line({ title: "Total", count: blockCount, bytes })}\n` +
      "Tokens (heuristic estimate):\n" +
      MODES.map((mode) => `  ${`${mode} mode`.padEnd(13)} ~${tokens[mode] ?? 0} tokens\n`).join(""),
  );
  return 0;
}

// One row per type in order of appearance; all unknown types share one.
async function tally(loaded: Loaded): Promise<{ rows: Row[]; tokens: Partial<Record<Mode, number | null>> }> {
  const rows = new Map<string, Row>();
  const lengths = MODES.map((mode) => [mode, new RenderedLength(mode)] as const);
  for await (const block of loaded.blocks()) {
    const title = typeTitle(block);
    const row = rows.get(title) ?? { title, count: 0, bytes: 0 };
    row.count++;
    const bytes = size(block, loaded.pauseIfDue);
    row.bytes += typeof bytes === "number" ? bytes : await bytes;
    rows.set(title, row);
    for (const [, length] of lengths) {
      length.add(block);
      if (length.more()) await repeatWithPauses(length.more, loaded.pauseIfDue);
    }
  }
  return {
    rows: [...rows.values()],
    tokens: Object.fromEntries(lengths.map(([mode, length]) => [mode, length.tokens()])),
  };
}

/** How long a full rendering is, without making it. */
class RenderedLength {
  private readonly rendering: BlockRenderer;
  private bytes = 0;
  private isBroken = false;

  constructor(mode: Mode) {
    this.rendering = new BlockRenderer({ mode, verbosity: "full" });
  }

  /** What takes long is left to `more`. */
  add(block: Block): void {
    this.attempt(() => this.rendering.begin(block, this.count));
  }

  readonly more = (): boolean => {
    let isMore = false;
    this.attempt(() => {
      isMore = this.rendering.more();
    });
    return isMore;
  };

  /** Null where the file cannot be rendered, one binary image being enough; the table shows 0 for it. */
  tokens(): number | null {
    this.attempt(() => this.count(this.rendering.end()));
    return this.isBroken ? null : estimateOpaque(this.bytes);
  }

  private readonly count = (part: Part): void => {
    this.bytes += typeof part === "string" ? Buffer.byteLength(part) : part.length;
  };

  private attempt(rendering: () => void): void {
    if (this.isBroken) return;
    try {
      rendering();
    } catch (error) {
      if (!(error instanceof RenderError)) throw error;
      this.isBroken = true;
    }
  }
}
