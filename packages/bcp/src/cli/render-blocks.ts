// Renders what was loaded, block by block: content goes from the payload to the output without becoming a string.

import type { Block } from "../blocks/all.ts";
import { BlockTexts } from "../render/block-text.ts";
import { BudgetPlan } from "../render/budget-plan.ts";
import type { Part } from "../render/joined.ts";
import { budgetOf } from "../render/options.ts";
import type { RenderOptions } from "../render/options.ts";
import type { RenderedBlock } from "../render/render.ts";
import { Rendering } from "../render/rendering.ts";
import type { Outcome } from "../render/rendering.ts";
import type { Loaded } from "./load.ts";

type Blocks = Pick<Loaded, "blocks">;

/** Passes the parts of the text on as they come, and tells what became of each block. */
export async function renderBlocks(
  loaded: Blocks,
  options: RenderOptions,
  write: (part: Part) => void | Promise<void>,
): Promise<readonly RenderedBlock[]> {
  const rendering = new Rendering(options, await planFor(loaded, options));
  const shown: RenderedBlock[] = [];
  let index = 0;
  const parts: Part[] = [];
  for await (const block of loaded.blocks()) {
    const outcome = rendering.add(parts, block);
    if (outcome) shown.push(rendered(index, block, outcome));
    index++;
    for (const part of parts) await write(part);
    parts.length = 0;
  }
  rendering.end(parts);
  for (const part of parts) await write(part);
  return shown;
}

async function planFor(loaded: Blocks, options: RenderOptions): Promise<readonly Outcome[] | undefined> {
  const budget = budgetOf(options);
  if (budget === undefined) return undefined;
  const plan = new BudgetPlan(options, new BlockTexts());
  for await (const block of loaded.blocks()) plan.weigh(block);
  return plan.decide(budget);
}

function rendered(index: number, { type }: Block, { decision, tokens }: Outcome): RenderedBlock {
  return { index, type, decision, ...(tokens === undefined ? {} : { tokens }) };
}
