// The markdown mode. Fences are not lengthened and nothing is escaped (D-25).

import type { Format, ShownBlock } from "./mode.ts";
import { langText, typeHex } from "./mode.ts";

export const markdown: Format = {
  open: "",
  close: "",

  full(block) {
    switch (block.type) {
      case "code":
        return [`## ${block.path}\n\n\`\`\`${langText(block)}\n`, "\n```"];
      case "conversation":
        return [`**${capitalised(block.role)}**: `, ""];
      case "file_tree":
        return [`### ${heading(block)}\n\n\`\`\`\n`, "```"];
      case "structured_data":
        return [`\`\`\`${block.format}\n`, "\n```"];
      case "diff":
        return [`### ${heading(block)}\n\n\`\`\`diff\n`, "```"];
      case "embedding_ref":
        return [`*[Embedding ref: model=${block.model}]*`, ""];
      case "unknown":
        return [`<!-- unknown block type 0x${typeHex(block)} -->\n`, ""];
      default:
        return [`### ${heading(block)}\n\n`, ""];
    }
  },

  summary: (block, summary) =>
    block.type === "code"
      ? `## ${block.path} (summary)\n\n${summary}`
      : `### ${heading(block)} (summary)\n\n${summary}`,

  placeholder: (label, description, tokens) => `_[Omitted: ${label} ${description}, ~${tokens} tokens]_`,
};

function heading(block: Exclude<ShownBlock, { type: "code" }>): string {
  switch (block.type) {
    case "conversation":
      return capitalised(block.role);
    case "file_tree":
      return `File Tree: ${block.rootPath}`;
    case "tool_result":
      return `Tool: ${block.toolName} (${block.status})`;
    case "document":
      return `Document: ${block.title} [${block.formatHint}]`;
    case "structured_data":
      return `Data: ${block.format}`;
    case "diff":
      return `Diff: ${block.path}`;
    case "embedding_ref":
      return `Embedding ref: ${block.model}`;
    case "image":
      return `Image (${block.mediaType}): ${block.altText}`;
    case "extension":
      return `Extension: ${block.namespace}/${block.typeName}`;
    case "unknown":
      return `Unknown 0x${typeHex(block)}`;
  }
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
