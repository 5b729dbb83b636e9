// Patterns with * and ?, matched in at most length × length steps: no regular expression, so no pattern can hang us.
import { BosunError } from "../errors/bosun-error.ts";

const MAX_PATTERN_CHARS = 4096;
const MAX_ALTERNATIVES = 64;

type Token =
  | { readonly kind: "text"; readonly value: string } // one character
  | { readonly kind: "one" }
  | { readonly kind: "any" }
  | { readonly kind: "set"; readonly negated: boolean; readonly ranges: readonly (readonly [string, string])[] };

/** A pattern for one stretch of text; `*` matches anything in it. */
export type TextGlob = {
  readonly source: string;
  readonly alternatives: readonly (readonly Token[])[];
  /** Most patterns are plain words: then this is the word. */
  readonly literal: string | undefined;
};

/** `**`, a plain name, or a pattern within a component. */
type PathPart = "**" | { readonly name: string } | readonly Token[];

/** A pattern for a path: `*` stays within a component, `**` crosses them. */
export type PathGlob = {
  readonly source: string;
  readonly alternatives: readonly (readonly PathPart[])[];
  readonly foldCase: boolean;
};

export function compileTextGlob(source: string): TextGlob {
  const literal = /[*?[{\\]/.test(source) ? undefined : source;
  return { source, alternatives: expandBraces(checked(source)).map(tokensOf), literal };
}

export function matchesText(glob: TextGlob, text: string): boolean {
  if (glob.literal !== undefined) return glob.literal === text;
  const characters = [...text];
  return glob.alternatives.some((tokens) => matchTokens(tokens, characters));
}

export function compilePathGlob(source: string, options: { foldCase?: boolean } = {}): PathGlob {
  const foldCase = options.foldCase ?? false;
  const text = foldCase ? checked(source).toLowerCase() : checked(source);
  const alternatives = expandBraces(text).map((one) =>
    one.split("/").map((part): PathPart => {
      if (part === "**") return part;
      return /[*?[\\]/.test(part) ? tokensOf(part) : { name: part };
    }),
  );
  return { source, alternatives, foldCase };
}

export function matchesPath(glob: PathGlob, path: string): boolean {
  const parts = splitPath(glob, path);
  return glob.alternatives.some((pattern) => matchParts(pattern, parts));
}

/** The path itself or a folder above it matches: a rule for a folder is a rule for everything in it. */
export function coversPath(glob: PathGlob, path: string): boolean {
  const parts = splitPath(glob, path);
  for (let count = parts.length; count >= 1; count -= 1) {
    const above = parts.slice(0, count);
    if (glob.alternatives.some((pattern) => matchParts(pattern, above))) return true;
  }
  return false;
}

/** How much of a pattern is fixed: the longer, the more specific. */
export function fixedLength(glob: TextGlob | PathGlob): number {
  return glob.source.replace(/[*?]/g, "").length;
}

function checked(source: string): string {
  if (source === "") throw new BosunError("SETTINGS", "a pattern cannot be empty");
  if (source.length > MAX_PATTERN_CHARS) throw new BosunError("SETTINGS", "a pattern is too long");
  if (source.includes("\u0000")) throw new BosunError("SETTINGS", "a pattern cannot hold a NUL");
  return source;
}

function splitPath(glob: PathGlob, path: string): string[] {
  return (glob.foldCase ? path.toLowerCase() : path).split("/");
}

// The last star is the only place worth going back to: what it took can only grow.
function matchTokens(tokens: readonly Token[], text: readonly string[]): boolean {
  let token = 0;
  let at = 0;
  let starToken = -1;
  let starAt = 0;
  while (at < text.length) {
    const current = tokens[token];
    const character = text[at];
    if (current?.kind === "any") {
      starToken = token;
      starAt = at;
      token += 1;
    } else if (current !== undefined && character !== undefined && fits(current, character)) {
      token += 1;
      at += 1;
    } else if (starToken >= 0) {
      starAt += 1;
      at = starAt;
      token = starToken + 1;
    } else return false;
  }
  while (tokens[token]?.kind === "any") token += 1;
  return token === tokens.length;
}

function matchParts(pattern: readonly PathPart[], parts: readonly string[]): boolean {
  let at = 0;
  let part = 0;
  let starAt = -1;
  let starPart = 0;
  while (part < parts.length) {
    const current = pattern[at];
    const text = parts[part];
    if (current === "**") {
      starAt = at;
      starPart = part;
      at += 1;
    } else if (current !== undefined && text !== undefined && matchesPart(current, text)) {
      at += 1;
      part += 1;
    } else if (starAt >= 0) {
      starPart += 1;
      part = starPart;
      at = starAt + 1;
    } else return false;
  }
  while (pattern[at] === "**") at += 1;
  return at === pattern.length;
}

function matchesPart(part: Exclude<PathPart, "**">, text: string): boolean {
  return "name" in part ? part.name === text : matchTokens(part, [...text]);
}

function fits(token: Token, character: string): boolean {
  if (token.kind === "text") return token.value === character;
  if (token.kind === "set") {
    return token.ranges.some(([from, to]) => character >= from && character <= to) !== token.negated;
  }
  return true;
}

function tokensOf(part: string): Token[] {
  const characters = [...part];
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i += 1) {
    const character = characters[i] ?? "";
    if (character === "*") {
      if (tokens.at(-1)?.kind !== "any") tokens.push({ kind: "any" });
    } else if (character === "?") tokens.push({ kind: "one" });
    else if (character === "\\" && i + 1 < characters.length)
      tokens.push({ kind: "text", value: characters[(i += 1)] ?? "" });
    else if (character === "[") {
      const end = characters.indexOf("]", i + 2);
      if (end < 0) throw new BosunError("SETTINGS", `the pattern ${part} has a [ that is never closed`);
      tokens.push(setOf(characters.slice(i + 1, end)));
      i = end;
    } else tokens.push({ kind: "text", value: character });
  }
  return tokens;
}

function setOf(inside: readonly string[]): Token {
  const negated = inside[0] === "!" || inside[0] === "^";
  const characters = negated ? inside.slice(1) : inside;
  const ranges: [string, string][] = [];
  for (let i = 0; i < characters.length; i += 1) {
    const from = characters[i] ?? "";
    const isRange = characters[i + 1] === "-" && i + 2 < characters.length;
    ranges.push([from, isRange ? (characters[i + 2] ?? from) : from]);
    if (isRange) i += 2;
  }
  return { kind: "set", negated, ranges };
}

function expandBraces(source: string): string[] {
  const done: string[] = [];
  const waiting = [source];
  while (waiting.length > 0) {
    const text = waiting.shift() ?? "";
    const group = innermostGroup(text);
    if (group === undefined) done.push(text);
    else
      waiting.push(...group.choices.map((choice) => text.slice(0, group.start) + choice + text.slice(group.end + 1)));
    if (done.length + waiting.length > MAX_ALTERNATIVES) {
      throw new BosunError("SETTINGS", `the pattern ${source} stands for more than ${MAX_ALTERNATIVES}`);
    }
  }
  return done;
}

function innermostGroup(text: string): { start: number; end: number; choices: string[] } | undefined {
  let start = -1;
  for (let i = 0; i < text.length; i += 1) {
    const character = text.charAt(i);
    if (character === "\\") i += 1;
    else if (character === "{") start = i;
    else if (character === "}" && start >= 0) {
      return { start, end: i, choices: text.slice(start + 1, i).split(",") };
    }
  }
  if (start >= 0) throw new BosunError("SETTINGS", `the pattern ${text} has a { that is never closed`);
  return undefined;
}
