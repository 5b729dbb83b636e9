// A pattern for one stretch of text, such as a word of a command or an argument: `*` matches anything in it.
import { alternativesOf, tokensOf } from "./glob-syntax.ts";
import type { Token } from "./glob-syntax.ts";
import { matchTokens } from "./path-glob.ts";
import type { PathGlob } from "./path-glob.ts";

export type TextGlob = {
  readonly source: string;
  readonly alternatives: readonly (readonly Token[])[];
  /** Most patterns are plain words: then this is the word. */
  readonly literal: string | undefined;
};

/** Throws GlobError. */
export function compileTextGlob(source: string): TextGlob {
  const literal = /[*?[{\\]/.test(source) ? undefined : source;
  return { source, alternatives: alternativesOf(source).map((text) => tokensOf(source, text)), literal };
}

export function matchesText(glob: TextGlob, text: string): boolean {
  if (glob.literal !== undefined) return glob.literal === text;
  return glob.alternatives.some((tokens) => matchTokens(tokens, text));
}

/** How much of a pattern is fixed: the longer, the more specific. */
export function fixedLength(glob: TextGlob | PathGlob): number {
  return glob.source.replace(/[*?]/g, "").length;
}
