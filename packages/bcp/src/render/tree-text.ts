// A file tree as text: one line per entry, two spaces per level. A stack of our own instead of recursion.

import type { FileEntry } from "../blocks/file-tree.ts";
import { RenderError } from "../failure.ts";

// Indentation is the one thing that can grow with the square of a file: what is left when it is taken off is what the
// tree says. Real trees indent about as much as they say.
const FREE_INDENT = 12 * 1024 * 1024;
const INDENT_PER_CHAR = 2;
const PART_CHARS = 16 * 1024;

type Level = { readonly entries: readonly FileEntry[]; readonly indent: string; next: number };

export class TreeText {
  private said = 0;
  private indented = 0;

  /** All entries, each line with its LF. The indentation of all trees rendered so far counts against one limit. */
  render(entries: readonly FileEntry[]): string {
    const parts: string[] = [];
    const outer: Level[] = [];
    let level: Level = { entries, indent: "", next: 0 };
    let lines = "";
    for (;;) {
      const entry = level.entries[level.next++];
      if (!entry) {
        const parent = outer.pop();
        if (!parent) return parts.join("") + lines;
        level = parent;
        continue;
      }
      const isDirectory = entry.kind === "directory";
      const text = isDirectory ? `${entry.name}/\n` : `${entry.name} (${entry.size ?? 0} bytes)\n`;
      this.count(level.indent.length, text.length);
      // A string that grows for long is a chain of as many links: cut it in parts.
      if (lines.length > PART_CHARS) {
        parts.push(lines);
        lines = "";
      }
      lines += level.indent + text;
      // What hangs below a file survives a round trip, but is not shown.
      if (!isDirectory || !entry.children) continue;
      outer.push(level);
      level = { entries: entry.children, indent: `${level.indent}  `, next: 0 };
    }
  }

  private count(indent: number, chars: number): void {
    this.indented += indent;
    this.said += chars;
    if (this.indented <= FREE_INDENT + INDENT_PER_CHAR * this.said) return;
    throw new RenderError("OutputTooLarge", "file tree is nested so deeply that its text would be mostly indentation");
  }
}
