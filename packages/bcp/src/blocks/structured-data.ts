// STRUCTURED_DATA (FORMAT.md, "Block types"): a value in some notation.

import { bytes, oneOf, optional, text } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export const DATA_FORMATS = ["json", "yaml", "toml", "csv"] as const;

export const structuredData = block(6, "structured_data", {
  format: oneOf(1, "DataFormat", DATA_FORMATS),
  schema: optional(text(2)),
  content: bytes(3),
});

export type DataFormat = (typeof DATA_FORMATS)[number];
export type StructuredDataBlock = BlockOf<typeof structuredData>;
