// The text of a block, and what it weighs: what renderers put in and what the budget counts.

import { isUtf8 } from "node:buffer";
import { estimateBytes, estimateCodeAware, estimateOpaque } from "../estimate.ts";
import { decodeLossy, decodeStrict } from "../utf8.ts";
import type { ShownBlock } from "./mode.ts";
import { typeHex } from "./mode.ts";
import { TreeText } from "./tree-text.ts";

/** Texts of the blocks of one rendering. Trees are spelled out once, for the budget and for the output. */
export class BlockTexts {
  private readonly trees = new TreeText();
  private readonly spelled = new Map<ShownBlock, string>();

  /** The text to render, or undefined where content has to be UTF-8 and is not. */
  text(block: ShownBlock): string | undefined {
    switch (block.type) {
      case "file_tree":
        return this.tree(block);
      case "diff":
        return hunkText(block);
      case "embedding_ref":
        return "";
      case "unknown":
        return decodeLossy(block.body);
      case "image":
        return decodeStrict(block.data);
      default:
        return decodeStrict(block.content);
    }
  }

  /** What the block would cost in full: its content only, no headings (D-23). */
  tokens(block: ShownBlock): number {
    switch (block.type) {
      case "file_tree":
        return estimateCodeAware(this.tree(block));
      case "diff":
        return estimateCodeAware(hunkText(block));
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

  private tree(block: ShownBlock & { type: "file_tree" }): string {
    const known = this.spelled.get(block);
    if (known !== undefined) return known;
    const text = this.trees.render(block.entries);
    this.spelled.set(block, text);
    return text;
  }
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

function hunkText(block: ShownBlock & { type: "diff" }): string {
  return block.hunks.map(({ lines }) => decodeLossy(lines)).join("");
}
