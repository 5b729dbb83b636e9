// The text of a block, and what it weighs: what renderers put in and what the budget counts.

import { Buffer, isUtf8 } from "node:buffer";
import { estimateBytes, estimateCodeAware, estimateOpaque } from "../estimate.ts";
import { toUtf8 } from "../utf8.ts";
import type { Part } from "./joined.ts";
import type { ShownBlock } from "./mode.ts";
import { typeHex } from "./mode.ts";
import { ReplacedText } from "./replaced-text.ts";
import { TreeText } from "./tree-text.ts";

/** Texts of the blocks of one rendering. Trees are spelled out once, for the budget and for the output. */
export class BlockTexts {
  private readonly trees = new TreeText();
  private readonly shown = new ReplacedText();
  private readonly weighed = new ReplacedText();
  private readonly spelled = new WeakMap<ShownBlock, string>();

  /**
   * Adds the text to render to `parts`: content as it lies in the payload, so that it is not copied before the end. False
   * where content has to be UTF-8 and is not.
   */
  addTo(parts: Part[], block: ShownBlock): boolean {
    switch (block.type) {
      case "file_tree":
        parts.push(this.tree(block));
        return true;
      case "diff":
        for (const { lines } of block.hunks) parts.push(this.shown.of(lines));
        return true;
      case "embedding_ref":
        return true;
      case "unknown":
        parts.push(this.shown.of(block.body));
        return true;
      case "image":
        return addUtf8(parts, block.data);
      default:
        return addUtf8(parts, block.content);
    }
  }

  /** What the block would cost in full: its content only, no headings (D-23). */
  tokens(block: ShownBlock): number {
    switch (block.type) {
      case "file_tree":
        return estimateCodeAware(this.tree(block));
      case "diff":
        return estimateBytes(this.hunks(block));
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

  // The hunks are one text: a line may begin in one and end in the next.
  private hunks(block: ShownBlock & { type: "diff" }): Uint8Array {
    const parts = block.hunks.map(({ lines }) => {
      const part = this.weighed.of(lines);
      return typeof part === "string" ? toUtf8(part) : part;
    });
    const [only] = parts;
    return only && parts.length === 1 ? only : Buffer.concat(parts);
  }

  private tree(block: ShownBlock & { type: "file_tree" }): string {
    const known = this.spelled.get(block);
    if (known !== undefined) return known;
    const text = this.trees.render(block.entries);
    this.spelled.set(block, text);
    return text;
  }
}

function addUtf8(parts: Part[], content: Uint8Array): boolean {
  if (!isUtf8(content)) return false;
  parts.push(content);
  return true;
}

/** How a placeholder names a block. */
export function describe(block: ShownBlock): { label: string; description: string } {
  switch (block.type) {
    case "code":
      return { label: "code", description: block.path };
    case "conversation":
      return { label: "conversation", description: `${block.role} turn` };
    case "file_tree":
      return { label: "file-tree", description: `tree: ${block.rootPath}` };
    case "tool_result":
      return { label: "tool-result", description: block.toolName };
    case "document":
      return { label: "document", description: block.title };
    case "structured_data":
      return { label: "data", description: `${block.format} data` };
    case "diff":
      return { label: "diff", description: block.path };
    case "embedding_ref":
      return { label: "block", description: `embedding: ${block.model}` };
    case "image":
      return { label: "image", description: block.altText };
    case "extension":
      return { label: "extension", description: `${block.namespace}/${block.typeName}` };
    case "unknown":
      return { label: "block", description: `unknown 0x${typeHex(block)}` };
  }
}

function contentTokens(content: Uint8Array): number {
  return isUtf8(content) ? estimateBytes(content) : estimateOpaque(content.length);
}
