// Patterns for paths and for texts, matched in at most length × length steps.
export { GlobError } from "./glob-syntax.ts";
export type { Segment } from "./glob-syntax.ts";
export {
  compilePathGlob,
  coversPath,
  literalPrefix,
  literalSegments,
  matchesPath,
  matchesPathOrName,
  matchesSegments,
} from "./path-glob.ts";
export type { MatchWork, PathGlob } from "./path-glob.ts";
export { compileTextGlob, fixedLength, matchesText } from "./text-glob.ts";
export type { TextGlob } from "./text-glob.ts";
