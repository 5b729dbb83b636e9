// CONVERSATION (FORMAT.md, "Block types"): one turn.

import { bytes, oneOf, optional, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const ROLES = ["system", "user", "assistant", "tool"] as const;

export const conversation = block(2, "conversation", {
  role: oneOf(1, "Role", ROLES),
  content: bytes(2),
  toolCallId: optional(text(3)),
});

export type Role = (typeof ROLES)[number];
export type ConversationBlock = BlockOf<typeof conversation>;
