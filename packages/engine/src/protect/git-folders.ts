// Where git would find a repository in some folders and below, and by what a replaced one is known. Asked before and after
// commands.
import type { BigIntStats } from "node:fs";
import { exactEntryStat } from "../sandbox/entry-stat.ts";
import { bytesOfPath, entryIn, textOfPath } from "../sandbox/path-text.ts";
import { modulesIn, worktreesIn } from "./module-folders.ts";
import { RepositoryFolders } from "./repository-folders.ts";

/** The path of what git finds (latin1) → what is there, by which a replaced one is known. */
export type GitFolders = ReadonlyMap<string, GitIdentity>;

export type GitIdentity = {
  readonly ino: string;
  /** When it was made: inodes are used again. Empty where the file system does not say. */
  readonly born: string;
};

export function isSameGit(known: GitIdentity | undefined, now: GitIdentity): boolean {
  return known !== undefined && known.ino === now.ino && (known.born === "" || known.born === now.born);
}

export class GitFolderSearch {
  readonly #folders: RepositoryFolders;
  readonly #late = new Set<string>();

  /** Paths in latin1. */
  constructor(roots: readonly string[], deeper?: () => readonly string[]) {
    const starts = roots.map((root) => textOfPath(Buffer.from(root, "latin1")));
    this.#folders = new RepositoryFolders(starts, { deeper });
  }

  find(): GitFolders {
    const found = new Map<string, GitIdentity>();
    this.#late.clear();
    for (const { folder, hasGit, isBare, isLate } of this.#folders.find()) {
      const places = [...(isBare ? [folder] : []), ...(hasGit ? [entryIn(folder, ".git")] : [])];
      for (const place of places) {
        note(found, place);
        if (isLate === true) this.#late.add(bytesOfPath(place).toString("latin1"));
      }
    }
    return found;
  }

  /** It may have been there long before it was found. */
  isLate(place: string): boolean {
    return this.#late.has(place);
  }
}

/** The git folders of submodules and worktrees inside of one, paths in latin1. */
export function gitFoldersInside(gitDir: string): GitFolders {
  const found = new Map<string, GitIdentity>();
  const folder = textOfPath(Buffer.from(gitDir, "latin1"));
  for (const inner of [...modulesIn(folder).gitDirs, ...worktreesIn(folder).gitDirs]) note(found, inner);
  return found;
}

/** What is there now, by a path that keeps every byte. */
export function identityAt(place: string): GitIdentity | undefined {
  const stat = exactEntryStat(place);
  return stat && identityOf(stat);
}

function note(found: Map<string, GitIdentity>, place: string): void {
  const identity = identityAt(place);
  if (identity !== undefined) found.set(bytesOfPath(place).toString("latin1"), identity);
}

function identityOf({ ino, birthtimeNs, ctimeNs }: BigIntStats): GitIdentity {
  // Where a file system does not know, the last change is given instead.
  return { ino: String(ino), born: birthtimeNs === ctimeNs ? "" : String(birthtimeNs) };
}
