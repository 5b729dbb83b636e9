// Directory listings as FILE_TREE blocks, where the listing says all that such a block claims: which entries are files,
// which are folders, and their size in bytes or none. What is left open makes it no tree: undefined.
import type { FileEntry, NewBlock } from "@bosun/bcp";

import { parseJson } from "./json-parse.ts";
import type { JsonNode } from "./json-syntax.ts";

type Tree = Extract<NewBlock, { type: "file_tree" }>;

/** The JSON of `directory_tree`: names, types and children, and nothing that a tree has no place for. */
export function treeOfJson(content: string): Tree | undefined {
  const node = parseJson(content)?.node;
  if (node?.kind !== "array" || node.items.length === 0) return undefined;
  return treeWith(node.items.map(entryOf));
}

function entryOf(node: JsonNode): FileEntry | undefined {
  if (node.kind !== "object") return undefined;
  const value = (key: string) => node.values[node.keys.indexOf(`"${key}"`)];
  const [name, type, children] = [value("name"), value("type"), value("children")];
  if (name?.kind !== "scalar" || !name.raw.startsWith('"') || type?.kind !== "scalar") return undefined;
  const own = JSON.parse(name.raw) as string;
  if (type.raw === '"file"') return node.keys.length === 2 ? { name: own, kind: "file" } : undefined;
  if (type.raw !== '"directory"' || children?.kind !== "array" || node.keys.length !== 3) return undefined;
  const inside = children.items.map(entryOf);
  return inside.every((entry) => entry !== undefined) ? { name: own, kind: "directory", children: inside } : undefined;
}

/** `end`: where the listing ends. What stands below an empty line sums it up, or is something else. */
export function treeOfListing(content: string): { tree: Tree; end: number } | undefined {
  const start = content.search(/\S/);
  const gap = content.slice(start).search(/\n[ \t\r]*\n/);
  const end = gap < 0 ? content.length : start + gap + 1;
  const rows = content
    .slice(content.lastIndexOf("\n", start) + 1, end)
    .replace(/\n$/, "")
    .split("\n");
  const tree = rows[0]?.startsWith("[") ? treeWith(labelledEntries(rows)) : drawnTree(rows);
  return tree && { tree, end };
}

const LABELLED = /^\[(FILE|DIR)\] (.+)$/;
const SIZED = /^(.*\S) +(\d+(?:\.\d+)? [KMGT]?B)$/;

// `[FILE] name`, and with sizes `[FILE] name      12 B`. Only bytes are exact; in all other units sizes are rounded.
function labelledEntries(rows: readonly string[]): (FileEntry | undefined)[] {
  const matches = rows.map((row) => LABELLED.exec(row));
  const isSized = matches.some((match) => match?.[1] === "FILE" && paddedSize(match[2] ?? "") !== undefined);
  return matches.map((match): FileEntry | undefined => {
    const [, label, said = ""] = match ?? [];
    if (label === "DIR") return { name: isSized ? said.trimEnd() : said, kind: "directory", children: [] };
    if (label !== "FILE" || !isSized) return label === "FILE" ? { name: said, kind: "file" } : undefined;
    const { name, size } = paddedSize(said) ?? {};
    const bytes = /^(\d{1,15}) B$/.exec(size ?? "")?.[1];
    return name === undefined || bytes === undefined ? undefined : { name, kind: "file", size: Number(bytes) };
  });
}

// As list_directory_with_sizes pads it, so that a name that ends like a size stays a name.
function paddedSize(said: string): { name: string; size: string } | undefined {
  const [, name = "", size = ""] = SIZED.exec(said) ?? [];
  return said === `${name.padEnd(30)} ${size.padStart(10)}` ? { name, size } : undefined;
}

type Open = { name: string; depth: number; isMarked: boolean; children: Open[] };

// Drawn by lines or by blanks: depth is where the name starts.
function drawnTree(rows: readonly string[]): Tree | undefined {
  const top: Open = { name: "", depth: -1, isMarked: true, children: [] };
  const stack: Open[] = [top];
  for (const row of rows) {
    const [, indent = "", label = ""] = /^([\s│├└─┬|`\u00a0-]*)(.*)$/u.exec(row) ?? [];
    const name = label.trimEnd();
    if (!isOnlyName(name)) return undefined;
    const isMarked = name.endsWith("/");
    const entry: Open = { name: name.replace(/\/$/, ""), depth: indent.length, isMarked, children: [] };
    while ((stack.at(-1)?.depth ?? -1) >= entry.depth) stack.pop();
    (stack.at(-1) ?? top).children.push(entry);
    stack.push(entry);
  }
  return treeWith(top.children.map(drawnEntry));
}

// Remarks, targets of links, sizes, rights, headings and pictures beside a name are not part of it.
function isOnlyName(label: string): boolean {
  return label !== "" && !/ {2}|\t| # | -> |^\[|:$|\p{Extended_Pictographic}/u.test(label);
}

/** Without children and a slash it may be an empty folder, or one that was not looked into, or no file at all. */
const FILE_NAME =
  /[^.]\.[a-z]\w{0,9}$|^\.\w+(?:ignore|rc|config|attributes|keep)$|^(?:makefile|dockerfile|licen[cs]e|readme|notice)$/i;

function drawnEntry({ name, isMarked, children }: Open): FileEntry | undefined {
  if (!isMarked && children.length === 0) return FILE_NAME.test(name) ? { name, kind: "file" } : undefined;
  const inside = children.map(drawnEntry);
  return inside.every((entry) => entry !== undefined) ? { name, kind: "directory", children: inside } : undefined;
}

function treeWith(entries: readonly (FileEntry | undefined)[]): Tree | undefined {
  return entries.length > 0 && entries.every((entry) => entry !== undefined)
    ? { type: "file_tree", rootPath: "", entries: [...entries] }
    : undefined;
}
