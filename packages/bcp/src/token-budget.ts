// Which blocks stay whole within so many tokens (FORMAT.md, "Budget"). Approximate by design: headings are not counted.

import { PRIORITIES, priorityOf } from "./blocks/annotation.ts";
import type { Priority } from "./blocks/annotation.ts";
import type { Block } from "./block-types.ts";

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
    weights.forEach(({ priority: own, tokens, summaryTokens }, i) => {
      if (own !== priority) return;
      const decision = decide(priority, tokens, summaryTokens, left);
      decisions[i] = decision;
      left = leftAfter(decision, tokens, summaryTokens, left, priority);
    });
  }
  return decisions;
}

/** What becomes of one block when so many tokens are left. */
export function decide(priority: Priority, tokens: number, summaryTokens: number | undefined, left: number): Decision {
  const summaryFits = summaryTokens !== undefined && summaryTokens <= left;
  switch (priority) {
    case "critical":
      return "full";
    case "high":
      // Does not fit at all: written in full all the same, and everybody after it has nothing left.
      return tokens <= left || !summaryFits ? "full" : "summary";
    case "normal":
      if (tokens <= left) return "full";
      return summaryFits ? "summary" : "placeholder";
    case "low":
      return summaryFits ? "summary" : "placeholder";
    case "background":
      return left < PLACEHOLDER_TOKENS ? "omit" : "placeholder";
  }
}

/** What is left when it has been decided so. Only a background block pays for its placeholder. */
export function leftAfter(
  decision: Decision,
  tokens: number,
  summaryTokens: number | undefined,
  left: number,
  priority: Priority,
): number {
  switch (decision) {
    case "full":
      return Math.max(0, left - tokens);
    case "summary":
      return Math.max(0, left - (summaryTokens ?? 0));
    case "placeholder":
      return priority === "background" ? left - PLACEHOLDER_TOKENS : left;
    case "omit":
      return left;
  }
}
