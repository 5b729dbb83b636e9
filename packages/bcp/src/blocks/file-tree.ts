// FILE_TREE (FORMAT.md, "Block types"): a directory listing of any depth.

import { oneOf, optional, records, table, text, u64 } from "../field-table.ts";
import type { Table } from "../field-table.ts";
import type { RecordList } from "../record-list.ts";
import { block } from "./block.ts";
import type { BlockOf } from "./block.ts";

export type FileEntry = {
  readonly name: string;
  readonly kind: "file" | "directory";
  /** Bytes; a bigint from 2^53 on. Absent where nobody knows it: then none is written, read or shown. */
  readonly size?: number | bigint;
  /** An array, or what lies in the payload and is read when it is asked for. */
  readonly children?: RecordList<FileEntry>;
};

const fileEntry: Table = table({
  name: text(1),
  // The only enumeration that starts at 0, and the only one the reference compares in all its 64 bits.
  kind: oneOf(2, "FileEntryKind", ["file", "directory"], { first: 0, wide: true }),
  size: optional(u64(3)),
  children: optional(records<FileEntry>(4, () => fileEntry)),
});

export const fileTree = block(3, "file_tree", {
  rootPath: text(1),
  entries: records<FileEntry>(2, () => fileEntry),
});

export type FileTreeBlock = BlockOf<typeof fileTree>;
