// How a placeholder names a block.

import { typeHex } from "./render-mode.ts";
import type { Format, ShownBlock, Words } from "./render-mode.ts";

/** The kind of the block, `between`, and what it is about. */
export function describe(words: Words, block: ShownBlock, between: string): void {
  words(LABELS[block.type]);
  words(between);
  switch (block.type) {
    case "code":
    case "diff":
      return words(block.path);
    case "conversation":
      return words(`${block.role} turn`);
    case "file_tree":
      words("tree: ");
      return words(block.rootPath);
    case "tool_result":
      return words(block.toolName);
    case "document":
      return words(block.title);
    case "structured_data":
      return words(`${block.format} data`);
    case "embedding_ref":
      words("embedding: ");
      return words(block.model);
    case "image":
      return words(block.altText);
    case "extension":
      words(block.namespace);
      words("/");
      return words(block.typeName);
    case "unknown":
      return words(`unknown 0x${typeHex(block)}`);
  }
}

const LABELS: Readonly<Record<ShownBlock["type"], string>> = {
  code: "code",
  conversation: "conversation",
  file_tree: "file-tree",
  tool_result: "tool-result",
  document: "document",
  structured_data: "data",
  diff: "diff",
  embedding_ref: "block",
  image: "image",
  extension: "extension",
  unknown: "block",
};

export type Heading = (words: Words, block: ShownBlock) => void;

export function summaryUnder(heading: Heading, behind: string): Format["summary"] {
  return (words, block, summary) => {
    heading(words, block);
    words(behind);
    words(summary);
  };
}

export function omitted(before: string, behind: (tokens: number) => string): Format["placeholder"] {
  return (words, block, tokens) => {
    words(before);
    describe(words, block, " ");
    words(behind(tokens));
  };
}
