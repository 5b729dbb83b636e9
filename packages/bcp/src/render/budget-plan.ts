// What becomes of each block under a budget. Every block is shown to it, in order, before the first is rendered.

import type { Block } from "../blocks/all.ts";
import { priorityOf } from "../blocks/annotation.ts";
import { estimateCodeAware } from "../estimate.ts";
import type { Steps } from "../steps.ts";
import { BlockTexts, hasManyParts } from "./block-text.ts";
import type { ManyParts } from "./block-text.ts";
import { isShown } from "./mode.ts";
import type { RenderOptions } from "./options.ts";
import type { Outcome, Plan } from "./rendering.ts";
import { Weights } from "./weights.ts";

export class BudgetPlan implements Plan {
  private readonly options: RenderOptions;
  private readonly texts = new BlockTexts();
  private readonly weights = new Weights();

  constructor(options: RenderOptions) {
    this.options = options;
  }

  /** Where that takes long it is done in the steps that are returned. */
  weigh(block: Block): Steps<void> | undefined {
    const priority = block.type === "annotation" ? priorityOf(block) : undefined;
    if (block.type === "annotation" && priority) this.weights.prioritise(block.targetBlockId, priority);
    if (!isShown(block, this.options.include)) {
      this.weights.skip();
      return undefined;
    }
    if (hasManyParts(block)) return this.weighParts(block);
    this.weights.add(this.texts.tokens(block), summaryTokens(block));
    return undefined;
  }

  private *weighParts(block: ManyParts): Steps<void> {
    this.weights.add(yield* this.texts.tokensOfParts(block), summaryTokens(block));
  }

  /** Call it behind the last: priorities may be set by blocks that come later. */
  decide(budget: number): this {
    this.weights.decide(budget);
    return this;
  }

  outcome(index: number): Outcome | undefined {
    return this.weights.outcome(index);
  }
}

function summaryTokens({ summary }: Pick<Block, "summary">): number | undefined {
  return summary === undefined ? undefined : estimateCodeAware(summary);
}
