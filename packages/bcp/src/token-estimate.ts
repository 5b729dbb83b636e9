// How many tokens a text is worth, without a tokenizer (FORMAT.md, "Budget"). Bytes, whatever the documents say (D-32).

import { Buffer } from "node:buffer";

const BYTES_PER_TOKEN = 4;
const BYTES_PER_CODE_TOKEN = 3;
const CODE_PERCENT = 30;

const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const BUFFER_BYTES = 16 * 1024;
const encoder = new TextEncoder();
const buffer = new Uint8Array(BUFFER_BYTES);

/** A quarter of the UTF-8 length, at least 1 for any text. */
export function estimateHeuristic(text: string): number {
  return tokens(Buffer.byteLength(text), BYTES_PER_TOKEN);
}

/** A third of the UTF-8 length where more than 30 % of the lines that say something are indented, else a quarter. */
export function estimateCodeAware(text: string): number {
  shared.clear();
  shared.addText(text);
  return shared.tokens;
}

/** The code-aware estimate of text in UTF-8. */
export function estimateBytes(utf8: Uint8Array): number {
  shared.clear();
  shared.add(utf8);
  return shared.tokens;
}

/** The estimate of so many bytes that are no text. */
export function estimateOpaque(byteLength: number): number {
  return tokens(byteLength, BYTES_PER_TOKEN);
}

function tokens(byteLength: number, bytesPerToken: number): number {
  return byteLength === 0 ? 0 : Math.max(1, Math.floor(byteLength / bytesPerToken));
}

/** The code-aware estimate of a text that comes in pieces, each of whole characters. */
export class CodeEstimate {
  private bytes = 0;
  private lines = 0;
  private indented = 0;
  /** The first byte of a line that has been blank so far; undefined before its first byte. */
  private first: number | undefined;
  /** Whether the line has been counted: the rest of it says nothing more. */
  private isCounted = false;

  add(utf8: Uint8Array): void {
    this.bytes += utf8.length;
    for (let at = 0; at < utf8.length;) {
      // Most lines tell by their first byte; only one that starts with white space has to be looked into.
      if (!this.isCounted) at = this.look(utf8, at);
      const lf = utf8.indexOf(LF, at);
      if (lf < 0) return;
      this.first = undefined;
      this.isCounted = false;
      at = lf + 1;
    }
  }

  /** The same for a string, which goes through a small buffer instead of being copied as a whole. */
  addText(text: string): void {
    for (let at = 0; at < text.length;) {
      const slice = text.length - at > BUFFER_BYTES ? text.slice(at, at + BUFFER_BYTES) : text.slice(at);
      const { read, written } = encoder.encodeInto(slice, buffer);
      this.add(buffer.subarray(0, written));
      at += read;
    }
  }

  clear(): void {
    this.bytes = this.lines = this.indented = 0;
    this.first = undefined;
    this.isCounted = false;
  }

  get tokens(): number {
    const looksLikeCode = this.lines > 0 && Math.floor((this.indented * 100) / this.lines) > CODE_PERCENT;
    return tokens(this.bytes, looksLikeCode ? BYTES_PER_CODE_TOKEN : BYTES_PER_TOKEN);
  }

  // Passes what is blank, and counts the line if something else comes before its end.
  private look(utf8: Uint8Array, start: number): number {
    this.first ??= utf8[start];
    let at = start;
    while (at < utf8.length && utf8[at] !== LF) {
      const width = whiteSpaceAt(utf8, at);
      if (width === 0) {
        this.countLine();
        return at;
      }
      at += width;
    }
    return at;
  }

  private countLine(): void {
    this.lines++;
    if (this.first === SPACE || this.first === TAB) this.indented++;
    this.isCounted = true;
  }
}

// One for all: there may be a million texts.
const shared = new CodeEstimate();

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
