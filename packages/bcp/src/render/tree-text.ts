// A file tree as text: one line per entry, two spaces per level. A stack of our own instead of recursion.

import type { FileEntry } from "../blocks/file-tree.ts";
import { RenderError } from "../failure.ts";
import { Garbage } from "../garbage.ts";
import { cursorOf } from "../record-list.ts";
import type { RecordCursor, RecordList } from "../record-list.ts";
import type { Steps } from "../steps.ts";
import { StoredRecords } from "../stored-records.ts";
import type { Write } from "./text-buffer.ts";

// Indentation is the one thing that can grow with the square of a file: what is left when it is taken off is what the
// tree says. Real trees indent about as much as they say.
const FREE_INDENT = 12 * 1024 * 1024;
const INDENT_PER_CHAR = 2;

// What writing a line leaves behind. Of the first lines of a tree it is not worth the time to collect it.
const LINE_COST = 1024;
const FREE_LINES = 10_000;
const STEP_LINES = 256;

type Level = { readonly entries: RecordCursor<FileEntry>; readonly indent: string };

export class TreeText {
  private readonly garbage = new Garbage();
  private said = 0;
  private indented = 0;

  /**
   * All entries, each line with its LF, in pieces: neither a line nor all of them are ever one string. The indentation of all
   * trees written so far counts against one limit.
   */
  *write(entries: RecordList<FileEntry>, write: Write): Steps<void> {
    const outer: Level[] = [];
    let level: Level = { entries: cursorOf(entries), indent: "" };
    for (let lines = 1; ; lines++) {
      const entry = level.entries.next();
      if (!entry) {
        const parent = outer.pop();
        if (!parent) return;
        level = parent;
        continue;
      }
      const isDirectory = entry.kind === "directory";
      const end = isDirectory ? "/\n" : ` (${entry.size ?? 0} bytes)\n`;
      this.count(level.indent.length, entry.name.length + end.length);
      if (level.indent !== "") write(level.indent);
      write(entry.name);
      write(end);
      if (lines >= FREE_LINES) this.garbage.more(LINE_COST);
      if (lines % STEP_LINES === 0) yield;
      // What hangs below a file survives a round trip, but is not shown.
      if (!isDirectory || !entry.children) continue;
      outer.push(level);
      level = { entries: cursorOf(entry.children), indent: `${level.indent}  ` };
    }
  }

  private count(indent: number, chars: number): void {
    this.indented += indent;
    this.said += chars;
    if (this.indented <= FREE_INDENT + INDENT_PER_CHAR * this.said) return;
    throw new RenderError("OutputTooLarge", "file tree is nested so deeply that its text would be mostly indentation");
  }
}

// A size and the words around it, and some indentation.
const LINE_BYTES = 48;
// The shortest entry has nine bytes, and its line about thirty.
const LINE_PER_STORED_BYTE = 4;

/** About how many bytes the text will have; more rather than less. */
export function treeBytes(entries: RecordList<FileEntry>): number {
  let bytes = 0;
  const lists = [entries];
  for (let list = lists.pop(); list; list = lists.pop()) {
    if (list instanceof StoredRecords) {
      bytes += LINE_PER_STORED_BYTE * list.storedBytes;
      continue;
    }
    for (const { name, kind, children } of list) {
      bytes += 3 * name.length + LINE_BYTES;
      if (kind === "directory" && children) lists.push(children);
    }
  }
  return bytes;
}
