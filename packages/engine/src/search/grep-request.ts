// What can be asked of a content search, and the flags of ripgrep it means. A pattern or a path is never an option: the
// pattern is glued to its flag, paths come after `--`.
import { EngineError } from "../engine-error.ts";
import { matchesPathOrName } from "@bosun/platform/glob";
import { compileGlob } from "../scope/glob-pattern.ts";
import type { PathGlob } from "@bosun/platform/glob";
import type { Scope } from "../scope/scope.ts";
import { extensionsOf } from "./file-types.ts";
import { fromRe2 } from "./re2-syntax.ts";

export type GrepMode = "content" | "files_with_matches" | "count";

export type GrepRequest = {
  readonly pattern: string;
  readonly mode: GrepMode;
  /** A glob, tried on the relative path and on the base name. */
  readonly include?: string;
  /** A name from the table of types. */
  readonly type?: string;
  readonly caseInsensitive?: boolean;
  /** Matches may span lines, and a dot matches a newline; `^` and `$` stay at lines. */
  readonly multiline?: boolean;
  /** Lines of context; content mode only. */
  readonly before?: number;
  readonly after?: number;
  /** Whether lines will be shown with numbers (for the cap on text). Default true. */
  readonly lineNumbers?: boolean;
  readonly offset?: number;
  /** 0 is no limit. */
  readonly limit?: number;
  readonly maxChars: number;
  readonly maxLineChars: number;
  /** In multiline mode larger files are left out: they are read whole. */
  readonly maxFileBytes: number;
  readonly timeoutMs: number;
  /** Path of ripgrep, when it is not the packaged one. */
  readonly ripgrep?: string;
  readonly signal?: AbortSignal;
};

export type GrepPlan = {
  /** Pattern and how to match it. */
  readonly matching: readonly string[];
  /** Which files ripgrep may leave out on its walk; the filter below still has the last word. */
  readonly selecting: readonly string[];
  readonly accepts: (relativePath: string) => boolean;
  /** How ripgrep says which files match, each path before a NUL. */
  readonly naming: readonly string[];
  /** Larger files are left out. */
  readonly maxFileBytes: number;
};

/**
 * Across lines --files-with-matches looks on in the line where it has found something. And such a search may have to be
 * stopped: what it has found must be out by then, which ripgrep sees to at newlines, and a count has one.
 */
const NAMING_AS_FOUND = ["--count", "--max-count=1", "--line-buffered"];

/** Checks everything that can be wrong before anything runs. */
export function planGrep(scope: Scope, request: GrepRequest): GrepPlan {
  if (request.pattern === "") throw new EngineError("INVALID_INPUT", "pattern must not be empty", { reason: "empty" });
  const include = request.include === undefined ? undefined : compileGlob(request.include.replace(/^(\.\/)+/, ""));
  const extensions = request.type === undefined ? undefined : extensionsOf(request.type);
  const accepts = (path: string) =>
    (extensions === undefined || extensions.some((extension) => path.endsWith(`.${extension}`))) &&
    (include === undefined || matchesPathOrName(include, path));
  const selecting = selectingFlags(scope, include, extensions, request);
  const maxFileBytes = request.multiline === true ? request.maxFileBytes : Infinity;
  const naming = request.multiline === true ? NAMING_AS_FOUND : ["--files-with-matches"];
  return { matching: matchingFlags(request), selecting, naming, accepts, maxFileBytes };
}

function matchingFlags(request: GrepRequest): string[] {
  const flags = [request.caseInsensitive === true ? "--ignore-case" : "--case-sensitive"];
  if (request.multiline === true) flags.push("--multiline", "--multiline-dotall");
  // So that `$` matches before CRLF, as it does for the lines that are shown.
  if (request.pattern.includes("$")) flags.push("--crlf");
  flags.push(`--regexp=${fromRe2(request.pattern)}`);
  return flags;
}

/** Only names ripgrep surely reads as we do are worth handing over. */
const PLAIN_GLOB = /^[\w.*?-]+$/;

function selectingFlags(
  scope: Scope,
  include: PathGlob | undefined,
  extensions: readonly string[] | undefined,
  request: GrepRequest,
): string[] {
  const flags = ["--hidden", "--no-ignore-dot", "--glob=!.git", "--glob=!node_modules"];
  for (const { source } of scope.ignore) if (PLAIN_GLOB.test(source)) flags.push(`--glob=!${source}`);
  if (request.multiline === true) flags.push(`--max-filesize=${request.maxFileBytes}`);
  const names = extensions?.map((extension) => `*.${extension}`) ?? baseNamesOf(include);
  // As a type, not as --glob: a glob that includes would bring back what git ignores.
  if (names !== undefined) flags.push(...names.map((name) => `--type-add=wanted:${name}`), "--type=wanted");
  return flags;
}

/** The last components of an include pattern: a file that matches the whole matches one of them. */
function baseNamesOf(include: PathGlob | undefined): string[] | undefined {
  if (include === undefined || include.foldCase) return undefined;
  const names = include.texts.map((text) => text.slice(text.lastIndexOf("/") + 1));
  return names.every((name) => name !== "**" && PLAIN_GLOB.test(name)) ? names : undefined;
}
