// Blocks → text: filter, decide, render, join (FORMAT.md, "Rendering").

import type { Block, BlockType } from "../blocks/all.ts";
import { allocate, readPriorities } from "../budget.ts";
import type { Decision } from "../budget.ts";
import { estimateCodeAware } from "../estimate.ts";
import { RenderError } from "../failure.ts";
import { BlockTexts, describe } from "./block-text.ts";
import { markdown } from "./markdown.ts";
import { minimal } from "./minimal.ts";
import type { Format, Mode, ShownBlock } from "./mode.ts";
import { xml } from "./xml.ts";

const FORMATS: Readonly<Record<Mode, Format>> = { xml, markdown, minimal };

export const VERBOSITIES = ["full", "summary", "adaptive"] as const;
export type Verbosity = (typeof VERBOSITIES)[number];

export type RenderOptions = {
  readonly mode?: Mode;
  /** `adaptive` (the default) obeys a budget; `summary` and `full` do not look at it. */
  readonly verbosity?: Verbosity;
  /** Tokens; approximate. */
  readonly budget?: number;
  readonly include?: ReadonlySet<BlockType>;
  /** `code` (the default, and the reference's way): only CODE blocks are shown by their summary. `all`: any block. */
  readonly summaries?: "code" | "all";
  /** What becomes of an image that is no text: the whole rendering fails (the reference's way), or a placeholder. */
  readonly binaryImages?: "error" | "placeholder";
};

export type RenderedBlock = {
  /** Position in the list that was passed. */
  readonly index: number;
  readonly type: BlockType;
  readonly decision: Decision;
  /** Estimate of the full content; only known where a budget was spent or a placeholder written. */
  readonly tokens?: number;
};

export type Rendered = { readonly text: string; readonly blocks: readonly RenderedBlock[] };

/** The text of the blocks, without a trailing newline of its own. */
export function render(blocks: readonly Block[], options: RenderOptions = {}): string {
  return renderDetailed(blocks, options).text;
}

/** The text, and what became of each block. */
export function renderDetailed(blocks: readonly Block[], options: RenderOptions = {}): Rendered {
  const format = FORMATS[options.mode ?? "xml"];
  const texts = new BlockTexts();
  const shown = filter(blocks, options.include);
  if (shown.length === 0) throw nothing();
  const decisions = decide(blocks, shown, options, texts);
  const rendered: RenderedBlock[] = [];
  const pieces: string[] = [];
  shown.forEach(({ block, index }, position) => {
    const { decision, tokens } = decisions[position] ?? FULL;
    const piece = renderBlock(block, decision, tokens, { format, texts, options, position });
    rendered.push({ index, type: block.type, decision: piece.decision, ...(tokens === undefined ? {} : { tokens }) });
    if (piece.text !== undefined) pieces.push(piece.text);
  });
  if (pieces.length === 0) throw nothing();
  return { text: format.open + pieces.join("\n\n") + format.close, blocks: rendered };
}

type Shown = { readonly block: ShownBlock; readonly index: number };
type Decided = { readonly decision: Decision; readonly tokens?: number };
type Piece = { readonly decision: Decision; readonly text?: string };
type Setting = { format: Format; texts: BlockTexts; options: RenderOptions; position: number };

const FULL: Decided = { decision: "full" };

function filter(blocks: readonly Block[], include: ReadonlySet<BlockType> | undefined): Shown[] {
  const shown: Shown[] = [];
  blocks.forEach((block, index) => {
    if (block.type === "annotation" || (include && !include.has(block.type))) return;
    shown.push({ block, index });
  });
  return shown;
}

function decide(all: readonly Block[], shown: readonly Shown[], options: RenderOptions, texts: BlockTexts): Decided[] {
  const { verbosity = "adaptive", budget } = options;
  if (verbosity === "summary") {
    return shown.map(({ block }) => (block.summary === undefined ? FULL : { decision: "summary" }));
  }
  if (verbosity === "full" || budget === undefined) return shown.map(() => FULL);
  const priorities = readPriorities(all);
  const weights = shown.map(({ block, index }) => ({
    priority: priorities.get(index) ?? ("normal" as const),
    tokens: texts.tokens(block),
    ...(block.summary === undefined ? {} : { summaryTokens: estimateCodeAware(block.summary) }),
  }));
  return allocate(weights, budget).map((decision, i) => ({ decision, tokens: weights[i]?.tokens ?? 0 }));
}

function renderBlock(block: ShownBlock, decision: Decision, tokens: number | undefined, setting: Setting): Piece {
  const { format, texts, options, position } = setting;
  if (decision === "omit") return { decision };
  if (decision === "placeholder") return { decision, text: placeholder(block, tokens, format, texts) };
  if (decision === "summary" && block.summary !== undefined) {
    if (block.type === "code" || options.summaries === "all") {
      return { decision, text: format.summary(block, block.summary) };
    }
    // Charged as a summary, printed in full: the reference's way, and its snapshots' (D-22).
  }
  const text = texts.text(block);
  if (text !== undefined) return { decision: "full", text: format.full(block, text) };
  if (block.type === "image" && options.binaryImages === "placeholder") {
    return { decision: "placeholder", text: placeholder(block, tokens, format, texts) };
  }
  const message = `invalid UTF-8 in block content at index ${position}`;
  throw new RenderError("InvalidContent", message, position);
}

function placeholder(block: ShownBlock, tokens: number | undefined, format: Format, texts: BlockTexts): string {
  const { label, description } = describe(block);
  return format.placeholder(label, description, tokens ?? texts.tokens(block));
}

function nothing(): RenderError {
  return new RenderError("EmptyInput", "no blocks to render");
}
