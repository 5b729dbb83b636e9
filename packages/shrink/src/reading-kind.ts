// What is read word by word, quoted back and run: code, patches and prose. In doubt a text is one of these.
import { paragraphKind } from "./paragraph-kind.ts";

const MAX_CHARS = 40_000;
const MAX_LINES = 400;
const CODE_LINE =
  /^\s*(?:import|from|export|def|class|function|const|let|var|return|if|for|while|else|elif|try|except|public|private|protected|static|#include|#define|fn|impl|use|pub|package|func|struct|interface|enum|async|await|raise|throw|switch|case|\/\/|\/?\*+|\*\/)(?=[\s({<:*;/]|$)|[;{}]\s*$|=>|^\s*[)}\]]+[;,]?\s*$/;
const MAX_CODE_SHARE = 0.2;
/** Words of a sentence: small letters, perhaps with a capital first. */
const PLAIN_WORD = /^["'(*_`]*[A-Za-z]?[a-z'’-]+[.,;:!?)"'*_`]*$/;
const MIN_SENTENCE_WORDS = 6;
const MIN_PLAIN_SHARE = 0.75;
const MIN_PROSE_SHARE = 0.4;

export function readsWordByWord(text: string): boolean {
  const { kind } = paragraphKind(text);
  if (kind === "code" || kind === "diff" || kind === "html" || kind === "base64") return true;
  const lines = text
    .slice(0, MAX_CHARS)
    .split("\n", MAX_LINES)
    .filter((line) => line.trim() !== "");
  if (lines.length === 0) return true;
  const isList =
    kind === "paths" || kind === "grep" || kind === "log" || kind === "tree" || kind === "ls-long" || kind === "ps";
  if (!isList && shareOf(lines, (line) => CODE_LINE.test(unnumbered(line))) > MAX_CODE_SHARE) return true;
  return kind === "text" && shareOf(lines, isSentence) > MIN_PROSE_SHARE;
}

function unnumbered(line: string): string {
  return line.replace(/^\s*\d+[\t:|→-]/, "");
}

function isSentence(line: string): boolean {
  const words = line.trim().split(/\s+/);
  if (words.length < MIN_SENTENCE_WORDS) return false;
  return words.filter((word) => PLAIN_WORD.test(word)).length / words.length >= MIN_PLAIN_SHARE;
}

function shareOf(lines: readonly string[], holds: (line: string) => boolean): number {
  return lines.filter(holds).length / lines.length;
}
