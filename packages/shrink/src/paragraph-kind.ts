// What kind of text a stretch without fences is, judged by the share of lines that look the part.
// The order of the questions matters: each may assume that all above it were answered no.
import type { Judgement } from "./detect.ts";

/** Enough to tell. */
const MAX_LINES = 300;
const MAX_CHARS = 40_000;
const PLAIN: Judgement = { kind: "text", confidence: 0 };

/** `foldedOnly`: who asks wants to know kinds that can be folded inside a text, and takes all others for plain. */
export function paragraphKind(text: string, foldedOnly = false): Judgement {
  const lines = text
    .slice(0, MAX_CHARS)
    .split("\n", MAX_LINES)
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return PLAIN;
  const share = (pattern: RegExp) => countOf(lines, pattern) / lines.length;

  if (isDiff(text, share)) return { kind: "diff", confidence: 0.95 };
  if (isBase64(lines)) return { kind: "base64", confidence: 0.85 };
  if (/^\s*(<!doctype html|<html\b)/i.test(text) || share(/^\s*<\/?[a-z][\w-]*[\s>/]/i) > 0.6)
    return { kind: "html", confidence: 0.8 };
  if (lines.length >= 2) {
    if (share(/^[\s│|]*[├└│`|][─\-─┬]*[ \u00a0]?/u) >= 0.5 && share(/[├└]|[|`]--/) > 0.3)
      return { kind: "tree", confidence: 0.85 };
    if (share(/^\[(FILE|DIR)\] /) > 0.6 || isRecursiveListing(lines)) return { kind: "tree", confidence: 0.85 };
    if (isIndentedListing(lines)) return { kind: "tree", confidence: 0.85 };
    if (share(/^[-dlbcps][-rwxsStT]{9}[+@.]?\s|^total \d+$/) > 0.5) return { kind: "ls-long", confidence: 0.9 };
    if (share(GREP) > 0.6 && !(share(CLOCK) > 0.3)) return { kind: "grep", confidence: 0.85 };
    if (share(PATH) > 0.7) return { kind: "paths", confidence: 0.8 };
    // Below come kinds of which only code can be folded, where it is JSON.
    if (foldedOnly && !/^\s*[{[]|\n\s*[{[]/.test(text)) return PLAIN;
    const labelled = pathThenCode(lines);
    if (labelled !== undefined) return labelled;
    if (share(TRACE) > 0.4) return { kind: "stack-trace", confidence: 0.85 };
    if (share(TEST) > 0.4 || /^TAP version \d|^=+ test session starts =+/.test(text))
      return { kind: "test-report", confidence: 0.8 };
    if (/^\s*(UID|USER)?\s*PID\b.*\b(CMD|COMMAND|TIME)\b/.test(lines[0] ?? "")) return { kind: "ps", confidence: 0.9 };
    if (share(LOG) > 0.5 || isGitLog(lines)) return { kind: "log", confidence: 0.8 };
    if (isCode(lines)) return { kind: "code", confidence: 0.7 };
    if (isYaml(text, lines)) return { kind: "yaml", confidence: 0.75 };
    if (share(/^\s*(\[\[?[\w."'-]+\]\]?|[\w."'-]+\s*=\s*\S.*|#.*)$/) > 0.85 && /^\[\[?[\w."'-]+\]\]?\s*$/m.test(text))
      return { kind: "toml", confidence: 0.75 };
    if (isTable(lines, share)) return { kind: "table", confidence: 0.75 };
    if (isCsv(lines)) return { kind: "csv", confidence: 0.75 };
  }
  return PLAIN;
}

const GREP = /^(?=[^:\s]*[./A-Za-z_])(?:[A-Za-z]:\\)?[^\s:]+?(?::\d+:|-\d+-)|^--$|^[^\s:]+\/[^\s:]+\.\w+:[^:]/;
const CLOCK = /^\[?\d{1,4}[-/.:]\d{1,2}[-/.:]\d{1,4}/;
const PATH =
  /^(?:\S{1,12}\s+|[0-9a-f]{32,64}\s+)?(?!https?:)[^\s<>{}();="'`|,:]*(?:[/\\][^\s<>{}();="'`|,:]*|\.\w{1,5})$/;
const TRACE =
  /^\s+at .+[:(]\d+|^Traceback |^\s*File ".*", line \d+|^\S*(Error|Exception)\b.*:|^Caused by: |^\s+\.\.\. \d+ more|^\tfrom .*:\d+:in /;
const TEST =
  /\b(PASSED|FAILED|SKIPPED)\b|^\s*(not )?ok \d+\b|^=== (RUN|PAUSE|CONT)|^\s*--- (PASS|FAIL|SKIP)|^\s*[✓✔✖✗▶×]\s|\.\.\. (ok|FAILED|ignored)$/u;
const LOG =
  /^\[?\d{4}[-/.]\d{2}[-/.]\d{2}[T ,:]+\d{2}[:.]\d{2}|^(?:<\d+>)?(Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)\s+\d{1,2}\s+\d{2}:\d{2}|^\[?(TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|^npm (http|verb|info|warn|error|ERR!)|^\[?\d{2}:\d{2}:\d{2}|\[\d{2}\/\w{3}\/\d{4}:\d{2}|^commit [0-9a-f]{40}|^[0-9a-f]{7,12} \S+ \S|^\S+\(\d+,\d+\): (error|warning) /;
const CODE =
  /^\s*(import|from|export|def|class|function|const|let|var|return|if|for|while|else|elif|try|except|public|private|protected|static|#include|#define|fn|impl|use|pub|mod|package|func|type|struct|interface|enum|async|await|raise|throw|assert|case|switch|@\w+)(?=[\s({<:*;]|$)|[;{}]\s*$|=>|^\s*(\/\/|\/\*|\* )/;

function countOf(lines: readonly string[], pattern: RegExp): number {
  let count = 0;
  for (const line of lines) if (pattern.test(line)) count++;
  return count;
}

function isDiff(text: string, share: (pattern: RegExp) => number): boolean {
  if (
    !text.includes("@@ -") ||
    !/^@@ -\d+(,\d+)? \+\d+(,\d+)? @@/m.test(text) ||
    !/^\+\+\+ /m.test(text) ||
    !/^--- /m.test(text)
  )
    return false;
  if (!/^\s*(diff |--- |Index: |commit |From |=== )/.test(text)) return false;
  return (
    share(/^([ +\-@\\]|diff |index |(new|deleted|old) |similarity |rename |copy |Index:|=+$|commit |Author|Date)/) > 0.6
  );
}

function isBase64(lines: string[]): boolean {
  const joined = lines.length === 1 || lines.slice(0, -1).every((line) => line.length === (lines[0] ?? "").length);
  const first = lines[0] ?? "";
  return (
    joined &&
    first.length >= 60 &&
    lines.every((line) => /^[A-Za-z0-9+/_-]+={0,2}$/.test(line)) &&
    /[A-Z]/.test(first) &&
    /[a-z]/.test(first) &&
    /\d/.test(first)
  );
}

// git log: each commit has its heading, and below it a message that may say anything.
function isGitLog(lines: string[]): boolean {
  return /^commit [0-9a-f]{40}\b/.test(lines[0] ?? "") && countOf(lines.slice(1, 4), /^(Author|Date|Merge): /) >= 2;
}

// ls -R: headings that end in a colon, then bare names.
function isRecursiveListing(lines: string[]): boolean {
  const headings = countOf(lines, /^[^\s:]+:$/);
  const names = countOf(lines, /^[^\s:]+$/);
  return headings >= 2 && (headings + names) / lines.length > 0.8;
}

// Names further and further in, some with endings, some with a slash; or, without any, with names below names.
function isIndentedListing(lines: string[]): boolean {
  if (lines.length < 3) return false;
  const names = countOf(lines, /^\s*(?:(?:[-*]|\p{Extended_Pictographic}\ufe0f?) )?[\w.@-]+\/?$/u);
  const files = countOf(lines, /\.\w{1,6}$/);
  const indented = countOf(lines, /^\s+/);
  const folders = lines.filter((line) => line.endsWith("/")).length;
  if (names / lines.length <= 0.9 || files / lines.length <= 0.3 || indented === 0) return false;
  return folders > 0 || lines.some((line, i) => indentOf(lines[i + 1] ?? "") > indentOf(line));
}

function indentOf(line: string): number {
  return line.search(/\S|$/);
}

// A line that is only a path, perhaps with a colon, and code below it.
function pathThenCode(lines: string[]): Judgement | undefined {
  const path = /^(?:#+ |\/\/ |File: |==> )?((?:[\w.@-]*[/\\])?[\w./\\@-]+\.\w{1,6}):?(?: <==)?$/.exec(
    lines[0] ?? "",
  )?.[1];
  if (path === undefined || lines.length < 3 || !isCode(lines.slice(1))) return undefined;
  return { kind: "code", confidence: 0.8, path, skipLines: 1 };
}

function isCode(lines: string[]): boolean {
  const plain = lines.map((line) => line.replace(/^\s*\d+[\t:|-]/, ""));
  return countOf(plain, CODE) / plain.length > 0.35;
}

function isYaml(text: string, lines: string[]): boolean {
  const pairs = countOf(lines, /^\s*(- )?[\w."'/-]+:(\s|$)|^\s*- \S|^\s*#|^---$/) / lines.length;
  if (pairs < 0.85) return false;
  return (
    /^---\s*$/m.test(text.slice(0, 200)) ||
    (/:\s*$/m.test(text) && /^\s+\S/m.test(text)) ||
    /^\s*- [\w"'-]+:/m.test(text)
  );
}

function isTable(lines: string[], share: (pattern: RegExp) => number): boolean {
  if (share(/^\s*\|.*\|\s*$/) > 0.6) return true;
  if (lines.length < 3) return false;
  if (share(/\S {2,}\S+.* {2,}\S/) > 0.6) return true;
  const columns = lines.map((line) => line.trim().split(/\s{2,}|\t/).length);
  return (columns[0] ?? 0) >= 3 && columns.filter((count) => count === columns[0]).length / columns.length > 0.8;
}

function isCsv(lines: string[]): boolean {
  if (lines.length < 3) return false;
  return [",", ";", "\t"].some((mark) => {
    const columns = lines.map((line) => line.split(mark).length);
    return (columns[0] ?? 0) >= 3 && columns.filter((count) => count === columns[0]).length / columns.length > 0.85;
  });
}
