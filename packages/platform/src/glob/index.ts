// Patterns for paths and for texts, matched in at most length × length steps.
export {
  compilePathGlob,
  coversPath,
  GlobError,
  literalPrefix,
  literalSegments,
  matchesPath,
  matchesPathOrName,
  matchesSegments,
} from "./path-glob.ts";
export type { MatchWork, PathGlob, Segment } from "./path-glob.ts";
export { compileTextGlob, fixedLength, matchesText } from "./text-glob.ts";
export type { TextGlob } from "./text-glob.ts";
