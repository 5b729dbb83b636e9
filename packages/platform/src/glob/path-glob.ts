// A doublestar glob, compiled and matched against a path. Own matcher rather than a regular expression: patterns come
// from a model, and `*a*a*a*b` as a backtracking expression can run for ever. Here the cost is at most length × length.
import { alternativesOf, parseSegments } from "./glob-syntax.ts";
import type { Segment, Token } from "./glob-syntax.ts";

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
