// The minimal mode: one line of heading per block.

import type { Format, ShownBlock } from "./mode.ts";
import { langText, typeHex } from "./mode.ts";

export const minimal: Format = {
  open: "",
  close: "",

  full(block) {
    if (block.type === "conversation") return [`[${block.role}] `, ""];
    if (block.type === "embedding_ref") return [`[embed-ref: ${block.model}]`, ""];
    return [`--- ${heading(block)} ---\n`, ""];
  },

  summary: (block, summary) => `--- ${heading(block)} (summary) ---\n${summary}`,

  placeholder: (label, description, tokens) => `[omitted: ${label} ${description} ~${tokens}tok]`,
};

function heading(block: ShownBlock): string {
  switch (block.type) {
    case "code":
      return `${block.path} [${langText(block)}]`;
    case "conversation":
      return `turn [${block.role}]`;
    case "file_tree":
      return `tree: ${block.rootPath}`;
    case "tool_result":
      return `${block.toolName} [${block.status}]`;
    case "document":
      return block.title;
    case "structured_data":
      return `data [${block.format}]`;
    case "diff":
      return `diff: ${block.path}`;
    case "embedding_ref":
      return `embed-ref: ${block.model}`;
    case "image":
      return `image [${block.mediaType}]: ${block.altText}`;
    case "extension":
      return `ext: ${block.namespace}/${block.typeName}`;
    case "unknown":
      return `unknown 0x${typeHex(block)}`;
  }
}
