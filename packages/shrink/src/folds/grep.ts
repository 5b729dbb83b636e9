// Search results (path:12:text, path-12-text, path:12:5:text, path:text): each path once, as a heading over its lines.
//
//   [bosun:grep ./src/]        the folder that all paths share
//   main.ts
//   12:const a = 1             a line: what followed the path, without the sign after it when that is a colon
//   -13-const b = 2
//   14,17:}                    lines that say the same, one after the other
//    text                    without line numbers: a blank stands for the colon
//   |grep: x: is a directory   anything else
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { fitsInMark, readMark, withMark } from "./mark.ts";
import { commonFolder } from "./paths.ts";

const MIN_HITS = 3;
/** Searches complain now and then about what they cannot read. */
const MIN_SHARE = 0.8;
/** What a damaged or hostile text may unfold to. */
const MAX_CHARS = 64 << 20;
const MATCH = /^((?:[A-Za-z]:\\)?[^\s:]+?)(:\d+:|-\d+-)/;
const COUNT = /^((?:[A-Za-z]:\\)?[^\s:]*[^\s:\d][^\s:]*)(:)/;
const ALIKE = /^\d+(?:,\d+)+(?=:)/;
const DATED = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}/;

/** A line of the search: the file, and what stands behind it. Without a file it is a ruler, or something else. */
type Hit = { path?: string; rest: string };

export const grepByFile: Fold = {
  name: "grep",
  fold(text) {
    const lines = linesOf(text);
    if (lines.length < MIN_HITS) return undefined;
    const pattern = [MATCH, COUNT].find((way) => isSearch(lines, way));
    if (pattern === undefined) return undefined;
    const hits = lines.map((line) => splitHit(line, pattern));
    const root = commonFolder(hits.flatMap(({ path }) => path ?? []));
    if (!fitsInMark(root)) return undefined;
    const out: string[] = [];
    let current: string | undefined;
    for (let i = 0; i < hits.length; i++) {
      const { path, rest } = hits[i] as Hit;
      if (path === undefined) {
        out.push(isRuler(rest) ? rest : `|${rest}`);
        continue;
      }
      if (path !== current) {
        const heading = path.slice(root.length);
        if (isRuler(heading) || heading.startsWith("|") || isRow(heading)) return undefined;
        out.push(heading);
        current = path;
      }
      if (pattern === COUNT) out.push(` ${rest.slice(1)}`);
      else if (!rest.startsWith(":")) out.push(rest);
      else {
        const last = lastAlike(hits, i);
        const before = hits.slice(i, last).map((hit) => `${hit.rest.slice(1, textStart(hit.rest))},`);
        out.push(before.join("") + (hits[last] as Hit).rest.slice(1));
        i = last;
      }
    }
    return { text: withMark(this.name, root, out.join("\n")) };
  },
  unfold({ text }) {
    const { argument: root = "", body = "" } = readMark(text) ?? {};
    let current: string | undefined;
    let chars = 0;
    const out: string[] = [];
    for (const line of body.split("\n")) {
      if (isRuler(line)) out.push(line);
      else if (line.startsWith("|")) out.push(line.slice(1));
      else if (isRow(line)) {
        if (current === undefined) throw new UnfoldError(`a line without a file: ${line}`);
        const [numbers] = ALIKE.exec(line) ?? [];
        if (numbers === undefined) {
          out.push(current + (line.startsWith("-") ? line : line.startsWith(" ") ? `:${line.slice(1)}` : `:${line}`));
          continue;
        }
        const said = line.slice(numbers.length);
        for (const number of numbers.split(",")) {
          chars += current.length + number.length + said.length;
          if (chars > MAX_CHARS) throw new UnfoldError("too many lines that say the same");
          out.push(`${current}:${number}${said}`);
        }
      } else current = root + line;
    }
    return out.join("\n");
  },
};

// Rows start with a line number, or with a blank where there are none; a heading must not.
function isRow(line: string): boolean {
  return /^(?: |-?\d)/.test(line);
}

// Between matches, or at the end.
function isRuler(line: string): boolean {
  return line === "--" || line === "";
}

function isSearch(lines: readonly string[], pattern: RegExp): boolean {
  // A name before a colon alone is too little to go by.
  const mostOthers = pattern === COUNT ? 0 : lines.length * (1 - MIN_SHARE);
  let [hits, others] = [0, 0];
  for (const line of lines) {
    if (isHit(line, pattern)) hits++;
    else if (!isRuler(line) && ++others > mostOthers) return false;
  }
  return hits >= MIN_HITS;
}

function isHit(line: string, pattern: RegExp): boolean {
  const path = pattern.exec(line)?.[1];
  return path !== undefined && /[./]/.test(path) && /[A-Za-z_]/.test(path) && !DATED.test(path);
}

// The last of the lines from here on that say the same, in the same file.
function lastAlike(hits: readonly Hit[], from: number): number {
  const { path, rest } = hits[from] as Hit;
  const said = rest.slice(textStart(rest));
  let last = from;
  for (;;) {
    const next = hits[last + 1];
    if (next?.path !== path || !next?.rest.startsWith(":")) return last;
    const start = textStart(next.rest);
    if (next.rest.length - start !== said.length || !next.rest.endsWith(said)) return last;
    last++;
  }
}

// Where the second colon of :12:text stands.
function textStart(rest: string): number {
  return rest.indexOf(":", 1);
}

function splitHit(line: string, pattern: RegExp): Hit {
  if (isRuler(line) || !isHit(line, pattern)) return { rest: line };
  const path = pattern.exec(line)?.[1] ?? "";
  return { path, rest: line.slice(path.length) };
}
