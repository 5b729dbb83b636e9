// Which files hold a match: ripgrep's own walk, with its own speed, over the tree and over what links in it lead to.
// Only names come out of here; whether a name may be shown is judged where it is opened.
import { EngineError } from "../engine-error.ts";
import { kindOfFile } from "../files/file-kind.ts";
import { openForReading } from "../files/open-file.ts";
import { joinPath } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import type { ScopedPath } from "../scope/scoped-path.ts";
import { deniedBy, isIgnored } from "../scope/scope.ts";
import type { Scope } from "../scope/scope.ts";
import { LeftOut } from "./gitignore.ts";
import type { GrepPlan } from "./grep-request.ts";
import { IgnoreBudget } from "./ignore-budget.ts";
import { resolveLinkedFile } from "./linked-places.ts";
import type { LinkedDirectory, Links } from "./linked-places.ts";
import { argumentFor, pinEntry } from "./open-candidate.ts";
import type { Pinned, Pinner } from "./open-candidate.ts";
import { RipgrepRun } from "./ripgrep.ts";

const NUL = 0;
/** Of the file before. No path that it is given begins with a digit. */
const COUNT_BEFORE = /^\d+\n/;
/** In a repository ripgrep heeds what is above, up to its root; elsewhere only what is here and below. */
const WITHOUT_REPOSITORY = ["--no-require-git", "--no-ignore-parent"];

export type Candidate = {
  /** As results show it. */
  readonly path: string;
  /** Opens it, verified; undefined when it may not be shown or is gone. */
  readonly pin: () => Pinned | undefined;
  /** Its time stamp, and whether it is sure that the match was in this very file. */
  readonly look: () => { readonly mtimeNs: bigint; readonly stable: boolean } | undefined;
};

export type PinnerOf = (directory: Directory) => Pinner;

export type ContentSearch = {
  readonly scope: Scope;
  readonly top: Directory;
  readonly plan: GrepPlan;
  readonly program: string;
  readonly signal: AbortSignal;
  readonly inRepository: boolean;
  /** Aborted when rules in the tree are no files: ripgrep would wait for them, or read without end. */
  readonly trap: AbortSignal;
  /** Settles when all is known that `trap` could be about. */
  readonly scanned: Promise<void>;
};

/** Then we judge by the rules ourselves, and it reads none. */
const WITHOUT_RULES = ["--no-ignore-vcs"];

/** Candidates below the search directory itself, as they come; `sorted` in walk order, on one thread. */
export async function* findHere(search: ContentSearch, pinnerOf: PinnerOf, sorted: boolean): AsyncGenerator<Candidate> {
  const args = [...(search.inRepository ? [] : WITHOUT_REPOSITORY), ...(sorted ? ["--sort=path"] : [])];
  const found = new Set<string>();
  const untilTrapped = AbortSignal.any([search.signal, search.trap]);
  for await (const relative of namesBelow({ ...search, signal: untilTrapped }, args)) {
    found.add(relative);
    yield below(search.top, relative, relative, pinnerOf);
  }
  await search.scanned;
  if (!search.trap.aborted) return;
  const leftOut = new LeftOut(search.top.path, new IgnoreBudget());
  for await (const relative of namesBelow(search, [...args, ...WITHOUT_RULES])) {
    if (!found.has(relative) && !leftOut.holds(relative)) yield below(search.top, relative, relative, pinnerOf);
  }
}

async function* namesBelow(search: ContentSearch, args: readonly string[]): AsyncGenerator<string> {
  for await (const path of namesOf(search, args, ["./"])) {
    const relative = path.startsWith("./") ? path.slice(2) : path;
    if (search.plan.accepts(relative) && !isHiddenBelow(search.scope, search.top, relative)) yield relative;
  }
}

/** Candidates in linked directories; few trees have any. */
export async function* findInLinked(
  search: ContentSearch,
  links: Links,
  pinnerOf: PinnerOf,
): AsyncGenerator<Candidate> {
  const byArgument = new Map(links.directories.map((linked) => [argumentFor(linked.directory), linked]));
  if (byArgument.size === 0) return;
  const args = [...WITHOUT_REPOSITORY, ...(search.trap.aborted ? WITHOUT_RULES : [])];
  const leftOut = new Map<LinkedDirectory, LeftOut>();
  const work = new IgnoreBudget();
  for await (const path of namesOf(search, args, [...byArgument.keys()])) {
    const found = locate(path, byArgument);
    if (found === undefined) continue;
    const { linked, relative } = found;
    const shown = linked.prefix + relative;
    if (!search.plan.accepts(shown) || !linked.owns(relative)) continue;
    if (isHiddenBelow(search.scope, linked.directory, relative)) continue;
    if (search.trap.aborted) {
      const rules = leftOut.get(linked) ?? new LeftOut(linked.directory.path, work);
      leftOut.set(linked, rules);
      if (rules.holds(relative)) continue;
    }
    yield below(linked.directory, relative, shown, pinnerOf);
  }
}

function below(directory: Directory, relative: string, shown: string, pinnerOf: PinnerOf): Candidate {
  return {
    path: shown,
    pin: () => pinnerOf(directory).pin(relative, shown),
    look: () => pinnerOf(directory).look(relative),
  };
}

/** Links to files: whether they match is not known yet. */
export function linkedFiles(search: ContentSearch, links: Links): Candidate[] {
  return links.files
    .filter(({ path }) => search.plan.accepts(path))
    .map(({ path, realLink }) => {
      const pin = () => pinLinked(search, realLink, path);
      const look = () => {
        using pinned = pin();
        return pinned;
      };
      return { path, pin, look };
    });
}

function pinLinked(search: ContentSearch, realLink: string, shown: string): Pinned | undefined {
  const place = resolveLinkedFile(search.scope, realLink);
  if (place?.entry === undefined) return undefined;
  if (!isSearchable(place, search.plan)) {
    place[Symbol.dispose]();
    return undefined;
  }
  const pinned = pinEntry(place.entry, place.path, shown, false);
  // The parent is not needed any more; the entry stays open with the pin.
  place.parent[Symbol.dispose]();
  return pinned;
}

/** What ripgrep's own walk would have left out: it searches everything it is given by name. */
function isSearchable(place: ScopedPath, plan: GrepPlan): boolean {
  if (place.entry !== undefined && Number(place.entry.stat.size) > plan.maxFileBytes) return false;
  try {
    using file = openForReading(place);
    const { kind } = kindOfFile(file);
    return kind === "text" || kind === "svg";
  } catch (error) {
    if (error instanceof EngineError) return false;
    throw error;
  }
}

async function* namesOf(
  search: ContentSearch,
  args: readonly string[],
  paths: readonly string[],
): AsyncGenerator<string> {
  const run = new RipgrepRun({
    program: search.program,
    args: [...search.plan.selecting, ...args, ...search.plan.naming, "--null", ...search.plan.matching, "--", ...paths],
    cwd: argumentFor(search.top),
    signal: search.signal,
  });
  for await (const record of run.records(NUL)) {
    const path = record.toString("utf8").replace(COUNT_BEFORE, "");
    if (path !== "") yield path;
  }
}

function locate(
  path: string,
  byArgument: Map<string, LinkedDirectory>,
): { linked: LinkedDirectory; relative: string } | undefined {
  for (const [argument, linked] of byArgument) {
    if (path.startsWith(`${argument}/`)) return { linked, relative: path.slice(argument.length + 1) };
  }
  return undefined;
}

/** Denied or ignored, itself or through a directory between. */
function isHiddenBelow(scope: Scope, top: Directory, relative: string): boolean {
  if (scope.deny.length > 0 && deniedBy(scope, joinPath(top.path, relative)) !== undefined) return true;
  if (scope.ignore.length === 0) return false;
  let real = top.path;
  return relative.split("/").some((name) => {
    real = joinPath(real, name);
    return isIgnored(scope, real);
  });
}
