// Lists of paths, one per line, perhaps each after a size, a digest or a status: the folder they share once in the
// mark, then one line per folder. What stood before a path follows it after "=", unless it is what the mark says.
//
//   [bosun:paths /a/b/ *.ts]       /a/b/main.ts, /a/b/folds/json.ts, …
//   [bosun:paths ./ =M]            M ./x, except where it says otherwise: y=D was D ./y
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { fitsInMark, readMark, withMark } from "./mark.ts";
import type { Placed } from "./name-lines.ts";
import { readNameLines, writeNameLines } from "./name-lines.ts";

const MIN_PATHS = 3;
const MIN_SHARE = 0.6;
const MAX_PATH_CHARS = 1000;
/** What a damaged or hostile text may unfold to. */
const MAX_UNFOLDED_CHARS = 64 << 20;
const SAMPLE = 150;
/** What no path of a listing holds, but sentences, tables and code do. */
const UNLIKELY = /[\s"<>|*?{};=]|:\/\/|[.,:;]$/;
/** What git puts after a tag to say that this is what it points at. */
const PEELED = "^{}";
const LABELLED = /^( *)(\S+)(\s+)(\S.*)$/;

type Entry = { label?: string; path: string; line: string } | { line: string };
/** White space around the labels of a list: the width they are padded to on the left, and what follows them. */
type Labels = { width: number; gap: string };

export const pathList: Fold = {
  name: "paths",
  fold(text) {
    const trail = text.endsWith("\n") ? "\n" : "";
    const all = linesOf(text);
    const lines = trail === "" ? all : all.slice(0, -1);
    if (lines.length < MIN_PATHS || !startsLikePaths(lines)) return undefined;
    const found = readPlain(lines) ?? readLabelled(lines);
    if (found === undefined) return undefined;
    const labels = found.labels;
    const entries = ofOneKind(found.entries);
    const root = commonFolder(entries.flatMap((entry) => ("path" in entry ? [entry.path] : [])));
    const usual = labels === undefined ? "" : usualLabel(entries);
    const written = writeNameLines(entries.map((entry) => place(entry, root, usual)));
    if (written === undefined) return undefined;
    const argument = [root, written.ending && `*${written.ending}`, usual && `=${usual}`].filter(Boolean).join(" ");
    if (!fitsInMark(argument) || / .* .* | [^*=]/.test(argument)) return undefined;
    const folded = { text: withMark(this.name, argument, written.body + trail) };
    return labels === undefined ? folded : { ...folded, layout: JSON.stringify([labels.width, labels.gap]) };
  },
  unfold({ text, layout }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const trail = body.endsWith("\n") ? "\n" : "";
    const { root, ending, usual } = readArgument(argument);
    const labels = layout === undefined ? undefined : readLabels(layout);
    const placed = readNameLines(body.slice(0, body.length - trail.length), ending, labels !== undefined);
    let chars = 0;
    let latest: { folders: string[]; folder: string } | undefined;
    const lines = placed.map((item) => {
      if (item.kind === "line") return item.line;
      if (latest?.folders !== item.folders)
        latest = { folders: item.folders, folder: root + item.folders.map((name) => `${name}/`).join("") };
      const path = latest.folder + item.name;
      chars += path.length;
      if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the paths would unfold to too much");
      return labels === undefined ? path : (item.label ?? usual).padStart(labels.width) + labels.gap + path;
    });
    return lines.join("\n") + trail;
  },
};

/** The folder that all paths lie in, with its slash; empty when there is none. */
export function commonFolder(paths: string[]): string {
  let shared = paths[0] ?? "";
  for (const path of paths) {
    let i = 0;
    while (i < shared.length && shared.charCodeAt(i) === path.charCodeAt(i)) i++;
    shared = shared.slice(0, i);
  }
  return shared.slice(0, shared.lastIndexOf("/") + 1);
}

// A long text whose beginning holds hardly a path is no list of them.
function startsLikePaths(lines: readonly string[]): boolean {
  if (lines.length <= 2 * SAMPLE) return true;
  const sample = lines.slice(0, SAMPLE);
  return (
    sample.filter((line) => isLikelyPath(line.slice(Math.max(line.lastIndexOf(" "), line.lastIndexOf("\t")) + 1)))
      .length *
      4 >
    SAMPLE
  );
}

function readPlain(lines: readonly string[]): { entries: Entry[]; labels?: Labels } | undefined {
  const entries = lines.map((line): Entry => (isPath(line) ? { path: line, line } : { line }));
  return areMostlyPaths(entries) ? { entries } : undefined;
}

function readLabelled(lines: readonly string[]): { entries: Entry[]; labels: Labels } | undefined {
  const matches = lines
    .map((line) => LABELLED.exec(line))
    .filter((match) => match !== null && isLikelyPath(match[4] ?? ""));
  const gap = mostFrequent(matches.map((match) => match?.[3] ?? ""))?.item;
  if (gap === undefined) return undefined;
  // Numbers are aligned to the right: any line with blanks before its label shows the width.
  const padded = matches.filter((match) => match?.[1] !== "" && match?.[3] === gap);
  const width = Math.max(0, ...padded.slice(0, 1000).map((match) => ((match?.[1] ?? "") + (match?.[2] ?? "")).length));
  const entries = lines.map((line): Entry => {
    const match = LABELLED.exec(line);
    const [, , label = "", , path = ""] = match ?? [];
    const same = match !== null && label.padStart(width) + gap + path === line;
    return same && isPath(path) && !path.includes("=") && !label.includes("=") ? { label, path, line } : { line };
  });
  return areMostlyPaths(entries) ? { entries, labels: { width, gap } } : undefined;
}

// Absolute and relative paths have no folder in common: the fewer stay lines.
function ofOneKind(entries: Entry[]): Entry[] {
  const paths = entries.flatMap((entry) => ("path" in entry ? [entry.path] : []));
  const absolute = paths.filter((path) => path.startsWith("/")).length;
  if (absolute === 0 || absolute === paths.length) return entries;
  const wanted = absolute * 2 > paths.length;
  return entries.map((entry) => {
    if (!("path" in entry) || entry.path.startsWith("/") === wanted) return entry;
    return { line: entry.line };
  });
}

function areMostlyPaths(entries: Entry[]): boolean {
  const paths = entries.flatMap((entry) => ("path" in entry ? [entry.path] : []));
  if (paths.length < MIN_PATHS || paths.length < entries.length * MIN_SHARE) return false;
  return paths.filter(isLikelyPath).length >= paths.length * MIN_SHARE;
}

function isLikelyPath(path: string): boolean {
  return isPath(path) && (path.includes("/") || /\.\w{1,8}$/.test(path));
}

function isPath(line: string): boolean {
  if (line === "" || line.length >= MAX_PATH_CHARS || line.startsWith("//")) return false;
  return !UNLIKELY.test(line.endsWith(PEELED) ? line.slice(0, -PEELED.length) : line) && /\w/.test(line);
}

function place(entry: Entry, root: string, usual: string): Placed {
  if (!("path" in entry)) return { kind: "line", line: entry.line };
  const path = entry.path.slice(root.length);
  const at = path.lastIndexOf("/", path.length - 2);
  const folders = at < 0 ? [] : path.slice(0, at).split("/");
  const { label } = entry;
  const named = { kind: "name", folders, name: path.slice(at + 1) } as const;
  return label === undefined || label === usual ? named : { ...named, label };
}

function usualLabel(entries: Entry[]): string {
  const usual = mostFrequent(entries.flatMap((entry) => ("path" in entry ? [entry.label ?? ""] : [])));
  const worthwhile = usual !== undefined && usual.times > 2 && usual.times * 3 >= entries.length;
  return worthwhile && /^[\w?!+-]+$/.test(usual.item) ? usual.item : "";
}

function mostFrequent(items: string[]): { item: string; times: number } | undefined {
  const counts = new Map<string, number>();
  for (const item of items) counts.set(item, (counts.get(item) ?? 0) + 1);
  let best: { item: string; times: number } | undefined;
  for (const [item, times] of counts) if (best === undefined || times > best.times) best = { item, times };
  return best;
}

function readArgument(argument: string): { root: string; ending: string; usual: string } {
  const found = { root: "", ending: "", usual: "" };
  for (const word of argument.split(" ")) {
    if (word.startsWith("*")) found.ending = word.slice(1);
    else if (word.startsWith("=")) found.usual = word.slice(1);
    else found.root = word;
  }
  return found;
}

function readLabels(layout: string): Labels {
  const parts: unknown = JSON.parse(layout);
  const [width, gap] = Array.isArray(parts) ? (parts as unknown[]) : [];
  if (typeof width !== "number" || width > 200 || typeof gap !== "string")
    throw new UnfoldError("the layout of a list is damaged");
  return { width, gap };
}
