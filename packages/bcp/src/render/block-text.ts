// The text of a block, and what it weighs: what renderers put in and what the budget counts.

import { isUtf8 } from "node:buffer";
import { CodeEstimate, estimateBytes, estimateCodeAware, estimateOpaque } from "../estimate.ts";
import type { ShownBlock } from "./mode.ts";
import { ReplacedText } from "./replaced-text.ts";
import type { Write } from "./text-buffer.ts";
import { TreeText } from "./tree-text.ts";

/** Texts of the blocks of one rendering, or of the weighing before it: what is limited is limited for all blocks together. */
export class BlockTexts {
  private readonly trees = new TreeText();
  private readonly replaced = new ReplacedText();

  /** Writes the text to render: content as it lies in the payload, so that it is not copied before the end. */
  write(block: ShownBlock, write: Write): void {
    switch (block.type) {
      case "file_tree":
        return this.trees.write(block.entries, write);
      case "diff":
        for (const { lines } of block.hunks) write(this.replaced.of(lines));
        return;
      case "embedding_ref":
        return;
      case "unknown":
        write(this.replaced.of(block.body));
        return;
      case "image":
        write(block.data);
        return;
      default:
        write(block.content);
    }
  }

  /** What the block would cost in full: its content only, no headings (D-23). */
  tokens(block: ShownBlock): number {
    switch (block.type) {
      case "file_tree":
      case "diff":
        return this.tokensOfParts(block);
      case "embedding_ref":
        return estimateCodeAware(`embedding: ${block.model}`);
      case "unknown":
        return estimateOpaque(block.body.length);
      case "image":
        return contentTokens(block.data);
      default:
        return contentTokens(block.content);
    }
  }

  // Hunks are one text, too: a line may begin in one and end in the next.
  private tokensOfParts(block: ShownBlock): number {
    const estimate = new CodeEstimate();
    this.write(block, (part) => (typeof part === "string" ? estimate.addText(part) : estimate.add(part)));
    return estimate.tokens;
  }
}

/** False where content has to be UTF-8 and is not. */
export function isText(block: ShownBlock): boolean {
  switch (block.type) {
    case "file_tree":
    case "diff":
    case "embedding_ref":
    case "unknown":
      return true;
    case "image":
      return isUtf8(block.data);
    default:
      return isUtf8(block.content);
  }
}

function contentTokens(content: Uint8Array): number {
  return isUtf8(content) ? estimateBytes(content) : estimateOpaque(content.length);
}
