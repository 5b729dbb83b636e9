// DIFF (FORMAT.md, "Block types"): changes to one file.

import { bytes, records, table, text, u32 } from "../field-table.ts";
import type { RecordOf, Table } from "../field-table.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

const hunkFields = {
  oldStart: u32(1),
  newStart: u32(2),
  // Body lines with their prefix; an `@@` line is only shown if it stands in here (D-34).
  lines: bytes(3),
};
const diffHunk: Table = table(hunkFields);

export type DiffHunk = RecordOf<typeof hunkFields>;

export const diff = block(7, "diff", {
  path: text(1),
  hunks: records<DiffHunk>(2, () => diffHunk),
});

export type DiffBlock = BlockOf<typeof diff>;
