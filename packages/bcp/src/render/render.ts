// Blocks → text: filter, decide, render, join (FORMAT.md, "Rendering").

import type { Block, BlockType } from "../blocks/all.ts";
import type { Decision } from "../budget.ts";
import { BlockTexts } from "./block-text.ts";
import { BudgetPlan } from "./budget-plan.ts";
import { joined } from "./joined.ts";
import type { Part } from "./joined.ts";
import { budgetOf } from "./options.ts";
import type { RenderOptions } from "./options.ts";
import { Rendering } from "./rendering.ts";
import type { Outcome } from "./rendering.ts";

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
  return joined(renderPieces(blocks, options, () => {}));
}

/** The text, and what became of each block. */
export function renderDetailed(blocks: readonly Block[], options: RenderOptions = {}): Rendered {
  const shown: RenderedBlock[] = [];
  const parts = renderPieces(blocks, options, (index, type, { decision, tokens }) => {
    shown.push({ index, type, decision, ...(tokens === undefined ? {} : { tokens }) });
  });
  return { text: joined(parts), blocks: shown };
}

type Report = (index: number, type: BlockType, outcome: Outcome) => void;

function renderPieces(blocks: readonly Block[], options: RenderOptions, report: Report): readonly Part[] {
  const budget = budgetOf(options);
  const texts = new BlockTexts();
  const plan = budget === undefined ? undefined : weighed(blocks, options, texts).decide(budget);
  const rendering = new Rendering(options, plan, texts);
  const parts: Part[] = [];
  blocks.forEach((block, index) => {
    const outcome = rendering.add(parts, block);
    if (outcome) report(index, block.type, outcome);
  });
  rendering.end(parts);
  return parts;
}

function weighed(blocks: readonly Block[], options: RenderOptions, texts: BlockTexts): BudgetPlan {
  const plan = new BudgetPlan(options, texts);
  for (const block of blocks) plan.weigh(block);
  return plan;
}
