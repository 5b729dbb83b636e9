// EXTENSION (FORMAT.md, "Block types"): what others define.

import { bytes, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const extension = block(254, "extension", {
  namespace: text(1),
  typeName: text(2),
  content: bytes(3),
});

export type ExtensionBlock = BlockOf<typeof extension>;
