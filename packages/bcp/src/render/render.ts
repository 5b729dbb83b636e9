// Blocks → text: filter, decide, render, join (FORMAT.md, "BlockRenderer").

import type { Block, BlockType, DiffHunk } from "../block-types.ts";
import { repeatAtOnce } from "../cooperative-work.ts";
import { GarbageCollection } from "../garbage-collection.ts";
import { memoryLeftFor } from "../memory-limit.ts";
import type { RecordList } from "../record-list.ts";
import { StoredRecords } from "../stored-records.ts";
import type { Decision } from "../token-budget.ts";
import { BlockRenderer } from "./block-renderer.ts";
import type { Outcome } from "./block-renderer.ts";
import { BudgetPlan } from "./budget-plan.ts";
import { PartQueue } from "./part-queue.ts";
import { isShown } from "./render-mode.ts";
import { budgetOf } from "./render-options.ts";
import type { RenderOptions } from "./render-options.ts";
import { TextBuffer } from "./text-buffer.ts";
import type { Part } from "./text-buffer.ts";
import { treeBytes } from "./tree-text.ts";

// Words of ours, and the digits and brackets between names.
const HEADING_BYTES = 96;
// What a block leaves behind for a collector that may not come before the end.
const WHOLE_GARBAGE = 60;
const BUDGET_GARBAGE = 200;
// What words on their way leave behind besides themselves, and what a block does.
const WORDS_COST = 64;
const BLOCK_COST = 512;

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
  return joined(blocks, options, () => {});
}

/** The text, and what became of each block. */
export function renderDetailed(blocks: readonly Block[], options: RenderOptions = {}): Rendered {
  const shown: RenderedBlock[] = [];
  const text = joined(blocks, options, (index, type, { decision, tokens }) => {
    shown.push({ index, type, decision, ...(tokens === undefined ? {} : { tokens }) });
  });
  return { text, blocks: shown };
}

/** The same text part by part, strings and UTF-8, each of whole characters: it need not fit into memory. */
export function* renderParts(blocks: readonly Block[], options: RenderOptions = {}): Generator<string | Uint8Array> {
  const rendering = new BlockRenderer(options, planFor(blocks, options));
  const waiting = new PartQueue();
  const garbage = new GarbageCollection();
  const add = (part: Part): void => {
    waiting.add(part);
    if (typeof part === "string") garbage.add(WORDS_COST + 2 * part.length);
  };
  for (const block of blocks) {
    rendering.begin(block, add);
    while (rendering.more()) yield* waiting.take();
    yield* waiting.take();
  }
  yield rendering.end();
}

type Report = (index: number, type: BlockType, outcome: Outcome) => void;

function joined(blocks: readonly Block[], options: RenderOptions, report: Report): string {
  const rendering = new BlockRenderer(options, planFor(blocks, options));
  const garbage = blocks.length * (budgetOf(options) === undefined ? WHOLE_GARBAGE : BUDGET_GARBAGE);
  const text = new TextBuffer(expectedBytes(blocks, options), memoryLeftFor(blocks) - garbage);
  const write = (part: Part): void => text.write(part);
  const left = new GarbageCollection();
  blocks.forEach((block, index) => {
    left.add(BLOCK_COST);
    const outcome = rendering.add(block, write);
    if (outcome) report(index, block.type, outcome);
  });
  text.write(rendering.end());
  return text.text();
}

function planFor(blocks: readonly Block[], options: RenderOptions): BudgetPlan | undefined {
  const budget = budgetOf(options);
  if (budget === undefined) return undefined;
  const plan = new BudgetPlan(options);
  const left = new GarbageCollection();
  for (const block of blocks) {
    left.add(BLOCK_COST);
    const more = plan.weigh(block);
    if (more) repeatAtOnce(more);
  }
  return plan.decide(budget);
}

// More rather than less: a buffer that has to grow is there twice for a moment, and what is not used of it costs nothing.
function expectedBytes(blocks: readonly Block[], { include }: RenderOptions): number {
  let bytes = 0;
  for (const block of blocks) {
    if (!isShown(block, include)) continue;
    bytes += HEADING_BYTES;
    for (const key in block) {
      const value: unknown = Reflect.get(block, key);
      if (typeof value === "string") bytes += 3 * value.length;
      else if (value instanceof Uint8Array) bytes += value.length;
    }
    if (block.type === "diff") bytes += hunkBytes(block.hunks);
    if (block.type === "file_tree") bytes += treeBytes(block.entries);
  }
  return bytes;
}

function hunkBytes(hunks: RecordList<DiffHunk>): number {
  if (hunks instanceof StoredRecords) return hunks.storedBytes;
  let bytes = 0;
  for (const { lines } of hunks) bytes += lines.length;
  return bytes;
}
