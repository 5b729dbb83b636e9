// The text of a glob → its components and tokens: `*`, `**`, `?`, `[a-z]`, `[!a]`, `{a,b}` and `\x`.
import { BosunError } from "../errors/index.ts";

/** Braces multiply; what a person writes stays far below this. */
const MAX_ALTERNATIVES = 256;
const MAX_PATTERN_LENGTH = 4096;

export type Token =
  | { readonly kind: "char"; readonly code: number }
  | { readonly kind: "one" }
  | { readonly kind: "star" }
  | { readonly kind: "class"; readonly negated: boolean; readonly ranges: readonly (readonly [number, number])[] };

/** One component of a pattern: any number of components, fixed text, or text with wildcards. */
export type Segment =
  | { readonly kind: "any-depth" }
  | { readonly kind: "literal"; readonly text: string }
  | { readonly kind: "wild"; readonly tokens: readonly Token[]; readonly suffix: string | undefined };

/** A pattern that is none; `pattern` is what was written. */
export class GlobError extends BosunError {
  readonly pattern: string;
  constructor(pattern: string, why?: string) {
    super("SETTINGS", `invalid glob pattern: ${pattern}${why === undefined ? "" : ` (${why})`}`);
    this.pattern = pattern;
  }
}

/** A pattern with its braces written out. */
export function alternativesOf(source: string, text: string = source): string[] {
  if (source === "") throw new GlobError(source, "it is empty");
  if (source.length > MAX_PATTERN_LENGTH) throw new GlobError(`${source.slice(0, 80)}…`, "it is too long");
  if (source.includes("\0")) throw new GlobError(source, "it holds a NUL");
  return expandBraces(source, text);
}

export function parseSegments(source: string, text: string): Segment[] {
  const segments: Segment[] = [];
  for (const piece of splitAtSlashes(text)) {
    if (piece === "**") {
      if (segments.at(-1)?.kind !== "any-depth") segments.push({ kind: "any-depth" });
    } else {
      segments.push(parseSegment(source, piece));
    }
  }
  return segments;
}

/** A slash in a class or behind a backslash still separates: no name can hold one. */
function splitAtSlashes(text: string): string[] {
  return text.split("/");
}

function parseSegment(source: string, piece: string): Segment {
  if (!/[\\[*?]/.test(piece)) return { kind: "literal", text: piece };
  const tokens = tokensOf(source, piece);
  if (tokens.every((token) => token.kind === "char")) return { kind: "literal", text: textOf(tokens) };
  const [first, ...rest] = tokens;
  const suffix = first?.kind === "star" && rest.every((token) => token.kind === "char") ? textOf(rest) : undefined;
  return { kind: "wild", tokens, suffix };
}

export function tokensOf(source: string, piece: string): Token[] {
  const tokens: Token[] = [];
  for (let i = 0; i < piece.length;) {
    const code = piece.codePointAt(i) ?? 0;
    const char = String.fromCodePoint(code);
    if (char === "\\") {
      const next = piece.codePointAt(i + 1);
      if (next === undefined) throw new GlobError(source, "it ends in a lone backslash");
      tokens.push({ kind: "char", code: next });
      i += 1 + String.fromCodePoint(next).length;
    } else if (char === "[") {
      const parsed = parseClass(source, piece, i);
      tokens.push(parsed.token);
      i = parsed.end;
    } else {
      if (char === "*") {
        if (tokens.at(-1)?.kind !== "star") tokens.push({ kind: "star" });
      } else {
        tokens.push(char === "?" ? { kind: "one" } : { kind: "char", code });
      }
      i += char.length;
    }
  }
  return tokens;
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => (token.kind === "char" ? String.fromCodePoint(token.code) : "")).join("");
}

function parseClass(source: string, piece: string, start: number): { token: Token; end: number } {
  let i = start + 1;
  const negated = piece[i] === "!" || piece[i] === "^";
  if (negated) i += 1;
  const ranges: [number, number][] = [];
  for (let first = true; ; first = false) {
    if (i >= piece.length) throw new GlobError(source, "a [ is never closed");
    if (piece[i] === "]" && !first) break;
    const low = classChar(source, piece, i);
    i = low.end;
    if (piece[i] === "-" && i + 1 < piece.length && piece[i + 1] !== "]") {
      const high = classChar(source, piece, i + 1);
      if (high.code < low.code) throw new GlobError(source, "a range runs backwards");
      ranges.push([low.code, high.code]);
      i = high.end;
    } else {
      ranges.push([low.code, low.code]);
    }
  }
  return { token: { kind: "class", negated, ranges }, end: i + 1 };
}

function classChar(source: string, piece: string, at: number): { code: number; end: number } {
  const start = piece[at] === "\\" ? at + 1 : at;
  const code = piece.codePointAt(start);
  if (code === undefined) throw new GlobError(source, "a [ is never closed");
  return { code, end: start + (code > 0xffff ? 2 : 1) };
}

function expandBraces(source: string, text: string): string[] {
  const open = text.includes("{") ? findUnescaped(text, "{", 0) : -1;
  if (open < 0) return [text];
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  let close = -1;
  for (let i = open; i < text.length && close < 0; i = nextIndex(text, i)) {
    const char = text[i];
    if (char === "{") depth += 1;
    else if (char === "}") {
      depth -= 1;
      if (depth === 0) {
        parts.push(text.slice(from, i));
        close = i;
      }
    } else if (char === "," && depth === 1) {
      parts.push(text.slice(from, i));
      from = i + 1;
    }
  }
  if (close < 0) throw new GlobError(source, "a { is never closed");
  const expanded: string[] = [];
  const tails = expandBraces(source, text.slice(close + 1));
  for (const part of parts) {
    for (const middle of expandBraces(source, part)) {
      for (const tail of tails) {
        if (expanded.length >= MAX_ALTERNATIVES)
          throw new GlobError(source, `more than ${MAX_ALTERNATIVES} alternatives`);
        expanded.push(text.slice(0, open) + middle + tail);
      }
    }
  }
  return expanded;
}

function findUnescaped(text: string, wanted: string, from: number): number {
  for (let i = from; i < text.length; i = nextIndex(text, i)) if (text[i] === wanted) return i;
  return -1;
}

/** Steps over an escaped character and over a whole `[class]`, where braces mean themselves. */
function nextIndex(text: string, i: number): number {
  if (text[i] === "\\") return i + 2;
  if (text[i] !== "[") return i + 1;
  for (let j = i + 2 + (text[i + 1] === "!" || text[i + 1] === "^" ? 1 : 0); j < text.length; j += 1) {
    if (text[j] === "\\") j += 1;
    else if (text[j] === "]") return j + 1;
  }
  return i + 1;
}
