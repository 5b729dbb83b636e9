// What a budget has to know of each block, in nine bytes: there may be millions of blocks, and most of them say little.

import type { Priority } from "../blocks/annotation.ts";
import { PRIORITIES } from "../blocks/annotation.ts";
import { decide, leftAfter } from "../token-budget.ts";
import type { Decision } from "../token-budget.ts";

const DECISIONS: readonly Decision[] = ["full", "summary", "placeholder", "omit"];
const NOT_SHOWN = 255;
const NO_SUMMARY = 0xffff_ffff;
const NORMAL = PRIORITIES.indexOf("normal");

export class Weights {
  private readonly tokens = new Column(Uint32Array);
  private readonly summaries = new Column(Uint32Array);
  /** Of the blocks that are shown: the priority, and once it has been decided the decision. */
  private readonly states = new Column(Uint8Array);
  // Annotations name blocks by number, and may do so before they come, or for none.
  private readonly targets = new Column(Uint32Array);
  private readonly ranks = new Column(Uint8Array);

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
      const target = this.targets.at(i);
      const isShown = target < this.states.length && this.states.at(target) !== NOT_SHOWN;
      if (isShown) this.states.set(target, this.ranks.at(i));
    }
    let left = budget;
    PRIORITIES.forEach((priority, rank) => {
      for (let i = 0; i < this.states.length; i++) {
        if (this.states.at(i) !== rank) continue;
        const tokens = this.tokens.at(i);
        const known = this.summaries.at(i);
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
    const decision = DECISIONS[this.states.at(index) - PRIORITIES.length];
    return decision && { decision, tokens: this.tokens.at(index) };
  }

  private put(tokens: number, summaryTokens: number | undefined, state: number): void {
    this.tokens.push(tokens);
    this.summaries.push(summaryTokens ?? NO_SUMMARY);
    this.states.push(state);
  }
}

const SLAB = 4096;

/** Numbers of one width, in slabs: growing copies nothing. */
class Column {
  length = 0;
  private readonly slabs: (Uint32Array | Uint8Array)[] = [];
  private readonly make: typeof Uint32Array | typeof Uint8Array;

  constructor(make: typeof Uint32Array | typeof Uint8Array) {
    this.make = make;
  }

  push(value: number): void {
    if (this.length % SLAB === 0) this.slabs.push(new this.make(SLAB));
    this.set(this.length++, value);
  }

  set(index: number, value: number): void {
    const slab = this.slabs[Math.floor(index / SLAB)];
    if (slab) slab[index % SLAB] = value;
  }

  at(index: number): number {
    return this.slabs[Math.floor(index / SLAB)]?.[index % SLAB] ?? 0;
  }
}
