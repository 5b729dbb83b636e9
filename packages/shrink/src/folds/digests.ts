// Digests in hexadecimal, which cost a token for every seven bits and share nothing with each other: the first seven
// digits stay, because that is what git takes, people compare and a model quotes; the rest becomes words of three
// digits each, and every word is one token. Where the exact digits are needed, the mark says who has them.
//
//   [bosun:digests 7 digits, then words; read_original 123456789012345678901234]
//   HEAD=214cd6bTakExerciseCubeDepoisExpandOcTaiQuitProjKeepSans
//   master=214cd6b…                        the same digest again
import type { Fold } from "./fold.ts";
import { UnfoldError } from "./fold.ts";
import { readMark, withMark } from "./mark.ts";
import { capitalWords } from "../tokens/capital-words.ts";

/** Few digests are there to be used; many are there to be compared. */
const MIN_DIGESTS = 8;
const HEAD_DIGITS = 7;
const DIGITS_PER_WORD = 3;
const WORDS = 16 ** DIGITS_PER_WORD;
/** SHA-1, SHA-256, SHA-512. */
const LENGTHS: readonly number[] = [40, 64, 128];
/** With MD5: beside the name of a file it is a digest; elsewhere 32 digits are as often an id that the next call needs. */
const LENGTHS_OF_FILES: readonly number[] = [32, ...LENGTHS];
const SHORTEST = 32;
const AGAIN = "…";
const SHORTENED = /(?<![0-9A-Za-z_])([0-9a-f]{7,8})((?:[A-Z][a-z]+){8,40}|…)(?![0-9A-Za-z_])/g;
/** What no text may hold that is to be shortened: faster to look for than the whole. */
const LIKE_SHORTENED = /[0-9a-f]{7}(?:[A-Z][a-z]|…)/;
/** Stands for the handle until the original has one; as many tokens, because digits are counted by threes. */
export const NO_HANDLE = "0".repeat(24);
const ARGUMENT = `7 digits, then words; read_original ${NO_HANDLE}`;

export const digests: Fold = {
  name: "digests",
  fold(text) {
    const found = findDigests(text, readMark(text)?.name === "paths" ? LENGTHS_OF_FILES : LENGTHS);
    if (found.length < MIN_DIGESTS || LIKE_SHORTENED.test(text)) return undefined;
    const seen = new Map<string, string>();
    const out: string[] = [];
    let from = 0;
    for (const { start, end } of found) {
      const digest = text.slice(start, end);
      const head = digest.slice(0, headOf(digest.length));
      const known = seen.get(head);
      // Another digest with the same beginning stays as it is.
      if (known !== undefined && known !== digest) continue;
      if (known === undefined) seen.set(head, digest);
      out.push(text.slice(from, start), head, known === undefined ? writeWords(digest.slice(head.length)) : AGAIN);
      from = end;
    }
    return { text: withMark(this.name, ARGUMENT, out.join("") + text.slice(from)) };
  },
  unfold({ text }) {
    const { body } = readMark(text) ?? {};
    if (body === undefined) throw new UnfoldError("the mark is missing");
    const seen = new Map<string, string>();
    return body.replace(SHORTENED, (short: string, head: string, rest: string) => {
      const digest = rest === AGAIN ? seen.get(head) : head + readWords(rest);
      if (digest === undefined || !LENGTHS_OF_FILES.includes(digest.length) || headOf(digest.length) !== head.length)
        throw new UnfoldError(`no digest: ${short}`);
      seen.set(head, digest);
      return digest;
    });
  },
};

/** The text with the handle in its mark under which the exact digits are kept. */
export function withHandle(text: string, handle: string): string {
  return text.replace(NO_HANDLE, handle);
}

// The digits that are kept: seven, and what no word takes.
function headOf(length: number): number {
  return HEAD_DIGITS + ((length - HEAD_DIGITS) % DIGITS_PER_WORD);
}

// A digest covers every so many characters at least once: only there it is looked for.
function findDigests(text: string, lengths: readonly number[]): { start: number; end: number }[] {
  const found: { start: number; end: number }[] = [];
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (isDigit(text.charCodeAt(end))) end++;
    if (lengths.includes(end - start) && !isWordUnit(text.charCodeAt(start - 1)) && !isWordUnit(text.charCodeAt(end)))
      found.push({ start, end });
    at = end - 1;
  }
  return found;
}

function isDigit(unit: number): boolean {
  return (unit >= 0x30 && unit <= 0x39) || (unit >= 0x61 && unit <= 0x66);
}

function isWordUnit(unit: number): boolean {
  return isDigit(unit) || (unit >= 0x67 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a) || unit === 0x5f;
}

function writeWords(digits: string): string {
  const { all } = digestWords();
  let words = "";
  let number = 0;
  for (let i = 0; i < digits.length; i++) {
    const unit = digits.charCodeAt(i);
    number = number * 16 + (unit < 0x61 ? unit - 0x30 : unit - 0x57);
    if (i % DIGITS_PER_WORD !== DIGITS_PER_WORD - 1) continue;
    words += all[number] ?? "";
    number = 0;
  }
  return words;
}

function readWords(words: string): string {
  const { numbers } = digestWords();
  return words.replace(/[A-Z][a-z]+/g, (word) => {
    const number = numbers.get(word);
    if (number === undefined) throw new UnfoldError(`no part of a digest: ${word}`);
    return number.toString(16).padStart(DIGITS_PER_WORD, "0");
  });
}

let known: { all: string[]; numbers: Map<string, number> } | undefined;

function digestWords(): { all: string[]; numbers: Map<string, number> } {
  if (known === undefined) {
    const all = capitalWords(WORDS);
    known = { all, numbers: new Map(all.map((word, i) => [word, i])) };
  }
  return known;
}
