// The xml mode. Prompt text, not XML: attribute values are escaped, content is not.

import { RenderError } from "../failure.ts";
import type { Format, ShownBlock } from "./mode.ts";
import { langText, typeHex } from "./mode.ts";

// No path or title is this long, and escaping one that is could take many times its size.
const MAX_ATTRIBUTE_CHARS = 1024 * 1024;

export const xml: Format = {
  open: "<context>\n",
  close: "\n</context>",

  full(block) {
    switch (block.type) {
      case "conversation":
        return [`<turn role="${block.role}">`, "</turn>"];
      case "embedding_ref":
        return [`<embed-ref ${attributes(block)} />`, ""];
      case "unknown":
        return [`<!-- unknown block type 0x${typeHex(block)} -->\n`, ""];
      case "file_tree":
      case "diff":
        // Each of their lines brings its own LF, or the closing tag is glued to the last one (D-35).
        return [`<${TAGS[block.type]} ${attributes(block)}>\n`, `</${TAGS[block.type]}>`];
      default:
        return [`<${TAGS[block.type]} ${attributes(block)}>\n`, `\n</${TAGS[block.type]}>`];
    }
  },

  summary(block, summary) {
    if (block.type === "unknown") return `<!-- unknown block type 0x${typeHex(block)}, summary -->\n${summary}`;
    return `<${TAGS[block.type]} ${attributes(block)} summary="true">\n${summary}\n</${TAGS[block.type]}>`;
  },

  // The description is not escaped: the reference does not (D-25).
  placeholder: (label, description, tokens) => `<omitted type="${label}" desc="${description}" tokens="${tokens}" />`,
};

const TAGS = {
  code: "code",
  conversation: "turn",
  file_tree: "tree",
  tool_result: "tool",
  document: "doc",
  structured_data: "data",
  diff: "diff",
  embedding_ref: "embed-ref",
  image: "image",
  extension: "ext",
} as const;

function attributes(block: Exclude<ShownBlock, { type: "unknown" }>): string {
  switch (block.type) {
    case "code":
      return `lang="${langText(block)}" path="${escape(block.path)}"`;
    case "conversation":
      return `role="${block.role}"`;
    case "file_tree":
      return `root="${escape(block.rootPath)}"`;
    case "tool_result":
      return `name="${escape(block.toolName)}" status="${block.status}"`;
    case "document":
      return `title="${escape(block.title)}" format="${block.formatHint}"`;
    case "structured_data":
      return `format="${block.format}"`;
    case "diff":
      return `path="${escape(block.path)}"`;
    case "embedding_ref":
      return `model="${escape(block.model)}"`;
    case "image":
      return `type="${block.mediaType}" alt="${escape(block.altText)}"`;
    case "extension":
      return `ns="${escape(block.namespace)}" type="${escape(block.typeName)}"`;
  }
}

const ESCAPED_CHARS: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

function escape(value: string): string {
  if (!/[&<>"]/.test(value)) return value;
  if (value.length > MAX_ATTRIBUTE_CHARS) {
    throw new RenderError("OutputTooLarge", `an attribute of ${value.length} characters cannot be escaped`);
  }
  return value.replaceAll(/[&<>"]/g, (char) => ESCAPED_CHARS[char] ?? char);
}
