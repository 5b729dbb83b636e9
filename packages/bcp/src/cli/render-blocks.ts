// Renders what was loaded, block by block: content goes from the payload to the output without becoming a string.

import { BudgetPlan } from "../render/budget-plan.ts";
import { budgetOf } from "../render/render-options.ts";
import type { RenderOptions } from "../render/render-options.ts";
import type { RenderedBlock } from "../render/render.ts";
import { Rendering } from "../render/block-renderer.ts";
import type { Plan } from "../render/block-renderer.ts";
import type { Part } from "../render/text-buffer.ts";
import { WaitingParts } from "../render/part-queue.ts";
import { moreInTurns } from "../cooperative-work.ts";
import type { Loaded } from "./load-payload.ts";

type Blocks = Pick<Loaded, "blocks" | "rest">;

/** What becomes of the blocks, where a budget decides it. */
export async function planFor(loaded: Blocks, options: RenderOptions): Promise<Plan | undefined> {
  const budget = budgetOf(options);
  if (budget === undefined) return undefined;
  const plan = new BudgetPlan(options);
  for await (const block of loaded.blocks()) {
    const more = plan.weigh(block);
    if (more) await moreInTurns(more, loaded.rest);
  }
  return plan.decide(budget);
}

export type RenderTo = {
  /** Gets the parts of the text as they come. */
  write?(part: Part): void | Promise<void>;
  /** Gets what became of each block that is shown. */
  report?(block: RenderedBlock): void | Promise<void>;
};

export async function renderBlocks(
  loaded: Blocks,
  options: RenderOptions,
  plan: Plan | undefined,
  to: RenderTo,
): Promise<void> {
  const rendering = new Rendering(options, plan);
  let index = 0;
  const waiting = new WaitingParts();
  const keep = to.write ? (part: Part): void => waiting.add(part) : (): void => {};
  const flush = async (): Promise<void> => {
    for (const part of waiting.take()) await to.write?.(part);
    await loaded.rest();
  };
  for await (const block of loaded.blocks()) {
    const outcome = rendering.begin(block, keep);
    if (rendering.more()) await moreInTurns(rendering.more, to.write ? flush : loaded.rest);
    for (const part of waiting.take()) await to.write?.(part);
    if (outcome) {
      const { decision, tokens } = outcome;
      await to.report?.({ index, type: block.type, decision, ...(tokens === undefined ? {} : { tokens }) });
    }
    index++;
  }
  const end = rendering.end();
  await to.write?.(end);
}
