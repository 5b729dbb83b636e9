// What somebody who has read a result knows: its lines, its JSON values, the entries of a tree. Questions are asked of the
// reading of the original and answered from the reading of whatever was shown instead.
import type { Node } from "./nodes.ts";
import { member, parseNode, scalarText } from "./nodes.ts";

export type Reading = {
  /** Lines that are no JSON, in order. */
  lines: string[];
  /** JSON values, in order. */
  values: Node[];
  /** Path → whether it is a directory, in order; for trees only. */
  entries: Map<string, boolean> | undefined;
};

/** A text as it was sent, without any notation of ours. */
export function readPlain(text: string): Reading {
  const tree = treeEntries(text);
  if (tree !== undefined) return { lines: [], values: [], entries: tree };
  const whole = parseNode(text);
  if (whole !== undefined) return { lines: [], values: [whole], entries: undefined };
  return splitLines(text.split("\n"));
}

/** Lines, with the JSON values that begin and end on lines of their own taken out. */
export function splitLines(all: readonly string[]): Reading {
  const lines: string[] = [];
  const values: Node[] = [];
  for (let i = 0; i < all.length; i++) {
    const line = all[i] ?? "";
    const found = /^[ \t]*[{[]/.test(line) ? valueFrom(all, i) : undefined;
    if (found === undefined) lines.push(line);
    else {
      values.push(found.node);
      i = found.last;
    }
  }
  return { lines, values, entries: undefined };
}

/** The end of a value is looked for in so many lines at most, at lines that could be it. */
const MAX_LINES = 3000;
const MAX_TRIES = 12;

function valueFrom(lines: readonly string[], first: number): { node: Node; last: number } | undefined {
  const opening = /^[ \t]*/.exec(lines[first] ?? "")?.[0] ?? "";
  let tries = 0;
  for (let last = first; last < Math.min(lines.length, first + MAX_LINES) && tries < MAX_TRIES; last++) {
    const line = lines[last] ?? "";
    const closes =
      last === first ? /[}\]]\s*$/.test(line) : line.startsWith(opening) && /^[}\]]/.test(line.trimStart());
    if (!closes && last + 1 < lines.length) continue;
    tries++;
    const node = parseNode(lines.slice(first, last + 1).join("\n"));
    if (node !== undefined) return { node, last };
    if (last === first && !/[[{,:]\s*$/.test(line)) return undefined;
  }
  return undefined;
}

// A tree in JSON, or what ls -R prints.
function treeEntries(text: string): Map<string, boolean> | undefined {
  return /^\s*\[/.test(text) ? entriesOf(parseNode(text)) : recursiveListing(text);
}

/** undefined: this is no tree. */
export function entriesOf(node: Node | undefined): Map<string, boolean> | undefined {
  const entries = new Map<string, boolean>();
  return node !== undefined && addEntries(node, "", entries) && entries.size > 0 ? entries : undefined;
}

function addEntries(node: Node, folder: string, into: Map<string, boolean>): boolean {
  if (!("items" in node)) return false;
  return node.items.every((item) => {
    const type = scalarText(member(item, "type"));
    const name = scalarText(member(item, "name"));
    if (name?.startsWith('"') !== true || !("members" in item)) return false;
    const path = folder + (JSON.parse(name) as string);
    if (into.has(path)) return false;
    if (type === '"file"') return item.members.length === 2 && into.set(path, false) !== undefined;
    const children = member(item, "children");
    if (type !== '"directory"' || item.members.length !== 3 || children === undefined) return false;
    into.set(path, true);
    return addEntries(children, `${path}/`, into);
  });
}

export function recursiveListing(text: string): Map<string, boolean> | undefined {
  const sections = text.replace(/\n$/, "").split("\n\n");
  if (sections.length < 2) return undefined;
  const entries = new Map<string, boolean>();
  for (const section of sections) {
    const [heading = "", ...names] = section.split("\n");
    if (!/^\S+:$/.test(heading) || names.some((name) => !/^\S+$/.test(name) || name.endsWith(":"))) return undefined;
    for (const name of names) entries.set(`${heading.slice(0, -1)}/${name}`, false);
  }
  return entries.size > 2 ? entries : undefined;
}
