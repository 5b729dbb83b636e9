// Blocks as plain objects: lists that are read from a payload when asked for become arrays.

import type { Block, DiffHunk, FileEntry } from "../src/index.ts";

export function plain(blocks: readonly Block[]): unknown[] {
  return blocks.map((block) => {
    if (block.type === "file_tree") return { ...block, entries: entriesOf(block.entries) };
    if (block.type === "diff") return { ...block, hunks: [...(block.hunks as Iterable<DiffHunk>)] };
    return block;
  });
}

function entriesOf(entries: Iterable<FileEntry>): unknown[] {
  return [...entries].map((entry) => (entry.children ? { ...entry, children: entriesOf(entry.children) } : entry));
}
