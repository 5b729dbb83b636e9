// Blocks → text: filter, decide, render, join (FORMAT.md, "Rendering").

import type { Block, BlockType } from "../blocks/all.ts";
import { allocate, readPriorities } from "../budget.ts";
import type { Decision, Weight } from "../budget.ts";
import { estimateCodeAware } from "../estimate.ts";
import { RenderError } from "../failure.ts";
import { BlockTexts, describe } from "./block-text.ts";
import { markdown } from "./markdown.ts";
import { minimal } from "./minimal.ts";
import type { Format, Mode, ShownBlock } from "./mode.ts";
import { xml } from "./xml.ts";

// Escaping can make attributes six times as long; nothing else grows. Real text never comes near this.
const FREE_GROWTH = 24 * 1024 * 1024;
const GROWTH_FACTOR = 2;
// No string is longer than this on every runtime.
const MAX_CHARS = 500_000_000;

const SEPARATOR = "\n\n";
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
  return renderPieces(blocks, options);
}

/** The text, and what became of each block. */
export function renderDetailed(blocks: readonly Block[], options: RenderOptions = {}): Rendered {
  const shown: RenderedBlock[] = [];
  const text = renderPieces(blocks, options, (index, type, decision, tokens) => {
    shown.push({ index, type, decision, ...(tokens === undefined ? {} : { tokens }) });
  });
  return { text, blocks: shown };
}

type Report = (index: number, type: BlockType, decision: Decision, tokens: number | undefined) => void;

/** What was decided for the blocks that are left, in their order; all of them full where nothing is listed. */
type Plan = { readonly decisions?: readonly Decision[]; readonly tokens?: readonly number[] };
type Setting = { readonly format: Format; readonly texts: BlockTexts; readonly options: RenderOptions };

function renderPieces(blocks: readonly Block[], options: RenderOptions, report?: Report): string {
  const format = FORMATS[options.mode ?? "xml"];
  const setting = { format, texts: new BlockTexts(), options };
  const { include } = options;
  const isShown = (block: Block): block is ShownBlock =>
    block.type !== "annotation" && (include === undefined || include.has(block.type));
  if (!blocks.some(isShown)) throw nothing();
  const plan = decide(blocks, isShown, setting);
  // Everything goes into one list and is joined once: content is copied no more often than that.
  const parts: string[] = [format.open];
  const size = new OutputSize();
  let position = 0;
  blocks.forEach((block, index) => {
    if (!isShown(block)) return;
    const tokens = plan.tokens?.[position];
    const start = parts.length;
    const decision = renderBlock(parts, block, plan.decisions?.[position] ?? "full", tokens, position, setting);
    if (parts.length > start) size.count(block, parts, start);
    report?.(index, block.type, decision, tokens);
    position++;
  });
  if (parts.length === 1) throw nothing();
  parts.push(format.close);
  return parts.join("");
}

function decide(all: readonly Block[], isShown: (block: Block) => block is ShownBlock, setting: Setting): Plan {
  const { verbosity = "adaptive", budget } = setting.options;
  if (verbosity === "summary") {
    return { decisions: all.filter(isShown).map(({ summary }) => (summary === undefined ? "full" : "summary")) };
  }
  if (verbosity === "full" || budget === undefined) return {};
  const priorities = readPriorities(all);
  const weights: Weight[] = [];
  all.forEach((block, index) => {
    if (!isShown(block)) return;
    const priority = priorities.get(index) ?? "normal";
    const tokens = setting.texts.tokens(block);
    if (block.summary === undefined) weights.push({ priority, tokens });
    else weights.push({ priority, tokens, summaryTokens: estimateCodeAware(block.summary) });
  });
  return { decisions: allocate(weights, budget), tokens: weights.map(({ tokens }) => tokens) };
}

// Adds the block's text to `parts` and returns what became of it. Nothing else is allocated: blocks can be many.
function renderBlock(
  parts: string[],
  block: ShownBlock,
  decision: Decision,
  tokens: number | undefined,
  position: number,
  { format, texts, options }: Setting,
): Decision {
  if (decision === "omit") return decision;
  const separator = parts.length > 1 ? SEPARATOR : "";
  if (decision === "placeholder") {
    parts.push(separator, placeholder(block, tokens, format, texts));
    return decision;
  }
  if (decision === "summary" && block.summary !== undefined) {
    if (block.type === "code" || options.summaries === "all") {
      parts.push(separator, format.summary(block, block.summary));
      return decision;
    }
    // Charged as a summary, printed in full: the reference's way, and its snapshots' (D-22).
  }
  const text = texts.text(block);
  if (text !== undefined) {
    const [before, after] = format.full(block);
    parts.push(separator, before, text, after);
    return "full";
  }
  if (block.type === "image" && options.binaryImages === "placeholder") {
    parts.push(separator, placeholder(block, tokens, format, texts));
    return "placeholder";
  }
  throw new RenderError("InvalidContent", `invalid UTF-8 in block content at index ${position}`, position);
}

function placeholder(block: ShownBlock, tokens: number | undefined, format: Format, texts: BlockTexts): string {
  const { label, description } = describe(block);
  return format.placeholder(label, description, tokens ?? texts.tokens(block));
}

class OutputSize {
  private made = 0;
  private said = 0;

  /** `parts` from `start` on are what the block became; of separator, before, text, after the third is content. */
  count(block: ShownBlock, parts: readonly string[], start: number): void {
    for (let i = start; i < parts.length; i++) this.made += parts[i]?.length ?? 0;
    this.said += parts[start + 2]?.length ?? 0;
    for (const key in block) {
      const value: unknown = Reflect.get(block, key);
      if (typeof value === "string") this.said += value.length;
    }
    if (this.made <= Math.min(MAX_CHARS, FREE_GROWTH + GROWTH_FACTOR * this.said)) return;
    throw new RenderError("OutputTooLarge", `the text would have more than ${this.made} characters`);
  }
}

function nothing(): RenderError {
  return new RenderError("EmptyInput", "no blocks to render");
}
