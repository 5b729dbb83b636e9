// A pattern that a model or a person wrote, with what is wrong with it as an error of the engine.
import { compilePathGlob, GlobError } from "@bosun/platform/glob";
import type { PathGlob } from "@bosun/platform/glob";
import { EngineError } from "../engine-error.ts";

/** Throws INVALID_GLOB. */
export function compileGlob(source: string, options: { foldCase?: boolean } = {}): PathGlob {
  try {
    return compilePathGlob(source, options);
  } catch (error) {
    if (!(error instanceof GlobError)) throw error;
    throw new EngineError("INVALID_GLOB", error.message, { pattern: source });
  }
}
