// Path patterns.
export {
  compilePathGlob,
  compileTextGlob,
  coversPath,
  fixedLength,
  matchesPath,
  matchesText,
  type PathGlob,
  type TextGlob,
} from "./glob.ts";
