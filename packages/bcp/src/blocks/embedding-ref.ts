// EMBEDDING_REF (FORMAT.md, "Block types"): a vector kept elsewhere.

import { bytes, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const embeddingRef = block(9, "embedding_ref", {
  vectorId: bytes(1),
  sourceHash: bytes(2),
  model: text(3),
});

export type EmbeddingRefBlock = BlockOf<typeof embeddingRef>;
