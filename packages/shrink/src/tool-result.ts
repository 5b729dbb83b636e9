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
  if (block.type === "text") return typeof block.text === "string" ? block.text : undefined;
  if (block.type === "resource") {
    const { resource } = block;
    const text = typeof resource === "object" && resource !== null && "text" in resource ? resource.text : undefined;
    return typeof text === "string" ? text : undefined;
  }
  return block.type === "resource_link" ? JSON.stringify(block) : undefined;
}

/** All text of a result as one: blocks are parted by a line break. */
export function wholeText(result: ToolResult): string {
  return (result.content ?? []).flatMap((block) => shownText(block) ?? []).join("\n");
}
