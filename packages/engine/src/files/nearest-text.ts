// Why a text was not found: the nearest thing that is there, in one sentence. It only explains; nothing is ever replaced
// because it is similar.
import { mostSimilarLine } from "./similar-line.ts";

type Difference = { readonly name: string; readonly normal: (text: string) => string };

/** Each keeps newlines, so that a line number can be given. Tried one by one, then all together. */
const DIFFERENCES: readonly Difference[] = [
  { name: "whitespace", normal: (text) => text.split("\n").map(squeeze).join("\n") },
  { name: "whitespace", normal: (text) => text.replace(/[^\S\n]+/g, "") },
  { name: "quotation marks or dashes", normal: straighten },
  { name: "upper and lower case", normal: (text) => text.toLowerCase() },
  { name: "the Unicode form of its characters", normal: (text) => text.normalize("NFC") },
];

/** A larger file would hold everybody up for the sake of a hint. */
const MAX_CHARS = 512 * 1024;
const MAX_SHOWN_CHARS = 120;
/** Places looked at for a text whose first line occurs often. */
const MAX_CANDIDATES = 200;

/** `wanted` does not occur in `content`. Undefined when nothing comes close. */
export function describeNearest(content: string, wanted: string): string | undefined {
  if (content.length > MAX_CHARS || wanted.length > MAX_CHARS) return undefined;
  const tidy = wanted.replace(/\r\n/g, "\n");
  const file = content.replace(/\r\n/g, "\n");
  return ownMistake(file, tidy) ?? sameButFor(file, tidy) ?? firstDifference(file, tidy) ?? mostAlike(file, tidy);
}

/** What the caller did to the text: copied line numbers, escaped what needed no escape. */
function ownMistake(file: string, wanted: string): string | undefined {
  const unnumbered = wanted.replace(/^[ ]*\d+(\t|→)/gm, "");
  if (unnumbered !== wanted && unnumbered.trim() !== "" && file.includes(unnumbered)) {
    return `It begins its lines with line numbers, which are not part of the file; without them it is at line ${lineOf(file, unnumbered)}.`;
  }
  const unescaped = wanted.replace(/\\([nt"'\\])/g, (_, char: string) => ({ n: "\n", t: "\t" })[char] ?? char);
  if (unescaped !== wanted && unescaped.trim() !== "" && file.includes(unescaped)) {
    return `It contains escape sequences such as \\n where the file has the characters themselves, at line ${lineOf(file, unescaped)}.`;
  }
  return undefined;
}

function sameButFor(file: string, wanted: string): string | undefined {
  for (const { name, normal } of DIFFERENCES) {
    const line = lineOfNormal(file, wanted, normal);
    if (line !== undefined) return `The text at line ${line} differs only in ${name}.`;
  }
  const all = (text: string) => DIFFERENCES.reduce((result, { normal }) => normal(result), text);
  const line = lineOfNormal(file, wanted, all);
  return line === undefined ? undefined : `The text at line ${line} differs in whitespace, quotation marks or case.`;
}

function lineOfNormal(file: string, wanted: string, normal: (text: string) => string): number | undefined {
  const needle = normal(wanted);
  if (needle.trim() === "") return undefined;
  const haystack = normal(file);
  return haystack.includes(needle) ? lineOf(haystack, needle) : undefined;
}

/** Several lines of which the first is there: says where they part. */
function firstDifference(file: string, wanted: string): string | undefined {
  const wantedLines = wanted.split("\n").map(squeeze);
  const skipped = wantedLines.findIndex((line) => line !== "");
  const rest = wantedLines.slice(Math.max(0, skipped));
  if (rest.length < 2 || (rest[0] ?? "").length < 4) return undefined;
  const rawLines = file.split("\n");
  const lines = rawLines.map(squeeze);
  let best = { at: -1, same: 0 };
  let seen = 0;
  for (
    let at = lines.indexOf(rest[0] ?? "");
    at >= 0 && seen < MAX_CANDIDATES;
    at = lines.indexOf(rest[0] ?? "", at + 1)
  ) {
    seen += 1;
    let same = 1;
    while (same < rest.length && rest[same] === lines[at + same]) same += 1;
    if (same > best.same) best = { at, same };
  }
  if (best.at < 0) return undefined;
  const number = best.at + best.same + 1;
  const theirs = wanted.split("\n")[Math.max(0, skipped) + best.same] ?? "";
  const ours = rawLines[best.at + best.same];
  const found = ours === undefined ? "the file ends" : `the file has ${quote(ours)}`;
  return `It begins like line ${best.at + 1}, but at line ${number} ${found} where it has ${quote(theirs)}.`;
}

/** The line that its longest line was probably meant to be; where that one is right, the first beside it that is not. */
function mostAlike(file: string, wanted: string): string | undefined {
  const theirs = wanted.split("\n");
  const longest = theirs.reduce((best, line, i) => (line.length > (theirs[best] ?? "").length ? i : best), 0);
  const lines = file.split("\n");
  const found = mostSimilarLine(lines.map(squeeze), squeeze(theirs[longest] ?? ""));
  if (found === undefined) return undefined;
  const start = found.index - longest;
  const isWrong = (i: number): boolean => !couldBe(lines[start + i], theirs[i] ?? "", i, theirs.length - 1);
  const wrong = isWrong(longest) ? longest : theirs.findIndex((_, i) => isWrong(i));
  const ours = lines[start + wrong];
  if (wrong < 0 || ours === undefined) return `Line ${found.index + 1} is in it, but what is around that line is not.`;
  const [has, given] = aroundDifference(ours, theirs[wrong] ?? "");
  const number = start + wrong + 1;
  const where =
    wrong === longest
      ? `Line ${number} is most like it:`
      : `It is like what begins at line ${start + 1}, but at line ${number}`;
  return `${where} the file has ${quote(has)} where it has ${quote(given)}.`;
}

/** Of the first and the last line a text may have only a part. */
function couldBe(ours: string | undefined, theirs: string, index: number, last: number): boolean {
  if (ours === undefined) return theirs === "";
  const [has, given] = [squeeze(ours), squeeze(theirs)];
  if (has === given) return true;
  return last > 0 && ((index === 0 && has.endsWith(given)) || (index === last && has.startsWith(given)));
}

/** Two lines from where they begin to differ, and a little before: what is shown of them must not be the same. */
function aroundDifference(one: string, other: string): [string, string] {
  const [a, b] = [one.trim(), other.trim()];
  let same = 0;
  while (same < a.length && a[same] === b[same]) same += 1;
  if (same < MAX_SHOWN_CHARS / 2) return [a, b];
  const from = same - MAX_SHOWN_CHARS / 4;
  return [`…${a.slice(from)}`, `…${b.slice(from)}`];
}

function squeeze(line: string): string {
  return line.replace(/[\s\u00a0]+/g, " ").trim();
}

function straighten(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/\u2026/g, "...");
}

function lineOf(text: string, part: string): number {
  const at = text.indexOf(part);
  let line = 1;
  for (let i = text.indexOf("\n"); i >= 0 && i < at; i = text.indexOf("\n", i + 1)) line += 1;
  return line;
}

function quote(line: string): string {
  const trimmed = line.trim();
  return JSON.stringify(trimmed.length > MAX_SHOWN_CHARS ? `${trimmed.slice(0, MAX_SHOWN_CHARS)}…` : trimmed);
}
