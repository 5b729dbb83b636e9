// Which places a person has opened: patterns relative to each allowed folder and repository, or absolute. A folder covers
// what is in it.
import path from "node:path";
import { matchesPath } from "@bosun/platform/glob";
import { compileGlob } from "../scope/glob-pattern.ts";
import type { PathGlob } from "@bosun/platform/glob";
import { folderOf } from "../sandbox/path-text.ts";
import { isWithin } from "../scope/scope.ts";

export class OpenPlaces {
  readonly #relative: readonly PathGlob[];
  readonly #absolute: readonly PathGlob[];

  /** Throws INVALID_GLOB. */
  constructor(sources: readonly string[], home: string, foldCase = false) {
    const patterns = sources.map((source) =>
      absoluteHome(source, home)
        .replace(/^(?:\.\/)+/, "")
        .replace(/(?<=.)\/+$/, ""),
    );
    const compiled = (list: readonly string[]) => list.map((source) => compileGlob(source, { foldCase }));
    this.#relative = compiled(patterns.filter((source) => !source.startsWith("/")));
    this.#absolute = compiled(patterns.filter((source) => source.startsWith("/")));
  }

  get isEmpty(): boolean {
    return this.#relative.length + this.#absolute.length === 0;
  }

  /** `bases`: the folders that relative patterns start from. */
  has(file: string, bases: Iterable<string>): boolean {
    if (this.isEmpty) return false;
    if (covers(this.#absolute, file)) return true;
    for (const base of bases) {
      if (file === base || !isWithin(base, file)) continue;
      if (covers(this.#relative, file.slice(base === "/" ? 1 : base.length + 1))) return true;
    }
    return false;
  }
}

export function absoluteHome(source: string, home: string): string {
  return source.startsWith("~/") ? path.posix.join(home, source.slice(2)) : source;
}

function covers(patterns: readonly PathGlob[], file: string): boolean {
  for (let at = file; at !== "/"; at = folderOf(at)) {
    if (patterns.some((pattern) => matchesPath(pattern, at))) return true;
  }
  return false;
}
