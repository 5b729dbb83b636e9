// Which blocks stay whole within so many tokens (FORMAT.md, "Budget"). Approximate by design: headings are not counted.

import { PRIORITIES } from "./block-types.ts";
import type { Priority } from "./block-types.ts";
import { NumberList } from "./number-list.ts";

export type Decision = "full" | "summary" | "placeholder" | "omit";

const PLACEHOLDER_TOKENS = 10;
const DECISIONS: readonly Decision[] = ["full", "summary", "placeholder", "omit"];
const NOT_SHOWN = 255;
const NO_SUMMARY = 0xffff_ffff;
const NORMAL = PRIORITIES.indexOf("normal");

/** What a budget has to know of each block, in nine bytes: there may be millions, and most of them say little. */
export class BlockWeights {
  private readonly tokens = new NumberList(Uint32Array);
  private readonly summaries = new NumberList(Uint32Array);
  /** Of the blocks that are shown: the priority, and once it has been decided the decision. */
  private readonly states = new NumberList(Uint8Array);
  // Annotations name blocks by number, and may do so before they come, or for none.
  private readonly targets = new NumberList(Uint32Array);
  private readonly ranks = new NumberList(Uint8Array);

  skip(): void {
    this.put(0, undefined, NOT_SHOWN);
  }

  add(tokens: number, summaryTokens: number | undefined): void {
    this.put(tokens, summaryTokens, NORMAL);
  }

  prioritise(target: number, priority: Priority): void {
    this.targets.push(target);
    this.ranks.push(PRIORITIES.indexOf(priority));
  }

  /** Blocks are served by priority, those of equal priority in order. */
  decide(budget: number): void {
    for (let i = 0; i < this.targets.length; i++) {
      const target = this.targets.get(i);
      const isShown = target < this.states.length && this.states.get(target) !== NOT_SHOWN;
      if (isShown) this.states.set(target, this.ranks.get(i));
    }
    let left = budget;
    PRIORITIES.forEach((priority, rank) => {
      for (let i = 0; i < this.states.length; i++) {
        if (this.states.get(i) !== rank) continue;
        const tokens = this.tokens.get(i);
        const known = this.summaries.get(i);
        const summaryTokens = known === NO_SUMMARY ? undefined : known;
        const decision = decide(priority, tokens, summaryTokens, left);
        // Above the priorities, so that it is not served again.
        this.states.set(i, PRIORITIES.length + DECISIONS.indexOf(decision));
        left = leftAfter(decision, tokens, summaryTokens, left, priority);
      }
    });
  }

  /** Undefined for a block that is not shown. */
  outcome(index: number): { decision: Decision; tokens: number } | undefined {
    const decision = DECISIONS[this.states.get(index) - PRIORITIES.length];
    return decision && { decision, tokens: this.tokens.get(index) };
  }

  private put(tokens: number, summaryTokens: number | undefined, state: number): void {
    this.tokens.push(tokens);
    this.summaries.push(summaryTokens ?? NO_SUMMARY);
    this.states.push(state);
  }
}

/** What becomes of one block when so many tokens are left. */
function decide(priority: Priority, tokens: number, summaryTokens: number | undefined, left: number): Decision {
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
function leftAfter(
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
