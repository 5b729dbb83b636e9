// The xml mode. Prompt text, not XML: attribute values are escaped, content is not.

import { RenderError } from "../bcp-errors.ts";
import { langText, typeHex } from "./render-mode.ts";
import type { Format, ShownBlock, Words } from "./render-mode.ts";
import { describe } from "./summary-and-placeholder.ts";

// No path or title is this long, and escaping one that is could take many times its size.
const MAX_ATTRIBUTE_CHARS = 1024 * 1024;

export const xml: Format = {
  open: "<context>\n",
  close: "\n</context>",

  before(words, block) {
    if (block.type === "unknown") return words(`<!-- unknown block type 0x${typeHex(block)} -->\n`);
    tag(words, block);
    words(block.type === "conversation" ? ">" : block.type === "embedding_ref" ? " />" : ">\n");
  },

  after(words, block) {
    if (block.type !== "unknown" && block.type !== "embedding_ref") words(CLOSING[block.type]);
  },

  summary(words, block, summary) {
    if (block.type === "unknown") words(`<!-- unknown block type 0x${typeHex(block)}, summary -->\n`);
    else {
      tag(words, block);
      words(' summary="true">\n');
    }
    words(summary);
    if (block.type !== "unknown") words(`\n</${TAGS[block.type]}>`);
  },

  // The description is not escaped: the reference does not (D-25).
  placeholder(words, block, tokens) {
    words('<omitted type="');
    describe(words, block, '" desc="');
    words(`" tokens="${tokens}" />`);
  },
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

const CLOSING = {
  code: "\n</code>",
  conversation: "</turn>",
  // Each of their lines brings its own LF, or the closing tag is glued to the last one (D-35).
  file_tree: "</tree>",
  diff: "</diff>",
  tool_result: "\n</tool>",
  document: "\n</doc>",
  structured_data: "\n</data>",
  image: "\n</image>",
  extension: "\n</ext>",
} as const;

// The opening tag without its end.
function tag(words: Words, block: Exclude<ShownBlock, { type: "unknown" }>): void {
  switch (block.type) {
    case "code":
      words(`<code lang="${langText(block)}" path="`);
      words(escape(block.path));
      return words('"');
    case "conversation":
      return words(`<turn role="${block.role}"`);
    case "file_tree":
      words('<tree root="');
      words(escape(block.rootPath));
      return words('"');
    case "tool_result":
      words('<tool name="');
      words(escape(block.toolName));
      return words(`" status="${block.status}"`);
    case "document":
      words('<doc title="');
      words(escape(block.title));
      return words(`" format="${block.formatHint}"`);
    case "structured_data":
      return words(`<data format="${block.format}"`);
    case "diff":
      words('<diff path="');
      words(escape(block.path));
      return words('"');
    case "embedding_ref":
      words('<embed-ref model="');
      words(escape(block.model));
      return words('"');
    case "image":
      words(`<image type="${block.mediaType}" alt="`);
      words(escape(block.altText));
      return words('"');
    case "extension":
      words('<ext ns="');
      words(escape(block.namespace));
      words('" type="');
      words(escape(block.typeName));
      return words('"');
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
