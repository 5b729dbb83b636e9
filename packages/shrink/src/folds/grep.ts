// Search results (path:12:text, path-12-text, path:12:5:text, path:text): each path once, as a heading over its lines.
//
//   [bosun:grep ./src/]        the folder that all paths share
//   main.ts
//   12:const a = 1             a line: what followed the path, without the sign after it when that is a colon
//   -13-const b = 2
//    text                    without line numbers: a blank stands for the colon
import { linesOf } from "../lines.ts";
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { fitsInMark, readMark, withMark } from "./mark.ts";
import { commonFolder } from "./paths.ts";

const MIN_LINES = 3;
const MATCH = /^((?:[A-Za-z]:\\)?[^\s:]+?)(:\d+:|-\d+-)/;
const COUNT = /^((?:[A-Za-z]:\\)?[^\s:]*[^\s:\d][^\s:]*)(:)/;
const DATED = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}/;

export const grepByFile: Fold = {
  name: "grep",
  fold(text) {
    const lines = linesOf(text);
    if (lines.length < MIN_LINES) return undefined;
    const pattern = [MATCH, COUNT].find((way) => lines.every((line, i) => isHit(line, way, i === lines.length - 1)));
    if (pattern === undefined) return undefined;
    const hits = lines.map((line) => splitHit(line, pattern));
    const root = commonFolder(hits.flatMap(({ path }) => path ?? []));
    if (!fitsInMark(root)) return undefined;
    const out: string[] = [];
    let current: string | undefined;
    for (const { path, rest } of hits) {
      if (path === undefined) {
        out.push(rest);
        continue;
      }
      if (path !== current) {
        const heading = path.slice(root.length);
        if (heading === "" || heading === "--" || isRow(heading)) return undefined;
        out.push(heading);
        current = path;
      }
      out.push(pattern === COUNT ? ` ${rest.slice(1)}` : rest.startsWith(":") ? rest.slice(1) : rest);
    }
    return { text: withMark(this.name, root, out.join("\n")) };
  },
  unfold({ text }) {
    const { argument: root = "", body = "" } = readMark(text) ?? {};
    let current: string | undefined;
    const out: string[] = [];
    for (const line of body.split("\n")) {
      if (line === "--" || line === "") out.push(line);
      else if (isRow(line)) {
        if (current === undefined) throw new UnfoldError(`a line without a file: ${line}`);
        out.push(current + (line.startsWith("-") ? line : line.startsWith(" ") ? `:${line.slice(1)}` : `:${line}`));
      } else current = root + line;
    }
    return out.join("\n");
  },
};

// Rows start with a line number, or with a blank where there are none; a heading must not.
function isRow(line: string): boolean {
  return /^(?: |-?\d)/.test(line);
}

function isHit(line: string, pattern: RegExp, last: boolean): boolean {
  if (line === "--" || (last && line === "")) return true;
  const path = pattern.exec(line)?.[1];
  return path !== undefined && /[./]/.test(path) && /[A-Za-z_]/.test(path) && !DATED.test(path);
}

function splitHit(line: string, pattern: RegExp): { path?: string; rest: string } {
  if (line === "--" || line === "") return { rest: line };
  const path = pattern.exec(line)?.[1] ?? "";
  return { path, rest: line.slice(path.length) };
}
