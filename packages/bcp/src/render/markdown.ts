// The markdown mode. Fences are not lengthened and nothing is escaped (D-25).

import { langText, typeHex } from "./render-mode.ts";
import type { Format, ShownBlock, Words } from "./render-mode.ts";
import { omitted, summaryUnder } from "./summary-and-placeholder.ts";

export const markdown: Format = {
  open: "",
  close: "",

  before(words, block) {
    switch (block.type) {
      case "code":
        title(words, block);
        return words(`\n\n\`\`\`${langText(block)}\n`);
      case "conversation":
        return words(`**${capitalised(block.role)}**: `);
      case "structured_data":
        return words(`\`\`\`${block.format}\n`);
      case "embedding_ref":
        words("*[Embedding ref: model=");
        words(block.model);
        return words("]*");
      case "unknown":
        return words(`<!-- unknown block type 0x${typeHex(block)} -->\n`);
      default:
        title(words, block);
        return words(FENCES[block.type] ?? "\n\n");
    }
  },

  after(words, block) {
    if (block.type === "code" || block.type === "structured_data") words("\n```");
    else if (block.type in FENCES) words("```");
  },

  summary: summaryUnder(title, " (summary)\n\n"),
  placeholder: omitted("_[Omitted: ", (tokens) => `, ~${tokens} tokens]_`),
};

const FENCES: Partial<Record<ShownBlock["type"], string>> = {
  file_tree: "\n\n```\n",
  diff: "\n\n```diff\n",
};

function title(words: Words, block: ShownBlock): void {
  words(block.type === "code" ? "## " : "### ");
  if (block.type === "code") words(block.path);
  else heading(words, block);
}

function heading(words: Words, block: Exclude<ShownBlock, { type: "code" }>): void {
  switch (block.type) {
    case "conversation":
      return words(capitalised(block.role));
    case "file_tree":
      words("File Tree: ");
      return words(block.rootPath);
    case "tool_result":
      words("Tool: ");
      words(block.toolName);
      return words(` (${block.status})`);
    case "document":
      words("Document: ");
      words(block.title);
      return words(` [${block.formatHint}]`);
    case "structured_data":
      return words(`Data: ${block.format}`);
    case "diff":
      words("Diff: ");
      return words(block.path);
    case "embedding_ref":
      words("Embedding ref: ");
      return words(block.model);
    case "image":
      words(`Image (${block.mediaType}): `);
      return words(block.altText);
    case "extension":
      words("Extension: ");
      words(block.namespace);
      words("/");
      return words(block.typeName);
    case "unknown":
      return words(`Unknown 0x${typeHex(block)}`);
  }
}

function capitalised(word: string): string {
  return word.slice(0, 1).toUpperCase() + word.slice(1);
}
