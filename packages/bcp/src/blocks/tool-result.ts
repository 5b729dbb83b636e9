// TOOL_RESULT (FORMAT.md, "Block types"): what one tool call returned.

import { bytes, oneOf, optional, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const STATUSES = ["ok", "error", "timeout"] as const;

export const toolResult = block(4, "tool_result", {
  toolName: text(1),
  status: oneOf(2, "Status", STATUSES),
  content: bytes(3),
  schemaHint: optional(text(4)),
});

export type Status = (typeof STATUSES)[number];
export type ToolResultBlock = BlockOf<typeof toolResult>;
