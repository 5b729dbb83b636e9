// Where git would find a repository in some folders and below, and by what a replaced one is known. Asked before and after
// commands.
import fs from "node:fs";
import { bytesOfPath, entryIn, fsPath, textOfPath } from "../sandbox/path-text.ts";
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

  /** Paths in latin1. */
  constructor(roots: readonly string[]) {
    this.#folders = new RepositoryFolders(roots.map((root) => textOfPath(Buffer.from(root, "latin1"))));
  }

  find(): GitFolders {
    const found = new Map<string, GitIdentity>();
    for (const { folder, hasGit, isBare } of this.#folders.find()) {
      if (isBare) note(found, folder);
      if (hasGit) note(found, entryIn(folder, ".git"));
    }
    return found;
  }
}

function note(found: Map<string, GitIdentity>, place: string): void {
  const stat = statAt(place);
  if (stat !== undefined) found.set(bytesOfPath(place).toString("latin1"), identityOf(stat));
}

function identityOf({ ino, birthtimeNs, ctimeNs }: fs.BigIntStats): GitIdentity {
  // Where a file system does not know, the last change is given instead.
  return { ino: String(ino), born: birthtimeNs === ctimeNs ? "" : String(birthtimeNs) };
}

function statAt(place: string): fs.BigIntStats | undefined {
  try {
    return fs.lstatSync(fsPath(place), { bigint: true, throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
