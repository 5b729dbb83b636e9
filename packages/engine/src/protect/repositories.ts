// The git repositories around and below the allowed folders, found by looking at names: git itself is never run, since its
// configuration may be what somebody planted. Paths keep every byte (path-text.ts).
import { entryStat, mayBeThere } from "../sandbox/entry-stat.ts";
import { entryIn, folderOf, realPathOf, textOfPath } from "../sandbox/path-text.ts";
import { readBounded } from "./bounded-file.ts";
import { RepositoryFolders } from "./repository-folders.ts";
import type { FolderLimits } from "./repository-folders.ts";

const MOST_REPOSITORIES = 64;
/** A pointer file holds one path, which git shortens first: `/./` and `//` may stand in it as often as somebody likes. */
const POINTER_BYTES = 1024 * 1024;

export type Repository = {
  /** The folder that holds `.git`; of a bare repository the repository itself. */
  readonly top: string;
  /** Real path. Of a linked worktree its own folder in the main repository. */
  readonly gitDir: string;
  /** Real path of what all worktrees share: hooks and config. */
  readonly commonDir: string;
  /** The `.git` that leads elsewhere: a file of a worktree or submodule, or a link. */
  readonly pointer: string | undefined;
};

export type RepositoryLimits = FolderLimits & { readonly repositories?: number };

export function findRepositories(roots: readonly string[], limits: RepositoryLimits = {}): Repository[] {
  return [...new RepositoryFinder(roots, limits).find()];
}

/**
 * Finds again what `findRepositories` finds, reading only folders in which names came or went. What was found once stays
 * found while it is there: otherwise an agent could make so many new ones that an old one is no longer looked after.
 */
export class RepositoryFinder {
  readonly #roots: readonly string[];
  readonly #most: number;
  readonly #folders: RepositoryFolders;
  #found: readonly Repository[] = [];
  #key = "";
  #limited = false;

  /** `roots`: real paths. */
  constructor(roots: readonly string[], limits: RepositoryLimits = {}) {
    this.#roots = roots;
    this.#most = limits.repositories ?? MOST_REPOSITORIES;
    this.#folders = new RepositoryFolders(roots, limits);
  }

  /** There was more than the limits let us look at. */
  get limited(): boolean {
    return this.#limited;
  }

  /** The very same list as long as nothing has changed. */
  find(): readonly Repository[] {
    const found = new Map<string, Repository>();
    const fresh = new Map<string, Repository>();
    for (const known of this.#found) {
      const now = repositoryAt(known.top) ?? bareAt(known.top) ?? known;
      if (mayBeThere(now.gitDir)) found.set(now.top, now);
    }
    const add = (repository: Repository | undefined): void => {
      if (repository !== undefined && !found.has(repository.top) && !fresh.has(repository.top))
        fresh.set(repository.top, repository);
    };
    for (const root of this.#roots) {
      const around = enclosing(root);
      if (around !== undefined) found.set(around.top, around);
    }
    for (const { folder, hasGit, isBare } of this.#folders.find()) {
      if (found.has(folder)) continue;
      if (hasGit) add(repositoryAt(folder));
      else if (isBare) add(bareAt(folder));
    }
    const room = Math.max(0, this.#most - found.size);
    this.#limited = this.#folders.limited || fresh.size > room;
    for (const repository of [...fresh.values()].toSorted(room < fresh.size ? byAge : () => 0).slice(0, room))
      found.set(repository.top, repository);
    const list = [...found.values()];
    const key = JSON.stringify(list);
    if (key !== this.#key) {
      this.#key = key;
      this.#found = list;
    }
    return this.#found;
  }
}

/** The oldest first: when not all can be looked after, those that were there before any agent. Nobody can set this time. */
function byAge(a: Repository, b: Repository): number {
  return bornAt(a.gitDir) - bornAt(b.gitDir);
}

function bornAt(folder: string): number {
  return entryStat(folder)?.birthtimeMs ?? Infinity;
}

/** The repository that git would find from there: the nearest one above. */
function enclosing(root: string): Repository | undefined {
  for (let folder = root; ; folder = folderOf(folder)) {
    const found = repositoryAt(folder) ?? (kindAt(entryIn(folder, "HEAD")) === "file" ? bareAt(folder) : undefined);
    if (found !== undefined || folder === "/") return found;
  }
}

/** The one whose `.git` is in that very folder. */
export function repositoryAt(top: string): Repository | undefined {
  const dotGit = entryIn(top, ".git");
  const kind = kindAt(dotGit);
  if (kind === "folder") return repositoryIn(top, dotGit, undefined);
  if (kind === "file") return repositoryIn(top, pointedAt(dotGit, /^gitdir: /), dotGit);
  if (kind === "link") return repositoryIn(top, realFolder(dotGit), dotGit);
  return undefined;
}

function repositoryIn(top: string, gitDir: string | undefined, pointer: string | undefined): Repository | undefined {
  // Without HEAD it is none for git, but an agent could take that away for a while; the others it cannot.
  const isOne = (folder: string): boolean =>
    ["HEAD", "config", "hooks", "commondir"].some((name) => kindAt(entryIn(folder, name)) !== undefined);
  if (gitDir === undefined || !isOne(gitDir)) return undefined;
  return { top, gitDir, commonDir: commonDirOf(gitDir), pointer };
}

function bareAt(folder: string): Repository | undefined {
  const holds = (name: string): boolean => kindAt(entryIn(folder, name)) === "folder";
  // What a commondir leads to has the objects: git asks for no more here than HEAD.
  const isLed = kindAt(entryIn(folder, "HEAD")) !== undefined && kindAt(entryIn(folder, "commondir")) !== undefined;
  if (!isLed && (!holds("objects") || !holds("refs"))) return undefined;
  return { top: folder, gitDir: folder, commonDir: commonDirOf(folder), pointer: undefined };
}

function commonDirOf(gitDir: string): string {
  const file = entryIn(gitDir, "commondir");
  const kind = kindAt(file);
  // Git reads it through a link as well.
  return (kind === "file" || kind === "link" ? pointedAt(file) : undefined) ?? gitDir;
}

/** The folder that the one line of a file names, relative to the file. */
function pointedAt(file: string, mark?: RegExp): string | undefined {
  const bytes = readBounded(file, POINTER_BYTES, { followLink: true });
  const text = bytes && textOfPath(bytes);
  if (text === undefined || (mark !== undefined && !mark.test(text))) return undefined;
  const named = (mark === undefined ? text : text.replace(mark, ""))
    .replace(/[\r\n]+$/, "")
    .replaceAll(/\/(?:\.?\/)+/g, "/");
  if (named === "" || named.includes("\0")) return undefined;
  return realFolder(named.startsWith("/") ? named : entryIn(folderOf(file), named));
}

function realFolder(named: string): string | undefined {
  const real = realPathOf(named);
  return real !== undefined && kindAt(real) === "folder" ? real : undefined;
}

function kindAt(file: string): "folder" | "file" | "link" | "other" | undefined {
  const found = entryStat(file);
  if (found === undefined) return undefined;
  if (found.isDirectory()) return "folder";
  if (found.isFile()) return "file";
  return found.isSymbolicLink() ? "link" : "other";
}
