// What a decode has left of its memory, for a rendering of the same blocks: both together are limited.

import type { Block } from "./block-types.ts";

const rests = new WeakMap<readonly Block[], number>();

export function noteRest(blocks: readonly Block[], bytes: number): void {
  rests.set(blocks, bytes);
}

/** Without end for blocks that were not decoded just so. */
export function restFor(blocks: readonly Block[]): number {
  return rests.get(blocks) ?? Number.POSITIVE_INFINITY;
}
