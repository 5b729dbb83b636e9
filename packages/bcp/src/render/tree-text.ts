// A file tree as text: one line per entry, two spaces per level. A stack of our own instead of recursion.

import { RenderError } from "../bcp-errors.ts";
import type { FileEntry } from "../block-types.ts";
import type { More } from "../cooperative-work.ts";
import { GarbageCollection } from "../garbage-collection.ts";
import { cursorOf } from "../record-list.ts";
import type { RecordCursor, RecordList } from "../record-list.ts";
import { StoredRecords } from "../stored-records.ts";
import type { Write } from "./text-buffer.ts";

// Indentation is the one thing that can grow with the square of a file: what is left when it is taken off is what the
// tree says. Real trees indent about as much as they say.
const FREE_INDENT = 12 * 1024 * 1024;
const INDENT_PER_CHAR = 2;

// The shortest size. One that is not known counts as much: whether a tree can be shown must not hang on it.
const SIZE_CHARS = " (0 bytes)\n".length;

// What writing a line leaves behind. Of the first lines of a tree it is not worth the time to collect it.
const LINE_COST = 1024;
const FREE_LINES = 10_000;
const STEP_LINES = 256;
// A line of a longer one is not put together.
const SHORT_NAME = 256;

type Level = { readonly entries: RecordCursor<FileEntry>; readonly indent: string };

/** The trees of one rendering: the indentation of all of them counts against one limit. */
export class TreeText {
  private readonly garbage = new GarbageCollection();
  private said = 0;
  private indented = 0;

  /** All entries, line by line, each with its LF. */
  lines(entries: RecordList<FileEntry>, write: Write): More {
    const lines = new Lines(this, entries, write);
    return () => lines.some();
  }

  count(indent: number, chars: number): void {
    this.indented += indent;
    this.said += chars;
    if (this.indented <= FREE_INDENT + INDENT_PER_CHAR * this.said) return;
    throw new RenderError("OutputTooLarge", "file tree is nested so deeply that its text would be mostly indentation");
  }

  leave(lines: number): void {
    this.garbage.add(lines * LINE_COST);
  }
}

class Lines {
  private readonly text: TreeText;
  private readonly write: Write;
  private readonly outer: Level[] = [];
  private level: Level;
  private written = 0;

  constructor(text: TreeText, entries: RecordList<FileEntry>, write: Write) {
    this.text = text;
    this.write = write;
    this.level = { entries: cursorOf(entries), indent: "" };
  }

  some(): boolean {
    for (let lines = 0; lines < STEP_LINES; lines++) {
      const entry = this.level.entries.next();
      if (entry) this.line(entry);
      else if (!this.leave()) return false;
    }
    this.written += STEP_LINES;
    if (this.written >= FREE_LINES) this.text.leave(STEP_LINES);
    return true;
  }

  private line(entry: FileEntry): void {
    const { indent } = this.level;
    const isDirectory = entry.kind === "directory";
    // Zero would be a claim: where no size is known there is none.
    const end = isDirectory ? "/\n" : entry.size === undefined ? "\n" : ` (${entry.size} bytes)\n`;
    this.text.count(indent.length, entry.name.length + (isDirectory ? end.length : Math.max(end.length, SIZE_CHARS)));
    if (entry.name.length <= SHORT_NAME) this.write(indent + entry.name + end);
    else for (const piece of [indent, entry.name, end]) this.write(piece);
    // What hangs below a file survives a round trip, but is not shown.
    if (!isDirectory || !entry.children) return;
    this.outer.push(this.level);
    this.level = { entries: cursorOf(entry.children), indent: `${indent}  ` };
  }

  private leave(): boolean {
    const parent = this.outer.pop();
    if (!parent) return false;
    this.level = parent;
    return true;
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
