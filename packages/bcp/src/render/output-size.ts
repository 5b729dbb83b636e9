// How large a text may become, for what it says.

import { RenderError } from "../bcp-errors.ts";
import type { ShownBlock } from "./render-mode.ts";

// Escaping can make attributes six times as long; nothing else grows. Real text never comes near this.
const FREE_GROWTH = 24 * 1024 * 1024;
const GROWTH_FACTOR = 2;
// No string is longer than this on every runtime.
const MAX_CHARS = 500_000_000;

export class OutputSize {
  private written = 0;
  private said = 0;

  /** What the block says: its names and, where they are shown, so many bytes of content. */
  say(block: ShownBlock): void {
    for (const key in block) {
      const value: unknown = Reflect.get(block, key);
      if (typeof value === "string") this.said += value.length;
    }
  }

  /** A piece of what it became: words of ours, or content as it is. */
  made(size: number, what: "words" | "content"): void {
    this.written += size;
    if (what === "content") this.said += size;
    if (this.written <= Math.min(MAX_CHARS, FREE_GROWTH + GROWTH_FACTOR * this.said)) return;
    throw new RenderError("OutputTooLarge", `the text would have more than ${this.written} characters`);
  }
}
