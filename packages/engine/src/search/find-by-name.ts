// Files and directories by name pattern, newest first. Our own walk: it must see directories, which
// ripgrep does not list, and it follows no link.
import fs from "node:fs";
import { compareBytes } from "../files/byte-order.ts";
import { EngineError, errnoOf } from "../engine-error.ts";
import { literalPrefix, matchesPathOrName } from "@bosun/platform/glob";
import { compileGlob } from "../scope/glob-pattern.ts";
import type { PathGlob } from "@bosun/platform/glob";
import { openListed } from "../files/list-directory.ts";
import { joinPath } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import type { Scope } from "../scope/scope.ts";
import { TimeSlices } from "../time-slices.ts";
import { Deadline } from "./search-deadline.ts";
import type { Ended } from "./search-deadline.ts";
import { rulesAbove } from "./gitignore.ts";
import { IgnoreBudget } from "./ignore-budget.ts";
import { resolveLinkedFile } from "./linked-places.ts";
import { walkTree } from "./walk-tree.ts";
import type { WalkedEntry } from "./walk-tree.ts";

export type GlobRequest = {
  readonly pattern: string;
  readonly type?: "file" | "directory";
  /** The newest so many are returned. */
  readonly maxResults: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
};

export type GlobResult = {
  /** Relative to the directory searched; newest first, ties by path. */
  readonly paths: readonly string[];
  readonly total: number;
  /** Why the search ended before everything was seen, when it did. */
  readonly ended: Ended | undefined;
  /** The ignore rules here take too long to apply: what they leave out may be among the paths. */
  readonly rulesGivenUp: boolean;
};

/** A missing directory, or a file in its place, holds nothing: that is no error here. */
export async function glob(place: ScopedPath, request: GlobRequest): Promise<GlobResult> {
  if (request.pattern === "") throw new EngineError("INVALID_INPUT", "pattern must not be empty", { reason: "empty" });
  const pattern = compileGlob(belowRoot(request.pattern, place), { foldCase: place.scope.foldCase });
  if (place.entry?.kind !== "directory") return { paths: [], total: 0, ended: undefined, rulesGivenUp: false };
  using deadline = new Deadline(request.timeoutMs, request.signal);
  using top = openListed(place);
  const newest = new Newest(request.maxResults);
  const work = new IgnoreBudget();
  await walkTree(place.scope, top, {
    work,
    rules: rulesAbove(top.path, work),
    slices: new TimeSlices(deadline.looking),
    wants: (kind) =>
      kind === "directory" ? request.type !== "file" : kind !== "special" && request.type !== "directory",
    enters: mayHold(pattern),
    visit: (entry) => {
      if (!matchesPathOrName(pattern, entry.path)) return;
      const mtimeNs = stampOf(place.scope, entry);
      if (mtimeNs !== undefined) newest.add(entry.path, mtimeNs);
    },
  });
  return { paths: newest.paths(), total: newest.total, ended: deadline.ended, rulesGivenUp: work.incomplete };
}

/** `./x` means x; an absolute pattern means what is below the directory searched. */
function belowRoot(source: string, place: ScopedPath): string {
  const plain = source.replace(/^(\.\/+)+/, "");
  if (plain === "") throw new EngineError("INVALID_GLOB", `invalid glob pattern: ${source}`, { pattern: source });
  if (!plain.startsWith("/")) return plain;
  for (const root of [place.path, place.shown.replace(/\/+$/, "")]) {
    const prefix = root === "/" ? "/" : `${root}/`;
    if (plain.startsWith(prefix) && plain.length > prefix.length) return plain.slice(prefix.length);
  }
  return plain; // elsewhere: matches nothing below
}

/** A pattern with fixed directories in front can only match below them. One without a slash matches at any depth. */
function mayHold(pattern: PathGlob): (directory: string) => boolean {
  const prefixes = pattern.alternatives.map((segments) => literalPrefix(segments).slice(0, segments.length - 1));
  if (prefixes.some((prefix) => prefix.length === 0)) return () => true;
  return (directory) => {
    const names = (pattern.foldCase ? directory.toLowerCase() : directory).split("/");
    return prefixes.some((prefix) => names.every((name, i) => i >= prefix.length || prefix[i] === name));
  };
}

/** Undefined for what is not listed: links to directories, broken ones, those that lead out. */
function stampOf(scope: Scope, entry: WalkedEntry): bigint | undefined {
  if (entry.kind === "symlink") {
    using target = resolveLinkedFile(scope, joinPath(entry.directory.path, entry.name));
    return target?.entry?.stat.mtimeNs;
  }
  try {
    return fs.lstatSync(entry.directory.at(entry.name), { bigint: true }).mtimeNs;
  } catch (error) {
    if (errnoOf(error) === undefined) throw error;
    return undefined; // gone since it was listed
  }
}

/** The newest so many of any number. */
class Newest {
  total = 0;
  readonly #max: number;
  #found: { path: string; mtimeNs: bigint }[] = [];

  constructor(max: number) {
    this.#max = max;
  }

  add(path: string, mtimeNs: bigint): void {
    this.total += 1;
    this.#found.push({ path, mtimeNs });
    if (this.#found.length >= 2 * this.#max + 1000) this.#trim();
  }

  paths(): string[] {
    this.#trim();
    return this.#found.map(({ path }) => path);
  }

  #trim(): void {
    this.#found.sort((a, b) =>
      a.mtimeNs === b.mtimeNs ? compareBytes(a.path, b.path) : a.mtimeNs > b.mtimeNs ? -1 : 1,
    );
    this.#found = this.#found.slice(0, this.#max);
  }
}
