// DOCUMENT (FORMAT.md, "Block types"): prose with a title.

import { bytes, oneOf, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const FORMAT_HINTS = ["markdown", "plain", "html"] as const;

export const document = block(5, "document", {
  title: text(1),
  content: bytes(2),
  formatHint: oneOf(3, "FormatHint", FORMAT_HINTS),
});

export type FormatHint = (typeof FORMAT_HINTS)[number];
export type DocumentBlock = BlockOf<typeof document>;
