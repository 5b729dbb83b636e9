// How many tokens a text is worth, without a tokenizer (FORMAT.md, "Budget"). Bytes, whatever the documents say (D-32).

import { toUtf8 } from "./utf8.ts";

const BYTES_PER_TOKEN = 4;
const BYTES_PER_CODE_TOKEN = 3;
const CODE_PERCENT = 30;

const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;

/** A quarter of the UTF-8 length, at least 1 for any text. */
export function estimateHeuristic(text: string): number {
  return tokens(utf8Length(text), BYTES_PER_TOKEN);
}

/** A third of the UTF-8 length where more than 30 % of the lines that say something are indented, else a quarter. */
export function estimateCodeAware(text: string): number {
  return estimateBytes(toUtf8(text));
}

/** The code-aware estimate of text in UTF-8. */
export function estimateBytes(utf8: Uint8Array): number {
  return tokens(utf8.length, looksLikeCode(utf8) ? BYTES_PER_CODE_TOKEN : BYTES_PER_TOKEN);
}

/** The estimate of so many bytes that are no text. */
export function estimateOpaque(byteLength: number): number {
  return tokens(byteLength, BYTES_PER_TOKEN);
}

function tokens(byteLength: number, bytesPerToken: number): number {
  return byteLength === 0 ? 0 : Math.max(1, Math.floor(byteLength / bytesPerToken));
}

function looksLikeCode(utf8: Uint8Array): boolean {
  let lines = 0;
  let indented = 0;
  for (let start = 0; start < utf8.length;) {
    const first = utf8[start];
    // Most lines tell by their first byte; only one that starts with white space has to be looked into.
    if ((first ?? 0) > SPACE && (first ?? 0) < 0x80) lines++;
    else if (!isBlankLine(utf8, start)) {
      lines++;
      if (first === SPACE || first === TAB) indented++;
    }
    const lf = utf8.indexOf(LF, start);
    start = lf < 0 ? utf8.length : lf + 1;
  }
  return lines > 0 && Math.floor((indented * 100) / lines) > CODE_PERCENT;
}

function isBlankLine(utf8: Uint8Array, start: number): boolean {
  for (let at = start; at < utf8.length && utf8[at] !== LF;) {
    const width = whiteSpaceAt(utf8, at);
    if (width === 0) return false;
    at += width;
  }
  return true;
}

// The UTF-8 length of the Unicode White_Space character at `at`, 0 if it is none.
function whiteSpaceAt(utf8: Uint8Array, at: number): number {
  const [a = 0, b = 0, c = 0] = [utf8[at], utf8[at + 1], utf8[at + 2]];
  if (a === SPACE || (a >= TAB && a <= 0x0d)) return 1;
  if (a === 0xc2) return b === 0x85 || b === 0xa0 ? 2 : 0;
  if (a === 0xe1) return b === 0x9a && c === 0x80 ? 3 : 0; // U+1680
  if (a === 0xe3) return b === 0x80 && c === 0x80 ? 3 : 0; // U+3000
  if (a !== 0xe2) return 0;
  if (b === 0x81) return c === 0x9f ? 3 : 0; // U+205F
  const general = c >= 0x80 && c <= 0x8a; // U+2000 to U+200A
  return b === 0x80 && (general || c === 0xa8 || c === 0xa9 || c === 0xaf) ? 3 : 0;
}

function utf8Length(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A pair is two units and four bytes; a surrogate alone is written as U+FFFD, three bytes.
    if (unit < 0x800) length += 1;
    else if (unit >= 0xd800 && unit < 0xdc00 && isLowSurrogate(text.charCodeAt(i + 1))) {
      length += 2;
      i++;
    } else length += 2;
  }
  return length;
}

function isLowSurrogate(unit: number): boolean {
  return unit >= 0xdc00 && unit < 0xe000;
}
