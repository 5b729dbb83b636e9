// Text → pieces, exactly as the o200k pattern cuts it, by hand: a piece never looks back, so the whole is linear.
//
//   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+('s|'t|'re|'ve|'m|'ll|'d)?
//   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*('s|'t|'re|'ve|'m|'ll|'d)?
//   \p{N}{1,3} |  ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
import { CharClass } from "./char-class.ts";
import type { Vocabulary } from "./vocabulary.ts";

const { other, upper, lower, letter, mark, digit, space, newline } = CharClass;
const SPACE = 0x20;
const SLASH = 0x2f;
const APOSTROPHE = 0x27;
/** Added to the class of a character that takes two UTF-16 units. */
const WIDE = 8;

/** Where the piece that starts at `start` ends. `start` is below the length of the text. */
export function pieceEnd(text: string, start: number, vocabulary: Vocabulary): number {
  const length = text.length;
  const first = classAt(text, start, vocabulary);
  const kind = first & 7;
  if (kind === digit) return digitsEnd(text, start, vocabulary);
  if (kind === upper || kind === lower || kind === letter) return wordEnd(text, start, vocabulary);
  const second = start + (first >> 3) + 1;
  if (kind === newline) return blankEnd(text, start, vocabulary);
  if (second < length && mayStartWord(text.charCodeAt(second))) {
    const end = wordEnd(text, second, vocabulary);
    if (end > second && kind !== mark) return end;
    // A mark is a prefix like any symbol, but it is also a letter: only a word with a lower-case letter outbids it.
    if (kind === mark)
      return end > second && endsInLower(text, second, end, vocabulary) ? end : contractionEnd(text, second);
  } else if (kind === mark) return contractionEnd(text, second);
  if (kind === other) return symbolsEnd(text, second, vocabulary);
  if (text.charCodeAt(start) === SPACE && second < length) {
    const next = classAt(text, second, vocabulary);
    if ((next & 7) === other || (next & 7) === mark) return symbolsEnd(text, second + (next >> 3) + 1, vocabulary);
  }
  return blankEnd(text, start, vocabulary);
}

// No other ASCII character does: there is nothing to look for.
function mayStartWord(unit: number): boolean {
  return unit > 127 || (unit >= 0x61 && unit <= 0x7a) || (unit >= 0x41 && unit <= 0x5a);
}

function classAt(text: string, at: number, vocabulary: Vocabulary): number {
  const unit = text.charCodeAt(at);
  if (unit < 0xd800 || unit > 0xdbff) return vocabulary.classes[unit] ?? other;
  const low = text.charCodeAt(at + 1);
  if (!(low >= 0xdc00 && low <= 0xdfff)) return other; // half a pair stands for itself
  return WIDE + astralClass(((unit - 0xd800) << 10) + (low - 0xdc00) + 0x10000, vocabulary);
}

function astralClass(code: number, { astralStarts, astralClasses }: Vocabulary): number {
  let low = 0;
  let high = astralStarts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((astralStarts[middle] ?? 0) <= code) low = middle;
    else high = middle - 1;
  }
  return astralClasses[low] ?? other;
}

// The end of a word that starts here, or `start` where none does. Upper-case letters first, then lower-case ones;
// letters without case and marks are both. When no lower-case letter follows, the pattern gives upper-case letters
// back until it finds one that is both.
function wordEnd(text: string, start: number, vocabulary: Vocabulary): number {
  const length = text.length;
  let at = start;
  let both = -1;
  while (at < length) {
    const found = classAt(text, at, vocabulary);
    const kind = found & 7;
    if (kind === upper) at += (found >> 3) + 1;
    else if (kind === letter || kind === mark) both = at += (found >> 3) + 1;
    else if (kind === lower) return contractionEnd(text, lowerEnd(text, at, vocabulary));
    else break;
  }
  if (both >= 0) return contractionEnd(text, both);
  return at > start ? contractionEnd(text, at) : start;
}

function lowerEnd(text: string, start: number, vocabulary: Vocabulary): number {
  let at = start;
  while (at < text.length) {
    const found = classAt(text, at, vocabulary);
    const kind = found & 7;
    if (kind !== lower && kind !== letter && kind !== mark) break;
    at += (found >> 3) + 1;
  }
  return at;
}

function endsInLower(text: string, start: number, end: number, vocabulary: Vocabulary): boolean {
  for (let at = start; at < end;) {
    const found = classAt(text, at, vocabulary);
    const kind = found & 7;
    if (kind === lower || kind === letter || kind === mark) return true;
    at += (found >> 3) + 1;
  }
  return false;
}

function contractionEnd(text: string, at: number): number {
  if (text.charCodeAt(at) !== APOSTROPHE) return at;
  const one = text.charCodeAt(at + 1) | 0x20;
  if (one === 0x73 || one === 0x74 || one === 0x6d || one === 0x64) return isAsciiLetter(text, at + 1) ? at + 2 : at;
  const two = text.charCodeAt(at + 2) | 0x20;
  const pair = (one === 0x6c && two === 0x6c) || ((one === 0x76 || one === 0x72) && two === 0x65);
  return pair && isAsciiLetter(text, at + 1) && isAsciiLetter(text, at + 2) ? at + 3 : at;
}

// Setting the sixth bit folds more than letters together: U+0053 and U+0073, but also U+0013.
function isAsciiLetter(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return (unit >= 0x41 && unit <= 0x5a) || (unit >= 0x61 && unit <= 0x7a);
}

function digitsEnd(text: string, start: number, vocabulary: Vocabulary): number {
  let at = start;
  for (let count = 0; count < 3 && at < text.length; count++) {
    const found = classAt(text, at, vocabulary);
    if ((found & 7) !== digit) break;
    at += (found >> 3) + 1;
  }
  return at;
}

function symbolsEnd(text: string, start: number, vocabulary: Vocabulary): number {
  const length = text.length;
  let at = start;
  while (at < length) {
    const found = classAt(text, at, vocabulary);
    const kind = found & 7;
    if (kind !== other && kind !== mark) break;
    at += (found >> 3) + 1;
  }
  while (at < length) {
    const unit = text.charCodeAt(at);
    if (unit !== 0x0a && unit !== 0x0d && unit !== SLASH) break;
    at++;
  }
  return at;
}

// Up to the last line break of a run of blanks; else all but the last blank, which belongs to what follows.
function blankEnd(text: string, start: number, vocabulary: Vocabulary): number {
  const length = text.length;
  let at = start;
  let afterBreak = -1;
  while (at < length) {
    const kind = vocabulary.classes[text.charCodeAt(at)] ?? other;
    if (kind === newline) afterBreak = at + 1;
    else if (kind !== space) break;
    at++;
  }
  if (afterBreak >= 0) return afterBreak;
  return at === length || at - start === 1 ? at : at - 1;
}
