// Lists of paths, one per line, perhaps each after a size, a digest or a status: the folder they share once in the
// mark, then one line per folder. What stood before a path follows it after "=", unless it is what the mark says.
//
//   [bosun:paths /a/b/ *.ts]       /a/b/main.ts, /a/b/folds/json.ts, …
//   [bosun:paths ./ =M]            M ./x, except where it says otherwise: y=D was D ./y
//   [bosun:paths ./ sorted]        names stand with their folder; the list was sorted (path-order.ts)
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { fitsInMark, readMark, withMark } from "./mark.ts";
import { asSelf, isSelf, joinAllListedFolders, joinListedFolders, pathOfSelf, sharedRoot } from "./listed-folders.ts";
import type { Placed } from "./name-lines.ts";
import { readNameLines, writeNameLines } from "./name-lines.ts";
import type { Tuple } from "./name-tuples.ts";
import { readTuple, writeTuple } from "./name-tuples.ts";
import type { Columns, Spaces } from "./path-labels.ts";
import {
  areFit,
  fitSpaces,
  printColumns,
  readLabel,
  readSpaces,
  splitColumns,
  usualColumns,
  writeLabel,
} from "./path-labels.ts";
import type { Listed, Order } from "./path-order.ts";
import { groupByFolder, isOrder, orderOf, putInOrder } from "./path-order.ts";

const MIN_PATHS = 3;
/** So many words, each on a line of its own and nothing else, are a list too: tags, users, the names in a folder. */
const MIN_NAMES = 8;
const MIN_SHARE = 0.6;
/** Several columns under a heading are a table. */
const MIN_SHARE_OF_COLUMNS = 0.75;
const MAX_PATH_CHARS = 1000;
/** What a damaged or hostile text may unfold to. */
const MAX_UNFOLDED_CHARS = 64 << 20;
const SAMPLE = 60;
/** What no path of a listing holds, but sentences, tables and code do. */
const UNLIKELY = /[\s"<>|*?{};=]|:\/\/|[.,:;]$/;
const [OTHER, WORD, UNCERTAIN] = [0, 1, 2];
const [DOT, COMMA, SLASH] = [0x2e, 0x2c, 0x2f];
/** What git puts after a tag to say that this is what it points at. */
const PEELED = "^{}";

/** A line of a list: with a path, and perhaps with what stands before it, or as it is. */
type Entry = { columns?: string[]; path: string; line: string } | { line: string };

export const pathList: Fold = {
  name: "paths",
  fold(text) {
    const trail = text.endsWith("\n") ? "\n" : "";
    const all = linesOf(text);
    const lines = trail === "" ? all : all.slice(0, -1);
    if (lines.length < MIN_PATHS || !(looksLikePaths(lines) || areNames(lines))) return undefined;
    const found = readPlain(lines) ?? readLabelled(lines);
    if (found === undefined) return undefined;
    const ofKind = ofOneKind(found.entries);
    const root = sharedRoot(pathsOf(ofKind), commonFolder);
    const entries = ofKind.map((entry): Entry =>
      "path" in entry && isOutside(entry.path, root) ? { line: entry.line } : entry,
    );
    const usual = found.spaces === undefined ? [] : usualColumns(columnsOf(entries), found.spaces.length - 1);
    if (usual === undefined) return undefined;
    const placed = entries.map((entry) => place(entry, root, usual));
    const order = orderOf(entries.map(listed), found.spaces !== undefined);
    const written = writeNameLines(
      joinListedFolders(placed),
      order && (() => groupByFolder(joinAllListedFolders(placed))),
    );
    if (written === undefined) return undefined;
    const { ending, tuple, grouped } = written;
    const words = [root, ending && `*${ending}`, writeTuple(tuple), usual.length > 0 && `=${usual.join(",")}`];
    const argument = [...words, grouped && order].filter(Boolean).join(" ");
    if (!fitsInMark(argument) || /^[*+=]| /.test(root)) return undefined;
    const folded = { text: withMark(this.name, argument, written.body + trail) };
    return found.spaces === undefined ? folded : { ...folded, layout: JSON.stringify(found.spaces) };
  },
  unfold({ text, layout }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const trail = body.endsWith("\n") ? "\n" : "";
    const { root, ending, usual, tuple, order } = readArgument(argument);
    const spaces = layout === undefined ? undefined : readSpaces(layout);
    const placed = readNameLines(body.slice(0, body.length - trail.length), ending, spaces !== undefined, tuple);
    let chars = 0;
    let folders: string[] | undefined;
    let folder = "";
    const lines: string[] = [];
    const paths: (string | undefined)[] = [];
    for (const item of placed) {
      if (item.kind === "line") {
        lines.push(item.line);
        paths.push(undefined);
        continue;
      }
      if (folders !== item.folders) {
        folders = item.folders;
        folder = root;
        for (const name of folders) folder += `${name}/`;
      }
      const path = isSelf(item.name) ? pathOfSelf(folder, item.name) : folder + item.name;
      const line =
        spaces === undefined ? path : printColumns([...readLabel(item.label, usual, spaces.length - 1), path], spaces);
      // With its white space: a layout can be made to spite us too.
      chars += line.length;
      if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the paths would unfold to too much");
      lines.push(line);
      paths.push(path);
    }
    return (order === undefined ? lines : inOrder(lines, paths, order)).join("\n") + trail;
  },
};

/** The folder that all paths lie in, with its slash; empty when there is none. */
export function commonFolder(paths: readonly string[]): string {
  const first = paths[0] ?? "";
  let shared = first.length;
  for (const path of paths) {
    let i = 0;
    while (i < shared && first.charCodeAt(i) === path.charCodeAt(i)) i++;
    shared = i;
  }
  return first.slice(0, first.slice(0, shared).lastIndexOf("/") + 1);
}

// A text in which hardly a line ends in a path is no list of them; a few lines are enough to see that.
function looksLikePaths(lines: readonly string[]): boolean {
  const step = Math.ceil(lines.length / SAMPLE);
  let seen = 0;
  let likely = 0;
  for (let i = 0; i < lines.length; i += step) {
    const line = lines[i] ?? "";
    if (line === "") continue;
    seen++;
    if (isLikelyPath(line.slice(Math.max(line.lastIndexOf(" "), line.lastIndexOf("\t")) + 1))) likely++;
  }
  return likely * 3 > seen;
}

function readPlain(lines: readonly string[]): { entries: Entry[]; spaces?: Spaces } | undefined {
  const entries = lines.map((line): Entry => (isPath(line) ? { path: line, line } : { line }));
  return areMostlyPaths(entries) || areNames(lines) ? { entries } : undefined;
}

function areNames(lines: readonly string[]): boolean {
  return lines.length >= MIN_NAMES && lines.every(isPath);
}

function readLabelled(lines: readonly string[]): { entries: Entry[]; spaces: Spaces } | undefined {
  const split = lines.map(splitColumns);
  const width = usualWidth(split);
  if (width === undefined) return undefined;
  const fitting = split.map((line) =>
    line?.words.length === width && isPath(line.words[width - 1] ?? "") ? line : undefined,
  );
  const known = fitting.filter((line) => line !== undefined);
  if (known.length < lines.length * (width > 2 ? MIN_SHARE_OF_COLUMNS : MIN_SHARE)) return undefined;
  const spaces = fitSpaces(known, width - 1);
  const entries = lines.map((line, i): Entry => {
    const words = fitting[i]?.words;
    if (words === undefined || !areFit(words) || printColumns(words, spaces) !== line) return { line };
    return { columns: words.slice(0, -1), path: words[width - 1] ?? "", line };
  });
  return areMostlyPaths(entries) ? { entries, spaces } : undefined;
}

// How many words most of the lines have that end in a path.
function usualWidth(lines: readonly (Columns | undefined)[]): number | undefined {
  const counts: number[] = [];
  for (const line of lines) {
    const width = line?.words.length ?? 0;
    if (width > 0 && isLikelyPath(line?.words[width - 1] ?? "")) counts[width] = (counts[width] ?? 0) + 1;
  }
  let best: number | undefined;
  for (const [width, count] of counts.entries()) if ((count ?? 0) > (counts[best ?? -1] ?? 0)) best = width;
  return best;
}

// Absolute and relative paths have no folder in common: the fewer stay lines.
function ofOneKind(entries: Entry[]): Entry[] {
  const paths = pathsOf(entries);
  let absolute = 0;
  for (const path of paths) if (path.charCodeAt(0) === SLASH) absolute++;
  if (absolute === 0 || absolute === paths.length) return entries;
  const wanted = absolute * 2 > paths.length;
  return entries.map((entry) => {
    if (!("path" in entry) || entry.path.startsWith("/") === wanted) return entry;
    return { line: entry.line };
  });
}

function areMostlyPaths(entries: Entry[]): boolean {
  const paths = pathsOf(entries);
  if (paths.length < MIN_PATHS || paths.length < entries.length * MIN_SHARE) return false;
  let likely = 0;
  for (const path of paths) if (isLikelyOfPaths(path)) likely++;
  return likely >= paths.length * MIN_SHARE;
}

function isLikelyPath(path: string): boolean {
  return isPath(path) && isLikelyOfPaths(path);
}

function isLikelyOfPaths(path: string): boolean {
  return path.includes("/") || /\.\w{1,8}$/.test(path);
}

// Asked of every line: where the characters are ASCII, a table answers instead of the patterns.
const KIND_OF_UNIT = Uint8Array.from({ length: 128 }, (_, unit) => {
  const char = String.fromCharCode(unit);
  if (char === ":" || UNLIKELY.test(`${char}a`)) return UNCERTAIN;
  return /\w/.test(char) ? WORD : OTHER;
});

function isPath(line: string): boolean {
  if (line === ".") return true;
  if (line === "" || line.length >= MAX_PATH_CHARS || line.startsWith("//")) return false;
  let seen = 0;
  for (let at = 0; at < line.length; at++) seen |= KIND_OF_UNIT[line.charCodeAt(at)] ?? UNCERTAIN;
  const last = line.charCodeAt(line.length - 1);
  if ((seen & UNCERTAIN) === 0 && last !== DOT && last !== COMMA) return (seen & WORD) !== 0;
  return !UNLIKELY.test(line.endsWith(PEELED) ? line.slice(0, -PEELED.length) : line) && /\w/.test(line);
}

function place(entry: Entry, root: string, usual: readonly string[]): Placed {
  if (!("path" in entry)) return { kind: "line", line: entry.line };
  const label = entry.columns === undefined ? undefined : writeLabel(entry.columns, usual);
  const path = entry.path.slice(root.length);
  if (path === "") return asSelf([], entry.path.endsWith("/"), label);
  const at = path.lastIndexOf("/", path.length - 2);
  const folders = at < 0 ? [] : foldersOf(path.slice(0, at));
  const named = { kind: "name", folders, name: path.slice(at + 1) } as const;
  return label === undefined ? named : { ...named, label };
}

// Paths of one folder stand together: they share its names.
let latestFolder: { folder: string; folders: string[] } = { folder: "", folders: [""] };

function foldersOf(folder: string): string[] {
  if (latestFolder.folder !== folder) latestFolder = { folder, folders: folder.split("/") };
  return latestFolder.folders;
}

function pathsOf(entries: readonly Entry[]): string[] {
  const paths: string[] = [];
  for (const entry of entries) if ("path" in entry) paths.push(entry.path);
  return paths;
}

// A path that ends in a dot would read as the folder before it.
function isOutside(path: string, root: string): boolean {
  if (!path.startsWith(root) && `${path}/` !== root) return true;
  const last = path.charCodeAt(path.length - 1);
  return (last === DOT || last === SLASH) && /(?:^|\/)\.\/?$/.test(path.slice(root.length));
}

function columnsOf(entries: readonly Entry[]): string[][] {
  const columns: string[][] = [];
  for (const entry of entries) if ("path" in entry) columns.push(entry.columns ?? []);
  return columns;
}

function listed(entry: Entry): Listed {
  return "path" in entry ? entry : undefined;
}

// Lines that are no paths stay where they are.
function inOrder(lines: readonly string[], paths: readonly (string | undefined)[], order: Order): string[] {
  const others = lines.filter((_, i) => paths[i] === undefined);
  const sorted = putInOrder(
    lines.map((line, i): Listed => {
      const path = paths[i];
      return path === undefined ? undefined : { path, line };
    }),
    order,
  );
  let next = 0;
  return sorted.map((item) => item?.line ?? others[next++] ?? "");
}

type Argument = { root: string; ending: string; usual: string[]; tuple?: Tuple; order?: Order };

function readArgument(argument: string): Argument {
  const found: Argument = { root: "", ending: "", usual: [] };
  for (const word of argument.split(" ")) {
    const tuple = readTuple(word);
    if (word.startsWith("*")) found.ending = word.slice(1);
    else if (word.startsWith("=")) found.usual = word.slice(1).split(",");
    else if (tuple !== undefined) found.tuple = tuple;
    else if (isOrder(word)) found.order = word;
    else found.root = word;
  }
  return found;
}
