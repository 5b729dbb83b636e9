// What becomes of each block under a budget. Every block is shown to it, in order, before the first is rendered.

import { priorityOf } from "../block-types.ts";
import type { Block } from "../block-types.ts";
import type { More } from "../cooperative-work.ts";
import { BlockWeights } from "../token-budget.ts";
import { CodeEstimate, estimateCodeAware } from "../token-estimate.ts";
import type { Outcome, Plan } from "./block-renderer.ts";
import { BlockTexts, hasManyParts } from "./block-text.ts";
import type { ManyParts } from "./block-text.ts";
import { isShown } from "./render-mode.ts";
import type { RenderOptions } from "./render-options.ts";

export class BudgetPlan implements Plan {
  private readonly options: RenderOptions;
  private readonly texts = new BlockTexts();
  private readonly weights = new BlockWeights();

  constructor(options: RenderOptions) {
    this.options = options;
  }

  /** What takes long is left to be done with what is returned. */
  weigh(block: Block): More | undefined {
    const priority = block.type === "annotation" ? priorityOf(block) : undefined;
    if (block.type === "annotation" && priority) this.weights.prioritise(block.targetBlockId, priority);
    if (!isShown(block, this.options.include)) this.weights.skip();
    else if (hasManyParts(block)) return this.weighParts(block);
    else this.weights.add(this.texts.tokens(block), summaryTokens(block));
    return undefined;
  }

  private weighParts(block: ManyParts): More {
    const estimate = new CodeEstimate();
    const more = this.texts.weighParts(block, estimate);
    return () => {
      if (more()) return true;
      this.weights.add(estimate.tokens, summaryTokens(block));
      return false;
    };
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
