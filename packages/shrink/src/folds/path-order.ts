// The order of a list of paths. Where the tool sorted them, the order need not be written down: names can stand with
// their folder, wherever they were, and are sorted again on the way back.
import type { Placed } from "./name-lines.ts";

/**
 * As it stands in the mark: by path; by path, folder by folder; by the number before it, the largest first or last,
 * and by the whole line where numbers are equal, as `sort -rn` and `sort -n` do.
 */
const ORDERS = ["sorted", "walked", "descending", "ascending"] as const;
export type Order = (typeof ORDERS)[number];

/** One line of a list; undefined for what is no path. Paths are only put in order between two such lines. */
export type Listed = { path: string; line: string } | undefined;

type Name = Extract<Placed, { kind: "name" }>;
type Folder = { names: Name[]; inside: Map<string, Folder> };

const SLASH = 0x2f;
const NUMBER = /^ *(\d+(?:\.\d+)?)([KMGTP]?)/;

export function isOrder(word: string): word is Order {
  return (ORDERS as readonly string[]).includes(word);
}

/** The order that all of them are in; undefined: none that we know. */
export function orderOf(list: readonly Listed[], labelled: boolean): Order | undefined {
  return ORDERS.find((order) => (labelled || order === "sorted" || order === "walked") && isInOrder(list, order));
}

export function putInOrder<Item extends Listed>(list: readonly Item[], order: Order): Item[] {
  const out: Item[] = [];
  let from = 0;
  for (let i = 0; i <= list.length; i++) {
    const item = list[i];
    if (i < list.length && item !== undefined) continue;
    for (const sorted of sortRun(list.slice(from, i), order)) out.push(sorted);
    if (i < list.length) out.push(item as Item);
    from = i + 1;
  }
  return out;
}

/** The same names, those of a folder together, and folders that hold the same next to each other. */
export function groupByFolder(placed: readonly Placed[]): Placed[] {
  const out: Placed[] = [];
  let root: Folder = { names: [], inside: new Map() };
  for (const item of placed) {
    if (item.kind === "name") {
      add(root, item);
      continue;
    }
    collect(root, out);
    out.push(item);
    root = { names: [], inside: new Map() };
  }
  collect(root, out);
  return out;
}

function isInOrder(list: readonly Listed[], order: Order): boolean {
  let last: Listed;
  let lastNumber = 0;
  for (const item of list) {
    const number = item === undefined || order === "sorted" || order === "walked" ? 0 : numberOf(item.line);
    if (Number.isNaN(number)) return false;
    if (item !== undefined && last !== undefined && last.line !== item.line) {
      if (compare(last, lastNumber, item, number, order) >= 0) return false;
    }
    last = item;
    lastNumber = number;
  }
  return true;
}

function sortRun<Item extends Listed>(run: readonly Item[], order: Order): Item[] {
  const numbered = run.flatMap((item) => (item === undefined ? [] : [{ item, number: numberOf(item.line) }]));
  numbered.sort((left, right) => compare(left.item, left.number, right.item, right.number, order));
  return numbered.map(({ item }) => item);
}

function compare(
  left: NonNullable<Listed>,
  leftNumber: number,
  right: NonNullable<Listed>,
  rightNumber: number,
  order: Order,
): number {
  if (order === "sorted") return compareText(left.path, right.path);
  if (order === "walked") return compareFolders(left.path, right.path);
  const sign = order === "ascending" ? 1 : -1;
  return sign * (leftNumber - rightNumber || compareText(left.line, right.line));
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

// Name by name: the end of a name comes before anything that could follow in it.
function compareFolders(left: string, right: string): number {
  let i = 0;
  while (i < left.length && left.charCodeAt(i) === right.charCodeAt(i)) i++;
  if (i === left.length || i === right.length) return left.length - right.length;
  const [a, b] = [left.charCodeAt(i), right.charCodeAt(i)];
  return (a === SLASH ? 0 : a) - (b === SLASH ? 0 : b);
}

function numberOf(line: string): number {
  const [, digits, unit = ""] = NUMBER.exec(line) ?? [];
  return digits === undefined ? Number.NaN : Number(digits) * 1024 ** ("KMGTP".indexOf(unit || "-") + 1);
}

function add(root: Folder, name: Name): void {
  let folder = root;
  for (const part of name.folders) {
    let next = folder.inside.get(part);
    if (next === undefined) folder.inside.set(part, (next = { names: [], inside: new Map() }));
    folder = next;
  }
  folder.names.push(name);
}

function collect(folder: Folder, out: Placed[]): void {
  for (const name of folder.names) out.push(name);
  const alike = new Map<string, Folder[]>();
  for (const [part, inside] of folder.inside) {
    const key = inside.inside.size > 0 ? `/${part}` : contents(inside);
    const known = alike.get(key);
    if (known === undefined) alike.set(key, [inside]);
    else known.push(inside);
  }
  for (const folders of alike.values()) for (const inside of folders) collect(inside, out);
}

// One name may have another label in each folder, as in alike-folders.ts.
function contents({ names }: Folder): string {
  if (names.length === 1) return names[0]?.name ?? "";
  return names.map(({ name, label }) => `${name}=${label ?? ""}`).join(" ");
}
