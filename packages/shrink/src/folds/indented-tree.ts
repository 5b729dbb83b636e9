// Names further and further in, perhaps with a bullet or a picture before each: lines of names instead. Whatever is no
// name, such as a heading or a sum, is kept behind a bar. White space travels in the layout; the bullet, or those of
// folders and files, and whether folders came without a slash, stand in the mark.
//
//   [bosun:indented - *.ts]              [bosun:indented noslash 📁 📄]
//   src/ main                            src/ main.ts
//    folds/ json tree
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import type { Placed } from "./name-lines.ts";
import { readNameLines, writeNameLines } from "./name-lines.ts";
import { readTuple, writeTuple } from "./name-tuples.ts";

const MIN_NAMES = 4;
const MIN_SHARE = 0.7;
/** A long text whose beginning is no such tree is none. */
const SAMPLE = 60;
/** What a damaged or hostile text may unfold to. */
const MAX_CHARS = 64 << 20;
/** Names without a slash after any folder could be anything: so many must end as files do, and hardly any hold blanks. */
const MIN_FILES_SHARE = 0.3;
const MAX_BLANKS_SHARE = 0.1;
const ENTRY = /^([ \t]*)((?:[-*•]|\p{Extended_Pictographic}\ufe0f?) )?([^\s/\\](?:[^/\\\n\r]*[^\s/\\])?)(\/?)$/u;
const BULLET = /^(?:[-*•]|\p{Extended_Pictographic}\ufe0f?)$/u;
const NO_SLASH = "noslash";

/** `base` stands before every name, `unit` once more for each level. */
type Layout = { base: string; unit: string; trail: boolean };
type Shape = Omit<Layout, "trail"> & { slash: boolean; folderBullet: string; fileBullet: string };
type Entry = { indent: string; bullet: string; name: string; slash: boolean };

export const indentedTree: Fold = {
  name: "indented",
  fold(text) {
    if (!text.includes("\n ") && !text.includes("\n\t")) return undefined;
    const trail = text.endsWith("\n");
    const lines = linesOf(text).slice(0, trail ? -1 : undefined);
    if (lines.length > SAMPLE && !isTreeLike(lines.slice(0, SAMPLE).map(readEntry))) return undefined;
    const entries = lines.map(readEntry);
    const shape = isTreeLike(entries) ? shapeOf(entries) : undefined;
    const placed = shape && place(lines, entries, shape);
    const written = placed && writeNameLines(placed);
    if (shape === undefined || written === undefined) return undefined;
    const { body, ending, tuple } = written;
    const bullets = new Set([shape.folderBullet.trim(), shape.fileBullet.trim()]);
    const argument = [!shape.slash && NO_SLASH, ...bullets, ending && `*${ending}`, writeTuple(tuple)];
    const layout: Layout = { base: shape.base, unit: shape.unit, trail };
    return { text: withMark(this.name, argument.filter(Boolean).join(" "), body), layout: JSON.stringify(layout) };
  },
  unfold({ text, layout }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const { base, unit, trail } = readLayout(layout);
    const words = argument.split(" ");
    const ending = words.find((word) => /^\*./.test(word))?.slice(1) ?? "";
    const tuple = words.map(readTuple).find((word) => word !== undefined);
    const [ofFolders = "", ofFiles = ofFolders] = words.filter((word) => BULLET.test(word)).map((word) => `${word} `);
    const slash = words.includes(NO_SLASH) ? "" : "/";
    const out: string[] = [];
    let chars = 0;
    const print = (depth: number, name: string): void => {
      chars += depth * unit.length + name.length;
      if (chars > MAX_CHARS) throw new UnfoldError("the tree would unfold to too much");
      out.push(`${base}${unit.repeat(depth)}${name}`);
    };
    let open: string[] = [];
    for (const item of readNameLines(body, ending, false, tuple)) {
      if (item.kind === "line") {
        out.push(item.line);
        continue;
      }
      const { folders, name } = item;
      let depth = 0;
      while (depth < open.length && open[depth] === folders[depth]) depth++;
      for (; depth < folders.length; depth++) print(depth, `${ofFolders}${folders[depth]}${slash}`);
      if (name !== "") print(folders.length, ofFiles + name);
      open = folders;
    }
    return out.join("\n") + (trail ? "\n" : "");
  },
};

function readEntry(line: string): Entry | undefined {
  const [, indent = "", bullet = "", name, slash] = ENTRY.exec(line) ?? [];
  return name === undefined ? undefined : { indent, bullet, name, slash: slash === "/" };
}

function isTreeLike(lines: readonly (Entry | undefined)[]): boolean {
  const entries = lines.filter((entry) => entry !== undefined);
  const share = (pattern: RegExp): number => entries.filter(({ name }) => pattern.test(name)).length / entries.length;
  if (entries.length < Math.max(MIN_NAMES, lines.length * MIN_SHARE)) return false;
  return (
    entries.some(({ slash }) => slash) ||
    (share(/[^:]\.\w{1,8}$/) >= MIN_FILES_SHARE && share(/[\s:]/) <= MAX_BLANKS_SHARE)
  );
}

// As the first folder with something in it has it; who deviates is no part of the tree.
function shapeOf(entries: readonly (Entry | undefined)[]): Shape | undefined {
  const slash = entries.some((entry) => entry?.slash === true);
  const at = entries.findIndex((entry, i) => entry?.slash === slash && isDeeper(entries[i + 1], entry));
  const [parent, child] = [entries[at], entries[at + 1]];
  if (parent === undefined || child === undefined) return undefined;
  const file = entries.find((entry, i) => entry && !entry.slash && !isDeeper(entries[i + 1], entry));
  const [folderBullet, fileBullet] = [parent.bullet, file?.bullet ?? parent.bullet];
  // Items of a list below a word are no files in a folder.
  if (folderBullet !== fileBullet && (folderBullet === "" || fileBullet === "")) return undefined;
  const unit = child.indent.slice(parent.indent.length);
  const [base = ""] = entries.flatMap((entry) => (entry && entry.bullet === folderBullet ? [entry.indent] : []));
  const isShape = child.indent.startsWith(parent.indent) && isUnit(unit) && isBase(base);
  return isShape ? { base, unit, slash, folderBullet, fileBullet } : undefined;
}

function isDeeper(next: Entry | undefined, { indent }: Entry): boolean {
  return next !== undefined && next.indent.length > indent.length;
}

function place(lines: readonly string[], entries: readonly (Entry | undefined)[], shape: Shape): Placed[] | undefined {
  const { base, unit, slash, folderBullet, fileBullet } = shape;
  const placed: Placed[] = [];
  let open: string[] = [];
  let names = 0;
  /** A folder shows in what it holds; only one that holds nothing, or not yet, needs an entry of its own. */
  let isUnseen = false;
  const see = (): void => {
    if (isUnseen) placed.push({ kind: "name", folders: open, name: "" });
    isUnseen = false;
  };
  const depthOf = (entry: Entry | undefined): number => {
    const depth = entry === undefined ? -1 : (entry.indent.length - base.length) / unit.length;
    return Number.isInteger(depth) && depth >= 0 && entry?.indent === base + unit.repeat(depth) ? depth : -1;
  };
  const isFolder = (entry: Entry, depth: number, next: Entry | undefined): boolean => {
    if (slash) return entry.slash;
    const hasPicture = folderBullet !== fileBullet && entry.bullet === folderBullet;
    return hasPicture || depthOf(next) === depth + 1;
  };
  for (const [i, entry] of entries.entries()) {
    const depth = depthOf(entry);
    const folder = entry !== undefined && isFolder(entry, depth, entries[i + 1]);
    if (
      entry === undefined ||
      depth < 0 ||
      depth > open.length ||
      entry.slash !== (folder && slash) ||
      entry.bullet !== (folder ? folderBullet : fileBullet)
    ) {
      see();
      placed.push({ kind: "line", line: lines[i] ?? "" });
      continue;
    }
    names++;
    // The same folder twice in a row would read as one.
    if (folder && open[depth] === entry.name) return undefined;
    if (depth < open.length) see();
    isUnseen = folder;
    open = open.slice(0, depth);
    if (folder) open.push(entry.name);
    else placed.push({ kind: "name", folders: open, name: entry.name });
  }
  see();
  return names >= Math.max(MIN_NAMES, lines.length * MIN_SHARE) ? placed : undefined;
}

function isUnit(text: string): boolean {
  return /^(?: {1,8}|\t)$/.test(text);
}

function isBase(text: string): boolean {
  return /^[ \t]{0,40}$/.test(text);
}

function readLayout(layout: string | undefined): Layout {
  const { base, unit, trail } = JSON.parse(layout ?? "{}") as Partial<Layout>;
  if (typeof base !== "string" || typeof unit !== "string" || !isBase(base) || !isUnit(unit))
    throw new UnfoldError("the indentation of a tree is missing");
  return { base, unit, trail: trail === true };
}
