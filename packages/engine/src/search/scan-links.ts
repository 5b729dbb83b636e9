// Links and directories below a directory, by name: the fast way, for hints only. Unlike the walk it opens no directory
// for itself, so a swap could mislead it; whatever it finds is resolved through the scope before anybody acts on it.
import fs from "node:fs";
import { errnoOf, ioError, isExhausted } from "../engine-error.ts";
import { BIG_DIRECTORY_BYTES, isHidden } from "../files/directory-entries.ts";
import { joinPath } from "../scope/directory.ts";
import type { Directory } from "../scope/directory.ts";
import type { Scope } from "../scope/scope.ts";
import type { TimeSlices } from "../time-slices.ts";
import { isGitIgnored, isTrapped, readRules, repositoryRules, withRulesOf } from "./gitignore.ts";
import type { IgnoreRules } from "./gitignore.ts";
import type { IgnoreBudget } from "./ignore-budget.ts";
import { FolderCache } from "./folder-cache.ts";
import type { Folder } from "./folder-cache.ts";
import { ALWAYS_SKIPPED, MAX_DEPTH } from "./walk-tree.ts";

export type Scan = {
  /** A directory by its path below the top; returns whether to look into it. */
  readonly directory: (below: string) => boolean;
  readonly link: (below: string) => void;
  /** Its rules are no files: who reads them as such may not come back. */
  readonly trap: () => void;
};

type Level = { readonly below: string; readonly rules: IgnoreRules | undefined; readonly depth: number };

/** Stops without error when cancelled. The order is the file system's. */
export async function scanLinks(
  scope: Scope,
  top: Directory,
  rules: IgnoreRules | undefined,
  scan: Scan,
  slices: TimeSlices,
  work: IgnoreBudget,
): Promise<void> {
  const levels: Level[] = [{ below: "", rules, depth: 0 }];
  for (let level = levels.pop(); level !== undefined; level = levels.pop()) {
    if (slices.cancelled) return;
    if (slices.due) await slices.pause();
    const real = level.below === "" ? top.path : joinPath(top.path, level.below);
    const found = folderAt(real);
    const folder = found instanceof Promise ? await found : found;
    if ((folder.namesRules || folder.isRepository) && isTrapped(real, folder.isRepository)) scan.trap();
    const inForce = rulesAt(level, folder, real, work);
    const seen = (name: string, isDirectory: boolean): string | undefined => {
      if (ALWAYS_SKIPPED.includes(name)) return undefined;
      const realEntry = joinPath(real, name);
      if (inForce !== undefined && isGitIgnored(inForce, realEntry, isDirectory)) return undefined;
      if (isHidden(scope, realEntry)) return undefined;
      return level.below === "" ? name : `${level.below}/${name}`;
    };
    for (const name of folder.links) {
      const below = seen(name, false);
      if (below !== undefined) scan.link(below);
    }
    for (const name of folder.directories) {
      const below = seen(name, true);
      if (below !== undefined && scan.directory(below) && level.depth < MAX_DEPTH)
        levels.push({ below, rules: inForce, depth: level.depth + 1 });
    }
  }
}

function rulesAt(level: Level, folder: Folder, real: string, work: IgnoreBudget): IgnoreRules | undefined {
  // A repository inside: what is above it has no say.
  const rules = level.depth > 0 && folder.isRepository ? repositoryRules(real, work) : level.rules;
  return folder.hasRules ? withRulesOf(rules, real, readRules(joinPath(real, ".gitignore"), work), work) : rules;
}

const known = new FolderCache();
const EMPTY: Folder = { directories: [], links: [], hasRules: false, namesRules: false, isRepository: false };

/** At once, unless that would hold others up. What is unreadable or gone is skipped without a word. */
function folderAt(at: string): Folder | Promise<Folder> {
  try {
    const stat = fs.statSync(at);
    const recalled = known.recall(at, stat);
    if (recalled !== undefined) return recalled;
    const keep = (entries: readonly fs.Dirent[]): Folder => known.keep(at, stat, entries);
    return stat.size > BIG_DIRECTORY_BYTES
      ? fs.promises.readdir(at, { withFileTypes: true }).then(keep).catch(nothing)
      : keep(fs.readdirSync(at, { withFileTypes: true }));
  } catch (error) {
    return nothing(error);
  }
}

function nothing(error: unknown): Folder {
  if (errnoOf(error) === undefined || isExhausted(error)) throw ioError("list directory", ".", error);
  return EMPTY;
}
