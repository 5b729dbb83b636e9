// What becomes of each block under a budget. Every block is shown to it, in order, before the first is rendered.

import type { Block } from "../blocks/all.ts";
import type { Priority } from "../blocks/annotation.ts";
import { allocate, readPriority } from "../budget.ts";
import type { Decision } from "../budget.ts";
import { estimateCodeAware } from "../estimate.ts";
import type { BlockTexts } from "./block-text.ts";
import { isShown } from "./mode.ts";
import type { RenderOptions } from "./options.ts";
import type { Outcome } from "./rendering.ts";

// One object per block all the way: there may be fifty thousand.
type Weighed = { index: number; priority: Priority; tokens: number; summaryTokens?: number; decision: Decision };

export class BudgetPlan {
  private readonly options: RenderOptions;
  private readonly texts: BlockTexts;
  private readonly weighed: Weighed[] = [];
  private readonly priorities = new Map<number, Priority>();
  private index = 0;

  constructor(options: RenderOptions, texts: BlockTexts) {
    this.options = options;
    this.texts = texts;
  }

  weigh(block: Block): void {
    const index = this.index++;
    readPriority(block, this.priorities);
    if (!isShown(block, this.options.include)) return;
    const tokens = this.texts.tokens(block);
    const weighed: Weighed = { index, priority: "normal", tokens, decision: "full" };
    if (block.summary !== undefined) weighed.summaryTokens = estimateCodeAware(block.summary);
    this.weighed.push(weighed);
  }

  /** One outcome per block that is shown, in their order. Priorities may be set by blocks that come later. */
  decide(budget: number): readonly Outcome[] {
    for (const weighed of this.weighed) weighed.priority = this.priorities.get(weighed.index) ?? "normal";
    allocate(this.weighed, budget).forEach((decision, position) => {
      const weighed = this.weighed[position];
      if (weighed) weighed.decision = decision;
    });
    return this.weighed;
  }
}
