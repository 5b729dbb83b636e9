// The text of a block, and what it weighs: what renderers put in and what the budget counts.

import { isUtf8 } from "node:buffer";
import { RenderError } from "../bcp-errors.ts";
import type { DiffBlock } from "../block-types.ts";
import type { More } from "../cooperative-work.ts";
import { GarbageCollection } from "../garbage-collection.ts";
import { cursorOf } from "../record-list.ts";
import { CodeEstimate, estimateBytes, estimateCodeAware, estimateOpaque } from "../token-estimate.ts";
import { decodeLossy } from "../utf8-text.ts";
import type { ShownBlock } from "./render-mode.ts";
import type { Part, Write } from "./text-buffer.ts";
import { TreeText } from "./tree-text.ts";

// What reading a hunk leaves behind.
const HUNK_COST = 256;
const STEP_HUNKS = 64;

export type ManyParts = Extract<ShownBlock, { type: "file_tree" | "diff" }>;

/** Whether the text of a block has as many parts as there are records in it, and so is written in steps. */
export function hasManyParts(block: ShownBlock): block is ManyParts {
  return block.type === "file_tree" || block.type === "diff";
}

/** Texts of the blocks of one rendering, or of the weighing before it: what is limited is limited for all blocks together. */
export class BlockTexts {
  private readonly trees = new TreeText();
  private readonly replaced = new ReplacedText();
  private readonly garbage = new GarbageCollection();

  /** Writes the text to render: content as it lies in the payload, so that it is not copied before the end. */
  write(block: Exclude<ShownBlock, ManyParts>, write: Write): void {
    switch (block.type) {
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

  writeParts(block: ManyParts, write: Write): More {
    return block.type === "file_tree" ? this.trees.lines(block.entries, write) : this.hunks(block, write);
  }

  private hunks(block: DiffBlock, write: Write): More {
    const cursor = cursorOf(block.hunks);
    return () => {
      for (let count = 0; count < STEP_HUNKS; count++) {
        const hunk = cursor.next();
        if (!hunk) return false;
        write(this.replaced.of(hunk.lines));
      }
      this.garbage.add(STEP_HUNKS * HUNK_COST);
      return true;
    };
  }

  /** What the block would cost in full: its content only, no headings (D-23). */
  tokens(block: Exclude<ShownBlock, ManyParts>): number {
    switch (block.type) {
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

  /** The same for records, added to `estimate`. Hunks are one text, too: a line may begin in one and end in the next. */
  weighParts(block: ManyParts, estimate: CodeEstimate): More {
    return this.writeParts(block, (part) => (typeof part === "string" ? estimate.addText(part) : estimate.add(part)));
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

const MAX_REPLACED_BYTES = 8 * 1024 * 1024;

export class ReplacedText {
  private bytes = 0;

  /** The bytes themselves where they are UTF-8. */
  of(bytes: Uint8Array): Part {
    if (isUtf8(bytes)) return bytes;
    this.bytes += bytes.length;
    if (this.bytes <= MAX_REPLACED_BYTES) return decodeLossy(bytes);
    throw new RenderError("OutputTooLarge", `more than ${MAX_REPLACED_BYTES} bytes are in blocks that are not UTF-8`);
  }
}
