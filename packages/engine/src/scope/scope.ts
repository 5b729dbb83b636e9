// The boundary: which real paths may be touched. Built once at start; what it says never depends on who asks.
// It judges canonical paths only; scope-path.ts makes those from what was requested.
import fs from "node:fs";
import path from "node:path";
import { EngineError, errnoOf } from "../engine-error.ts";
import { literalPrefix, literalSegments, matchesPath, matchesPathOrName } from "@bosun/platform/glob";
import { compileGlob } from "./glob-pattern.ts";
import type { PathGlob, Segment } from "@bosun/platform/glob";
import type { Protection } from "../protect/protection.ts";
import { bestWalkMode, openRealDirectory } from "./directory.ts";
import type { Directory, WalkMode } from "./directory.ts";

export type ScopeOptions = {
  /** Where relative paths and relative patterns start. */
  readonly workdir: string;
  /** Allowed directories; each must exist. Empty means unscoped: everything that is not denied. */
  readonly roots: readonly string[];
  /** Allowed directories of another scope over the same tree: not to be moved or deleted through this one either. */
  readonly kept?: readonly string[];
  /** Doublestar globs on the real path; a match covers everything below it; deny beats allow. */
  readonly deny?: readonly string[];
  /** As `deny`, for writing only. */
  readonly readOnly?: readonly string[];
  /** Left out of listings and searches, still readable by name. Tried on the path below the root and on the base name. */
  readonly ignore?: readonly string[];
  /** What a person's own programs obey: never changed. */
  readonly protection?: Protection | undefined;
  readonly walkMode?: WalkMode;
};

export type Scope = {
  readonly workdir: string;
  readonly roots: readonly string[];
  readonly kept: readonly string[];
  readonly deny: readonly PathGlob[];
  readonly readOnly: readonly PathGlob[];
  readonly ignore: readonly PathGlob[];
  readonly protection: Protection | undefined;
  /** The file system does not tell `.ENV` from `.env`. */
  readonly foldCase: boolean;
  readonly walkMode: WalkMode;
  /** The roots held open: a walk starts there instead of at `/`, once it has seen that they are still in place. */
  readonly anchors: readonly Directory[];
};

/** Canonicalises roots and patterns. Throws NOT_FOUND, NOT_DIRECTORY or INVALID_GLOB: a boundary is never guessed. */
export function openScope(options: ScopeOptions): Scope {
  const workdir = realDirectory(options.workdir);
  const roots = options.roots.map(realDirectory);
  const walkMode = options.walkMode ?? bestWalkMode;
  const foldCase = (roots.length === 0 ? [workdir] : roots).some(ignoresCase);
  const anchored = (sources: readonly string[] | undefined) =>
    (sources ?? []).map((source) => anchor(compileGlob(source, { foldCase }), workdir));
  const anchors = roots.map((root) => openRealDirectory(root, walkMode));
  return {
    workdir,
    roots,
    kept: (options.kept ?? []).map(realDirectory),
    deny: anchored(options.deny),
    readOnly: anchored(options.readOnly),
    ignore: (options.ignore ?? []).map((source) => compileGlob(source.replace(/\/$/, ""), { foldCase })),
    protection: options.protection,
    foldCase,
    walkMode,
    anchors,
  };
}

/** Gives the roots' descriptors back; the scope cannot be used any more. */
export function closeScope(scope: Scope): void {
  for (const anchor of scope.anchors) anchor[Symbol.dispose]();
}

/** Whether an allowed root holds that real path: by whole components, never by string prefix. */
export function admits(scope: Scope, realPath: string): boolean {
  return scope.roots.length === 0 || rootOf(scope, realPath) !== undefined;
}

/** Whether a root is there or below: such a directory can be neither moved nor deleted. */
export function holdsRoot(scope: Scope, realPath: string): boolean {
  return realPath === "/" || [...scope.roots, ...scope.kept].some((root) => isWithin(realPath, root));
}

/** The deny pattern that covers the path itself or one of its parents. */
export function deniedBy(scope: Scope, realPath: string): string | undefined {
  return coveredBy(scope.deny, realPath);
}

/** As `deniedBy`, for a path whose parents are known not to be denied (walks). */
export function entryDeniedBy(scope: Scope, realPath: string): string | undefined {
  return scope.deny.find((pattern) => matchesPath(pattern, realPath))?.source;
}

export function readOnlyBy(scope: Scope, realPath: string): string | undefined {
  return coveredBy(scope.readOnly, realPath);
}

/** Whether listings and searches leave that entry out (a walk asks for each level, so parents are not tried). */
export function isIgnored(scope: Scope, realPath: string): boolean {
  if (scope.ignore.length === 0) return false;
  const root = rootOf(scope, realPath) ?? scope.workdir;
  const relative = isWithin(root, realPath) ? realPath.slice(root === "/" ? 1 : root.length + 1) : realPath.slice(1);
  return scope.ignore.some((pattern) => matchesPathOrName(pattern, relative));
}

export function isWithin(directory: string, realPath: string): boolean {
  return directory === "/" || realPath === directory || realPath.startsWith(`${directory}/`);
}

function rootOf(scope: Scope, realPath: string): string | undefined {
  if (!scope.foldCase) return scope.roots.find((root) => isWithin(root, realPath));
  return scope.roots.find((root) => isWithin(root.toLowerCase(), realPath.toLowerCase()));
}

function coveredBy(patterns: readonly PathGlob[], realPath: string): string | undefined {
  if (patterns.length === 0) return undefined;
  for (let at = realPath; ; at = path.posix.dirname(at)) {
    const found = patterns.find((pattern) => matchesPath(pattern, at));
    if (found !== undefined) return found.source;
    if (at === "/") return undefined;
  }
}

/** Makes every alternative absolute and its fixed part real: a pattern through a link would otherwise never match. */
function anchor(pattern: PathGlob, workdir: string): PathGlob {
  const alternatives = pattern.alternatives.flatMap((segments) => {
    const trimmed = withoutEmptyEnd(segments);
    const first = trimmed[0];
    if (first?.kind === "any-depth") return [[...literalSegments([""], pattern.foldCase), ...trimmed]];
    const fixed = literalPrefix(trimmed);
    const rest = trimmed.slice(fixed.length);
    const text = fixed.join("/");
    const absolute = path.posix.resolve(workdir, fixed[0] === "" ? `/${text}` : text);
    return realForms(absolute, rest.length > 0).map((real) => [
      ...literalSegments(real === "/" ? [""] : real.split("/"), pattern.foldCase),
      ...rest,
    ]);
  });
  return { ...pattern, alternatives };
}

function withoutEmptyEnd(segments: readonly Segment[]): readonly Segment[] {
  const last = segments.at(-1);
  return segments.length > 1 && last?.kind === "literal" && last.text === "" ? segments.slice(0, -1) : segments;
}

/** The real path; for a pattern without wildcards also the name itself, which may be a link. */
function realForms(absolute: string, isPrefix: boolean): string[] {
  const real = realAsFarAsItExists(absolute);
  if (isPrefix || absolute === "/") return [real];
  const named = path.posix.join(realAsFarAsItExists(path.posix.dirname(absolute)), path.posix.basename(absolute));
  return real === named ? [real] : [real, named];
}

function realAsFarAsItExists(absolute: string): string {
  try {
    return fs.realpathSync(absolute);
  } catch {
    // It does not exist, or a part of it does not: its nearest parent that does is real.
    if (absolute === "/") return "/";
    const parent = realAsFarAsItExists(path.posix.dirname(absolute));
    return path.posix.join(parent, path.posix.basename(absolute));
  }
}

function realDirectory(requested: string): string {
  try {
    const real = fs.realpathSync(path.resolve(requested));
    if (fs.statSync(real).isDirectory()) return real;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    throw new EngineError("NOT_FOUND", `directory ${requested} does not exist`, { requested }, error);
  }
  throw new EngineError("NOT_DIRECTORY", `${requested} is not a directory`, { requested });
}

/** Asks the file system itself: lower-casing everywhere would merge distinct directories on Linux. */
function ignoresCase(directory: string): boolean {
  // Not by a class of letters: to make one costs a megabyte, and what has no case stays what it is.
  const swapped = Array.from(directory, (character) =>
    character === character.toLowerCase() ? character.toUpperCase() : character.toLowerCase(),
  ).join("");
  if (swapped === directory) return false;
  try {
    const one = fs.statSync(directory, { bigint: true });
    const other = fs.statSync(swapped, { bigint: true });
    return one.dev === other.dev && one.ino === other.ino;
  } catch {
    return false; // no such name: the file system tells the cases apart
  }
}
