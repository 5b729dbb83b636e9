// Names further and further in, folders with a slash, perhaps a bullet before each: lines of names instead. Whatever is
// no name, such as a heading or a sum, is kept behind a bar. The white space travels in the layout, the bullet in the mark.
//
//   [bosun:indented - *.ts]
//   src/ main
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
const ENTRY = /^([ \t]*)([-*•] )?([^\s/\\](?:[^/\\\n\r]*[^\s/\\])?)(\/?)$/;
const BULLETS = new Set(["-", "*", "•"]);

/** `base` stands before every name, `unit` once more for each level. */
type Layout = { base: string; unit: string; trail: boolean };
type Entry = { indent: string; bullet: string; name: string; folder: boolean };

export const indentedTree: Fold = {
  name: "indented",
  fold(text) {
    if (!text.includes("/\n")) return undefined;
    const trail = text.endsWith("\n");
    const lines = linesOf(text).slice(0, trail ? -1 : undefined);
    if (!isMostly(lines.length > SAMPLE ? lines.slice(0, SAMPLE).map(readEntry) : [])) return undefined;
    const entries = lines.map(readEntry);
    const shape = isMostly(entries) ? shapeOf(entries) : undefined;
    const placed = shape && place(lines, entries, shape);
    const written = placed && writeNameLines(placed);
    if (shape === undefined || written === undefined) return undefined;
    const { body, ending, tuple } = written;
    const argument = [shape.bullet.trim(), ending && `*${ending}`, writeTuple(tuple)].filter(Boolean).join(" ");
    const layout: Layout = { base: shape.base, unit: shape.unit, trail };
    return { text: withMark(this.name, argument, body), layout: JSON.stringify(layout) };
  },
  unfold({ text, layout }) {
    const { argument = "", body = "" } = readMark(text) ?? {};
    const { base, unit, trail } = readLayout(layout);
    const words = argument.split(" ");
    const ending = words.find((word) => /^\*./.test(word))?.slice(1) ?? "";
    const tuple = words.map(readTuple).find((word) => word !== undefined);
    const bullet = BULLETS.has(words[0] ?? "") ? `${words[0]} ` : "";
    const out: string[] = [];
    let chars = 0;
    const print = (depth: number, name: string): void => {
      chars += depth * unit.length + name.length;
      if (chars > MAX_CHARS) throw new UnfoldError("the tree would unfold to too much");
      out.push(`${base}${unit.repeat(depth)}${bullet}${name}`);
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
      for (; depth < folders.length; depth++) print(depth, `${folders[depth]}/`);
      if (name !== "") print(folders.length, name);
      open = folders;
    }
    return out.join("\n") + (trail ? "\n" : "");
  },
};

function readEntry(line: string): Entry | undefined {
  const [, indent = "", bullet = "", name, slash] = ENTRY.exec(line) ?? [];
  return name === undefined ? undefined : { indent, bullet, name, folder: slash === "/" };
}

/** Nothing looked at is no objection. */
function isMostly(entries: readonly (Entry | undefined)[]): boolean {
  return entries.filter(Boolean).length >= entries.length * MIN_SHARE;
}

// As the first folder with something in it has it; who deviates is no part of the tree.
function shapeOf(entries: readonly (Entry | undefined)[]): { base: string; unit: string; bullet: string } | undefined {
  const at = entries.findIndex((entry, i) => {
    const next = entries[i + 1];
    return entry?.folder === true && next !== undefined && next.indent.length > entry.indent.length;
  });
  const [parent, child] = [entries[at], entries[at + 1]];
  if (parent === undefined || child === undefined || entries.length < MIN_NAMES) return undefined;
  const unit = child.indent.slice(parent.indent.length);
  const [base = ""] = entries.flatMap((entry) => (entry?.bullet === child.bullet ? [entry.indent] : []));
  const isShape = child.indent.startsWith(parent.indent) && isUnit(unit) && isBase(base);
  return isShape ? { base, unit, bullet: child.bullet } : undefined;
}

function place(
  lines: readonly string[],
  entries: readonly (Entry | undefined)[],
  { base, unit, bullet }: { base: string; unit: string; bullet: string },
): Placed[] | undefined {
  const placed: Placed[] = [];
  let open: string[] = [];
  let names = 0;
  for (const [i, entry] of entries.entries()) {
    const depth = entry === undefined ? -1 : (entry.indent.length - base.length) / unit.length;
    const isFitting = entry?.bullet === bullet && Number.isInteger(depth) && depth >= 0 && depth <= open.length;
    if (!isFitting || entry.indent !== base + unit.repeat(depth)) {
      placed.push({ kind: "line", line: lines[i] ?? "" });
      continue;
    }
    names++;
    // The same folder twice in a row would read as one.
    if (entry.folder && open[depth] === entry.name) return undefined;
    open = open.slice(0, depth);
    if (!entry.folder) placed.push({ kind: "name", folders: open, name: entry.name });
    else {
      open = [...open, entry.name];
      // Only an empty folder needs an entry of its own: the others show in what they hold.
      const next = entries[i + 1];
      const isHolding = next !== undefined && next.bullet === bullet && next.indent === base + unit.repeat(depth + 1);
      if (!isHolding) placed.push({ kind: "name", folders: open, name: "" });
    }
  }
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
