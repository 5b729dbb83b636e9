// A doublestar glob, compiled and matched against a path. Own matcher rather than a regular expression: patterns come
// from a model, and `*a*a*a*b` as a backtracking expression can run for ever. Here the cost is at most length × length.
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

/** A pattern for a path: `*` stays within a component, `**` crosses them. */
export type PathGlob = {
  readonly source: string;
  /** The alternatives as text, in the same order. */
  readonly texts: readonly string[];
  /** Braces are expanded: a path matches when one alternative does. */
  readonly alternatives: readonly (readonly Segment[])[];
  readonly foldCase: boolean;
};

/** Compiles `*`, `**`, `?`, `[a-z]`, `[!a]`, `{a,b}` and `\x`. Throws GlobError. Dotfiles are not special. */
export function compilePathGlob(source: string, options: { foldCase?: boolean } = {}): PathGlob {
  const foldCase = options.foldCase ?? false;
  const texts = alternativesOf(source, foldCase ? source.toLowerCase() : source);
  return { source, texts, foldCase, alternatives: texts.map((text) => parseSegments(source, text)) };
}

/** A pattern with its braces written out. */
export function alternativesOf(source: string, text: string = source): string[] {
  if (source === "") throw new GlobError(source, "it is empty");
  if (source.length > MAX_PATTERN_LENGTH) throw new GlobError(`${source.slice(0, 80)}…`, "it is too long");
  if (source.includes("\0")) throw new GlobError(source, "it holds a NUL");
  return expandBraces(source, text);
}

/** Whether the whole path matches. Components are separated by `/`; a leading `/` must be in both or in neither. */
export function matchesPath(pattern: PathGlob, path: string): boolean {
  const parts = (pattern.foldCase ? path.toLowerCase() : path).split("/");
  return pattern.alternatives.some((segments) => matchesSegments(segments, parts));
}

/** The path itself or a folder above it matches: a rule for a folder is a rule for everything in it. */
export function coversPath(pattern: PathGlob, path: string): boolean {
  const parts = (pattern.foldCase ? path.toLowerCase() : path).split("/");
  for (let count = parts.length; count >= 1; count -= 1) {
    const above = parts.slice(0, count);
    if (pattern.alternatives.some((segments) => matchesSegments(segments, above))) return true;
  }
  return false;
}

/** As a search filter reads it: tried on the relative path, then on the base name alone. */
export function matchesPathOrName(pattern: PathGlob, relativePath: string): boolean {
  if (matchesPath(pattern, relativePath)) return true;
  const slash = relativePath.lastIndexOf("/");
  return slash >= 0 && matchesPath(pattern, relativePath.slice(slash + 1));
}

/** The leading components of an alternative that hold no wildcard, as text. */
export function literalPrefix(segments: readonly Segment[]): string[] {
  const prefix: string[] = [];
  for (const segment of segments) {
    if (segment.kind !== "literal") break;
    prefix.push(segment.text);
  }
  return prefix;
}

/** Fixed text as components of a pattern, to put in front of another pattern's. */
export function literalSegments(names: readonly string[], foldCase: boolean): Segment[] {
  return names.map((name) => ({ kind: "literal", text: foldCase ? name.toLowerCase() : name }));
}

/** Counts what matching costs, for who must bound it. */
export type MatchWork = { steps: number };

/** One alternative against a path already cut into components. */
export function matchesSegments(segments: readonly Segment[], parts: readonly string[], work?: MatchWork): boolean {
  // Greedy with one point of return, as for `*` in text: only the last `**` ever needs to give back.
  let s = 0;
  let p = 0;
  let starS = -1;
  let starP = 0;
  while (p < parts.length) {
    if (work !== undefined) work.steps += 1;
    const segment = segments[s];
    const part = parts[p] ?? "";
    if (segment?.kind === "any-depth") {
      starS = s;
      starP = p;
      s += 1;
    } else if (segment !== undefined && matchSegment(segment, part, work)) {
      s += 1;
      p += 1;
    } else if (starS >= 0) {
      starP += 1;
      p = starP;
      s = starS + 1;
    } else {
      return false;
    }
  }
  while (segments[s]?.kind === "any-depth") s += 1;
  return s === segments.length;
}

function matchSegment(segment: Segment, part: string, work: MatchWork | undefined): boolean {
  if (segment.kind === "literal") return segment.text === part;
  if (segment.kind === "any-depth") return true;
  if (segment.suffix !== undefined) return part.endsWith(segment.suffix);
  return matchTokens(segment.tokens, part, work);
}

export function matchTokens(tokens: readonly Token[], text: string, work?: MatchWork): boolean {
  let t = 0;
  let i = 0;
  let starT = -1;
  let starI = 0;
  while (i < text.length) {
    if (work !== undefined) work.steps += 1;
    const token = tokens[t];
    const code = text.codePointAt(i) ?? 0;
    const width = code > 0xffff ? 2 : 1;
    if (token?.kind === "star") {
      starT = t;
      starI = i;
      t += 1;
    } else if (token !== undefined && matchToken(token, code)) {
      t += 1;
      i += width;
    } else if (starT >= 0) {
      starI += (text.codePointAt(starI) ?? 0) > 0xffff ? 2 : 1;
      i = starI;
      t = starT + 1;
    } else {
      return false;
    }
  }
  while (tokens[t]?.kind === "star") t += 1;
  return t === tokens.length;
}

function matchToken(token: Token, code: number): boolean {
  if (token.kind === "char") return token.code === code;
  if (token.kind === "class") return token.ranges.some(([low, high]) => code >= low && code <= high) !== token.negated;
  return token.kind === "one";
}

function parseSegments(source: string, text: string): Segment[] {
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
