// Which blocks stay whole within so many tokens (FORMAT.md, "Budget"). Approximate by design: headings are not counted.

import { PRIORITIES, priorityOf } from "./blocks/annotation.ts";
import type { Priority } from "./blocks/annotation.ts";
import type { Block } from "./blocks/all.ts";

const PLACEHOLDER_TOKENS = 10;

export type Decision = "full" | "summary" | "placeholder" | "omit";

/** What the budget has to know of a block. `summaryTokens` is absent where there is no summary. */
export type Weight = { readonly priority: Priority; readonly tokens: number; readonly summaryTokens?: number };

/** The priorities that annotations set, by the position of the block in the whole list. Others are normal. */
export function readPriorities(blocks: readonly Block[]): ReadonlyMap<number, Priority> {
  const priorities = new Map<number, Priority>();
  for (const block of blocks) readPriority(block, priorities);
  return priorities;
}

/** Notes the priority that this block sets for another, if it does. */
export function readPriority(block: Block, priorities: Map<number, Priority>): void {
  if (block.type !== "annotation") return;
  const priority = priorityOf(block);
  if (priority) priorities.set(block.targetBlockId, priority);
}

/** One decision per weight, in the same order. Blocks are served by priority, those of equal priority in order. */
export function allocate(weights: readonly Weight[], budget: number): Decision[] {
  const decisions = Array.from<Decision>({ length: weights.length }).fill("full");
  let left = budget;
  for (const priority of PRIORITIES) {
    weights.forEach((weight, i) => {
      if (weight.priority !== priority) return;
      const { decision, cost } = decide(weight, left);
      decisions[i] = decision;
      left = Math.max(0, left - cost);
    });
  }
  return decisions;
}

function decide(weight: Weight, left: number): { decision: Decision; cost: number } {
  const { priority, tokens, summaryTokens } = weight;
  const full = { decision: "full", cost: tokens } as const;
  const summarised = { decision: "summary", cost: summaryTokens ?? 0 } as const;
  const placeholder = { decision: "placeholder", cost: 0 } as const;
  const summaryFits = summaryTokens !== undefined && summaryTokens <= left;
  switch (priority) {
    case "critical":
      return full;
    case "high":
      // Does not fit at all: written in full all the same, and everybody after it has nothing left.
      return tokens <= left || !summaryFits ? full : summarised;
    case "normal":
      if (tokens <= left) return full;
      return summaryFits ? summarised : placeholder;
    case "low":
      return summaryFits ? summarised : placeholder;
    case "background":
      if (left < PLACEHOLDER_TOKENS) return { decision: "omit", cost: 0 };
      return { decision: "placeholder", cost: PLACEHOLDER_TOKENS };
  }
}
