// The git folders inside another one: those of submodules, which lie in each other and may have slashes in their names, and
// those of worktrees. Paths keep every byte (path-text.ts).
import { entryStat } from "../sandbox/entry-stat.ts";
import { entryIn } from "../sandbox/path-text.ts";
import { readFolder } from "../sandbox/read-folder.ts";

const MOST_WORKTREES = 256;
const MODULE_LEVELS = 8;
const MOST_MODULE_FOLDERS = 500;
/** Two mounts each, of a tenth of a millisecond, before every command. */
const MOST_MODULES = 100;

export type ModuleFolders = {
  readonly gitDirs: readonly string[];
  /** Where others would appear. */
  readonly watched: readonly string[];
  /** There are more than are looked after one by one. */
  readonly isTooMany?: boolean;
};

export function modulesIn(gitDir: string): ModuleFolders {
  const gitDirs: string[] = [];
  const watched: string[] = [];
  let level = [entryIn(gitDir, "modules")];
  for (let depth = 0; depth < MODULE_LEVELS; depth += 1) {
    const next: string[] = [];
    for (const folder of level) {
      if (watched.length >= MOST_MODULE_FOLDERS || gitDirs.length > MOST_MODULES)
        return { gitDirs, watched, isTooMany: true };
      watched.push(folder);
      for (const inner of foldersIn(folder)) {
        const isGitDir = entryStat(entryIn(inner, "HEAD")) !== undefined;
        if (isGitDir) gitDirs.push(inner);
        next.push(isGitDir ? entryIn(inner, "modules") : inner);
      }
    }
    level = next;
  }
  return { gitDirs, watched };
}

export function worktreesIn(gitDir: string): ModuleFolders {
  const folder = entryIn(gitDir, "worktrees");
  return { gitDirs: foldersIn(folder).slice(0, MOST_WORKTREES), watched: [folder] };
}

function foldersIn(folder: string): string[] {
  return readFolder(folder).flatMap(({ name, kind }) => (kind === "folder" ? [entryIn(folder, name)] : []));
}
