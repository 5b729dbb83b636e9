// Search results (path:12:text, path-12-text, path:text): each file once, its lines below it, as rg --heading prints them.
//
//   [bosun: matches as line:text under their file, all under ./src/]
//   main.ts
//   12:const a = 1
//   13-const b = 2
//   util/a.ts:3:only      the only match of its file keeps its line
import { sharedRoot } from "./folder-lines.ts";
import { MAX_UNFOLDED_CHARS, UnfoldError } from "./form.ts";
import type { Form } from "./form.ts";

const ROOT = ", all under ";
const MIN_HITS = 3;
const NUMBERED = { phrase: "matches as line:text under their file", hit: /^((?:[A-Za-z]:\\)?[^\s:]+):(?=\d+:)/ };
const TEXT = { phrase: "matches as text under their file", hit: /^((?:[A-Za-z]:\\)?[^\s:]*[^\s:\d][^\s:]*):/ };
const CONTEXT = /-(?=\d+-)/g;
const DATED = /^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}|^\d{1,2}:\d{2}/;

type Hit = { path: string; rest: string };

export const matchesByFile: Form = {
  name: "matches",
  fold(text) {
    const lines = text.split("\n");
    if (lines.length < MIN_HITS || text.includes("\r")) return undefined;
    for (const { phrase, hit } of [NUMBERED, TEXT]) {
      const matches = lines.map((line) => (isRuler(line) ? undefined : hitOf(line, hit)));
      const files = new Set(matches.map((one) => one?.path));
      const hits = hit === TEXT.hit ? matches : matches.map((one, i) => one ?? contextOf(lines[i] ?? "", files));
      if (hits.some((one, i) => one === undefined && !isRuler(lines[i] ?? ""))) continue;
      const known = hits.filter((one) => one !== undefined);
      if (known.length < MIN_HITS || !known.every(({ path }) => isFile(path))) continue;
      const root =
        sharedRoot(known.map(({ path }) => path)) || (known.every(({ path }) => path.startsWith("./")) ? "./" : "");
      const body = grouped(lines, hits, root, hit === TEXT.hit);
      if (body !== undefined) return { phrase: root === "" ? phrase : phrase + ROOT + root, body };
    }
    return undefined;
  },
  unfold({ phrase, body }) {
    const at = phrase.indexOf(ROOT);
    const root = at < 0 ? "" : phrase.slice(at + ROOT.length);
    const isText = phrase.startsWith(TEXT.phrase);
    let file: string | undefined;
    let chars = 0;
    const out: string[] = [];
    for (const line of body.split("\n")) {
      if (isRuler(line)) out.push(line);
      else if (isText ? line.startsWith(" ") : /^\d+[:-]/.test(line)) {
        if (file === undefined) throw new UnfoldError(`a match without a file: ${line}`);
        chars += file.length + line.length;
        if (chars > MAX_UNFOLDED_CHARS) throw new UnfoldError("the matches would unfold to too much");
        out.push(isText ? `${root}${file}:${line.slice(1)}` : root + file + (/^\d+-/.test(line) ? "-" : ":") + line);
      } else if (line.includes(":")) out.push(root + line);
      else file = line;
    }
    return out.join("\n");
  },
};

function isRuler(line: string): boolean {
  return line === "--" || line === "";
}

function isFile(path: string): boolean {
  return (
    /[./]/.test(path) && /[A-Za-z_]/.test(path) && !DATED.test(path) && !/^\d+[:-]/.test(path) && !path.includes(":")
  );
}

function hitOf(line: string, pattern: RegExp): Hit | undefined {
  const path = pattern.exec(line)?.[1];
  return path === undefined ? undefined : { path, rest: line.slice(path.length + 1) };
}

// A line beside a match, of a file that has one: only then is it certain where the name ends.
function contextOf(line: string, files: ReadonlySet<string | undefined>): Hit | undefined {
  for (const { index } of line.matchAll(CONTEXT)) {
    const path = line.slice(0, index);
    if (files.has(path)) return { path, rest: line.slice(index + 1) };
  }
  return undefined;
}

function grouped(
  lines: readonly string[],
  hits: readonly (Hit | undefined)[],
  root: string,
  isText: boolean,
): string | undefined {
  const out: string[] = [];
  let file: string | undefined;
  for (let i = 0; i < hits.length; i++) {
    const hit = hits[i];
    if (hit === undefined) {
      out.push(lines[i] ?? "");
      continue;
    }
    const heading = hit.path.slice(root.length);
    if (hit.path !== file) {
      const isAlone = nextHit(hits, i)?.path !== hit.path;
      const whole = (lines[i] ?? "").slice(root.length);
      if (/^\d+[:-]|^ /.test(whole) || isRuler(heading)) return undefined;
      if (isAlone && whole.includes(":")) {
        out.push(whole);
        file = undefined;
        continue;
      }
      out.push(heading);
      file = hit.path;
    }
    if (!isText && !/^\d+[:-]/.test(hit.rest)) return undefined;
    out.push(isText ? ` ${hit.rest}` : hit.rest);
  }
  return out.join("\n");
}

function nextHit(hits: readonly (Hit | undefined)[], from: number): Hit | undefined {
  for (let i = from + 1; i < hits.length; i++) if (hits[i] !== undefined) return hits[i];
  return undefined;
}
