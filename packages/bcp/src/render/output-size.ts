// How large a text may become, for what it says.

import { RenderError } from "../failure.ts";
import type { Part } from "./joined.ts";
import type { ShownBlock } from "./mode.ts";

// Escaping can make attributes six times as long; nothing else grows. Real text never comes near this.
const FREE_GROWTH = 24 * 1024 * 1024;
const GROWTH_FACTOR = 2;
// No string is longer than this on every runtime.
const MAX_CHARS = 500_000_000;

export class OutputSize {
  private made = 0;
  private said = 0;

  /** `parts` from `start` on are what the block became: words of ours first and last, content between them. */
  count(block: ShownBlock, parts: readonly Part[], start: number): void {
    for (let i = start; i < parts.length; i++) {
      const size = parts[i]?.length ?? 0;
      this.made += size;
      if (i > start && i < parts.length - 1) this.said += size;
    }
    for (const key in block) {
      const value: unknown = Reflect.get(block, key);
      if (typeof value === "string") this.said += value.length;
    }
    if (this.made <= Math.min(MAX_CHARS, FREE_GROWTH + GROWTH_FACTOR * this.said)) return;
    throw new RenderError("OutputTooLarge", `the text would have more than ${this.made} characters`);
  }
}
