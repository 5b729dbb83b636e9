// A tree of directory entries as text, drawn as the contract draws it.
import type { Tree, TreeEntry } from "./list-directory.ts";

/** First line: the directory's name and a slash. Then the entries, and a notice when some were left out. */
export function drawTree(name: string, tree: Tree): string {
  const lines = [`${name.replace(/\/+$/, "")}/`];
  drawInto(lines, tree, "");
  const omitted = countOmitted(tree);
  if (omitted > 0) lines.push("", `[Truncated: ${omitted} more entries not shown]`);
  return `${lines.join("\n")}\n`;
}

function drawInto(lines: string[], tree: Tree, indent: string): void {
  tree.entries.forEach((entry, i) => {
    const isLast = i === tree.entries.length - 1;
    lines.push(`${indent}${isLast ? "└── " : "├── "}${label(entry)}`);
    if (entry.inside === undefined || entry.inside === "unreadable") return;
    drawInto(lines, entry.inside, indent + (isLast ? "    " : "│   "));
  });
}

function label(entry: TreeEntry): string {
  if (entry.kind === "directory") return `${entry.name}/${entry.inside === "unreadable" ? " [unreadable]" : ""}`;
  return entry.target === undefined ? entry.name : `${entry.name} -> ${entry.target}`;
}

function countOmitted(tree: Tree): number {
  const below = tree.entries.map((entry) => (typeof entry.inside === "object" ? countOmitted(entry.inside) : 0));
  return below.reduce((sum, n) => sum + n, tree.omitted);
}
