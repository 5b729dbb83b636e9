// The minimal mode: one line of heading per block.

import { langText, typeHex } from "./render-mode.ts";
import type { Format, ShownBlock, Words } from "./render-mode.ts";
import { omitted, summaryUnder } from "./summary-and-placeholder.ts";

export const minimal: Format = {
  open: "",
  close: "",

  before(words, block) {
    if (block.type === "conversation") words(`[${block.role}] `);
    else if (block.type === "embedding_ref") {
      words("[embed-ref: ");
      words(block.model);
      words("]");
    } else {
      heading(words, block);
      words(" ---\n");
    }
  },

  after() {},

  summary: summaryUnder(heading, " (summary) ---\n"),
  placeholder: omitted("[omitted: ", (tokens) => ` ~${tokens}tok]`),
};

function heading(words: Words, block: ShownBlock): void {
  words("--- ");
  switch (block.type) {
    case "code":
      words(block.path);
      return words(` [${langText(block)}]`);
    case "conversation":
      return words(`turn [${block.role}]`);
    case "file_tree":
      words("tree: ");
      return words(block.rootPath);
    case "tool_result":
      words(block.toolName);
      return words(` [${block.status}]`);
    case "document":
      return words(block.title);
    case "structured_data":
      return words(`data [${block.format}]`);
    case "diff":
      words("diff: ");
      return words(block.path);
    case "embedding_ref":
      words("embed-ref: ");
      return words(block.model);
    case "image":
      words(`image [${block.mediaType}]: `);
      return words(block.altText);
    case "extension":
      words("ext: ");
      words(block.namespace);
      words("/");
      return words(block.typeName);
    case "unknown":
      return words(`unknown 0x${typeHex(block)}`);
  }
}
