// The shape of what a tool call returns (MCP CallToolResult), as far as shrinking cares. Unknown fields pass through.

export type ContentBlock = { type: string; text?: unknown; resource?: unknown; [field: string]: unknown };

export type ToolResult = {
  content?: ContentBlock[];
  structuredContent?: unknown;
  isError?: boolean;
  _meta?: Record<string, unknown>;
  [field: string]: unknown;
};

/** The text of a block that a client puts before the model; undefined for pictures and sound. */
export function shownText(block: ContentBlock): string | undefined {
  if (typeof block !== "object" || block === null) return undefined; // a server may send anything
  if (block.type === "text") return typeof block.text === "string" ? block.text : undefined;
  if (block.type === "resource") {
    const { resource } = block;
    const text = typeof resource === "object" && resource !== null && "text" in resource ? resource.text : undefined;
    return typeof text === "string" ? text : undefined;
  }
  return block.type === "resource_link" ? JSON.stringify(block) : undefined;
}

/** The text of a text block; undefined for anything else. */
export function ownText(block: ContentBlock): string | undefined {
  return typeof block === "object" && block !== null && block.type === "text" ? shownText(block) : undefined;
}

/** All text of a result as one: blocks are parted by a line break. */
export function wholeText(result: ToolResult): string {
  return blocksOf(result)
    .flatMap((block) => shownText(block) ?? [])
    .join("\n");
}

/** The blocks of a result; none when `content` is not a list. */
export function blocksOf({ content }: ToolResult): ContentBlock[] {
  return Array.isArray(content) ? content : [];
}
