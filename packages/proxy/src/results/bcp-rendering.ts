// --render-mode: the regions of a result that were detected, as typed BCP blocks, encoded, decoded and rendered, text by
// text. A rendering takes the place of a text whenever it costs fewer tokens than what the server sent; the handle beside
// it gives back every byte.
import type { Mode, NewBlock } from "@bosun/bcp";
import {
  blocksOf,
  countTokens,
  DEFAULT_THRESHOLD,
  escapeMeta,
  NOTE_KEY,
  ORIGINAL_KEY,
  readNote,
  shownText,
} from "@bosun/shrink";
import type { ContentBlock, FoldNote, NotedPart, Originals, Shrunk, ToolResult } from "@bosun/shrink";
import { withSummaries } from "./block-summary.ts";

/** Longer texts pass through. */
const MAX_CHARS = 250_000;

/** Encodes blocks, decodes and renders them. Undefined where that cannot be done: the text stays as it is. */
export type RenderBlocks = (
  blocks: readonly NewBlock[],
  options: { mode: Mode; budget?: number },
) => Promise<string | undefined>;

export type RenderingOptions = {
  mode: Mode;
  threshold: number | undefined;
  /** Tokens of a rendering: beyond, blocks are shown by their summaries. */
  budget: number | undefined;
  renderBlocks?: RenderBlocks | undefined;
};

/** A result as it came, and whose it is. */
export type Given = { result: ToolResult; json: string; toolName: string; client: string };

export class BcpRendering {
  private readonly mode: Mode;
  private readonly threshold: number;
  private readonly budget: number;
  private readonly renderBlocks: RenderBlocks;

  constructor({
    mode,
    threshold = DEFAULT_THRESHOLD,
    budget = Infinity,
    renderBlocks = renderInProcess,
  }: RenderingOptions) {
    this.mode = mode;
    this.threshold = threshold;
    this.budget = budget;
    this.renderBlocks = renderBlocks;
  }

  /** `folded` with renderings where they are worth it; itself where none is. */
  async render(originals: Originals, given: Given, folded: Shrunk): Promise<Shrunk> {
    const { result, toolName } = given;
    const status = result.isError === true ? "error" : "ok";
    const notes = notedParts(folded.result);
    const rendered = await Promise.all(
      contentOf(result).map(async (block, at) => {
        // Foreign marks wear a disguise in the fold; in a rendering they would pass for ours.
        if (!isText(block) || block.text.length > MAX_CHARS || notes[at]?.escaped !== undefined) return undefined;
        const blocks = blocksOf(block.text, { toolName, status, threshold: this.threshold, compact: true });
        // Without a kind of its own there is nothing to gain: rendering only adds a label.
        if (blocks.every(({ type }) => type === "tool_result")) return undefined;
        return this.smaller(block.text, withSummaries(blocks));
      }),
    );
    if (rendered.every((one) => one === undefined)) return folded;
    // Stored before anything is emitted that names it.
    const handle = folded.handle ?? originals.put(given.client, result, given.json);
    if (handle === undefined) return folded;
    return withRenderings(given.result, folded, rendered, notes, handle);
  }

  private async smaller(text: string, blocks: readonly NewBlock[]): Promise<Rendered | undefined> {
    const { mode, budget } = this;
    const before = countTokens(text);
    for (const options of budget === Infinity ? [{ mode }] : [{ mode }, { mode, budget }]) {
      const shown = await this.renderBlocks(blocks, options);
      if (shown === undefined) return undefined;
      const after = countTokens(shown);
      if (after < before && after <= budget) return { text: shown, before, after };
    }
    return undefined;
  }
}

export const renderInProcess: RenderBlocks = async (blocks, options) => {
  const { decode, DecodeError, EncodeError, encodePlain, render, RenderError } = await import("@bosun/bcp");
  try {
    return render(decode(encodePlain(blocks)).blocks, { ...options, summaries: "all" });
  } catch (error) {
    // The codec gives up on hostile nesting.
    if (error instanceof EncodeError || error instanceof DecodeError || error instanceof RenderError) return undefined;
    throw error;
  }
};

type Rendered = { text: string; before: number; after: number };

function withRenderings(
  given: ToolResult,
  folded: Shrunk,
  rendered: readonly (Rendered | undefined)[],
  notes: readonly (NotedPart | undefined)[],
  handle: string,
): Shrunk {
  const content = contentOf(folded.result).map((block, at) => {
    const one = rendered[at];
    return one ? { ...block, text: one.text } : block;
  });
  // Only the original has all of a rendering: `unfold` says so and names the handle.
  const parts = content.flatMap((block, at): NotedPart[] => {
    const chars = shownText(block)?.length;
    if (chars === undefined) return [];
    if (rendered[at]) return [{ chars, omitted: true }];
    return [notes[at] ?? (isText(block) ? { chars } : { chars, foreign: true })];
  });
  const note: FoldNote = { ...readNote(folded.result._meta), parts };
  const foreign = folded.changed ? folded.result._meta : (escapeMeta(given._meta) ?? given._meta);
  const isOnly = rendered.every((one, at) => one !== undefined || notes[at]?.folded === undefined);
  const folds = folded.folds.filter((fold) => !isOnly || fold === "structured");
  return {
    ...folded,
    result: { ...folded.result, content, _meta: { ...foreign, [ORIGINAL_KEY]: handle, [NOTE_KEY]: note } },
    changed: true,
    tokensBefore: sum(rendered.map((one) => one?.before ?? 0)),
    tokensAfter: sum(rendered.map((one) => one?.after ?? 0)),
    folds: [...folds, "bcp"],
    handle,
  };
}

/** What the way back of a folded result is, block by block. */
function notedParts(folded: ToolResult): (NotedPart | undefined)[] {
  const parts = [...(readNote(folded._meta)?.parts ?? [])];
  return contentOf(folded).map((block) => (shownText(block) === undefined ? undefined : parts.shift()));
}

function contentOf({ content }: ToolResult): ContentBlock[] {
  return Array.isArray(content) ? content : [];
}

function isText(block: ContentBlock): block is ContentBlock & { text: string } {
  return typeof block === "object" && block !== null && block.type === "text" && typeof block.text === "string";
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
