// The git repositories around and below the allowed folders, found by looking at names: git itself is never run, since its
// configuration may be what somebody planted. A second look costs one lstat per folder.
import { lstatSync, readdirSync, realpathSync } from "node:fs";
import path from "node:path";
import { errnoOf } from "../failure.ts";
import { readBoundedText } from "./bounded-text.ts";
import { isUnchanged, stampOf } from "./folder-stamp.ts";
import type { Stamp } from "./folder-stamp.ts";

/** How far below an allowed folder a repository is looked for. */
const LEVELS = 3;
const MOST_REPOSITORIES = 64;
/** Looked at before every command: with more, that would be felt. Those nearest to the allowed folder come first. */
const MOST_FOLDERS = 4000;
/** A pointer file holds one path. */
const POINTER_BYTES = 8192;

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

export type RepositoryLimits = { readonly levels?: number; readonly repositories?: number; readonly folders?: number };

export function findRepositories(roots: readonly string[], limits: RepositoryLimits = {}): Repository[] {
  return [...new RepositoryFinder(roots, limits).find()];
}

type Folder = {
  readonly stamp: Stamp;
  /** Folders in it to look at, by their paths. */
  readonly below: readonly string[];
  readonly hasGit: boolean;
  readonly isBare: boolean;
};

/**
 * Finds again what `findRepositories` finds, reading only folders in which names came or went. What was found once stays
 * found while it is there: otherwise an agent could make so many new ones that an old one is no longer looked after.
 */
export class RepositoryFinder {
  readonly #roots: readonly string[];
  readonly #limits: Required<RepositoryLimits>;
  #folders = new Map<string, Folder>();
  #found: readonly Repository[] = [];
  #key = "";
  #limited = false;

  /** `roots`: real paths. */
  constructor(roots: readonly string[], limits: RepositoryLimits = {}) {
    this.#roots = roots;
    this.#limits = { levels: LEVELS, repositories: MOST_REPOSITORIES, folders: MOST_FOLDERS, ...limits };
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
      if (!isGone(now.gitDir)) found.set(now.top, now);
    }
    const add = (repository: Repository | undefined): void => {
      if (repository !== undefined && !found.has(repository.top) && !fresh.has(repository.top))
        fresh.set(repository.top, repository);
    };
    this.#limited = false;
    for (const root of this.#roots) {
      const around = enclosing(root);
      if (around !== undefined) found.set(around.top, around);
    }
    this.#search((top) => found.has(top), add);
    const room = Math.max(0, this.#limits.repositories - found.size);
    if (fresh.size > room) this.#limited = true;
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

  #search(isKnown: (top: string) => boolean, add: (repository: Repository | undefined) => void): void {
    const folders = new Map<string, Folder>();
    const { levels, folders: most } = this.#limits;
    let level = [...this.#roots];
    let looked = 0;
    for (let depth = 0; depth <= levels; depth += 1) {
      const next: string[] = [];
      for (const folder of level) {
        looked += 1;
        if (looked > most) {
          this.#limited = true;
          break;
        }
        if (folders.has(folder)) continue;
        // On the last level only `.git` itself matters.
        const seen = depth < levels ? this.#look(folder) : undefined;
        if ((depth === levels || seen?.hasGit === true) && !isKnown(folder)) add(repositoryAt(folder));
        if (seen === undefined) continue;
        folders.set(folder, seen);
        if (seen.isBare && !seen.hasGit) add(bareAt(folder));
        next.push(...seen.below);
      }
      level = next;
    }
    this.#folders = folders;
  }

  #look(folder: string): Folder | undefined {
    const stamp = stampOf(folder);
    const known = this.#folders.get(folder);
    if (known !== undefined && isUnchanged(known.stamp, stamp)) return known;
    try {
      const entries = readdirSync(folder, { withFileTypes: true });
      // A link is no folder here, so none is followed.
      const names = new Set(entries.map(({ name }) => name));
      const isBare = ["HEAD", "objects", "refs"].every((name) => names.has(name));
      const inner = entries.filter((entry) => entry.isDirectory() && !isPassedOver(entry.name, isBare));
      return {
        stamp,
        below: inner.map(({ name }) => inFolder(folder, name)),
        // By the file system's own rules for case: `.GIT` may be `.git`.
        hasGit: kindAt(inFolder(folder, ".git")) !== undefined,
        isBare,
      };
    } catch {
      return undefined; // gone, or closed to us
    }
  }
}

/** In a folder that looks like a bare repository, those with its thousands of objects, too. */
function isPassedOver(name: string, isBare: boolean): boolean {
  return name === "node_modules" || name === ".git" || (isBare && (name === "objects" || name === "refs"));
}

/** The oldest first: when not all can be looked after, those that were there before any agent. Nobody can set this time. */
function byAge(a: Repository, b: Repository): number {
  return bornAt(a.gitDir) - bornAt(b.gitDir);
}

function bornAt(folder: string): number {
  try {
    return lstatSync(folder).birthtimeMs;
  } catch {
    return Infinity;
  }
}

/** What cannot be looked at is not gone. */
function isGone(folder: string): boolean {
  try {
    return lstatSync(folder, { throwIfNoEntry: false }) === undefined;
  } catch (error) {
    return errnoOf(error) === "ENOTDIR";
  }
}

/** The repository that git would find from there: the nearest one above. */
function enclosing(root: string): Repository | undefined {
  for (let folder = root; ; folder = path.posix.dirname(folder)) {
    const found = repositoryAt(folder) ?? (kindAt(inFolder(folder, "HEAD")) === "file" ? bareAt(folder) : undefined);
    if (found !== undefined || folder === "/") return found;
  }
}

function repositoryAt(top: string): Repository | undefined {
  const dotGit = inFolder(top, ".git");
  const kind = kindAt(dotGit);
  if (kind === "folder") return repositoryIn(top, dotGit, undefined);
  if (kind === "file") return repositoryIn(top, pointedAt(dotGit, /^gitdir: /), dotGit);
  if (kind === "link") return repositoryIn(top, realFolder(dotGit), dotGit);
  return undefined;
}

function repositoryIn(top: string, gitDir: string | undefined, pointer: string | undefined): Repository | undefined {
  // Without HEAD it is none for git, but an agent could take that away for a while; the others it cannot.
  const isOne = (folder: string): boolean =>
    ["HEAD", "config", "hooks", "commondir"].some((name) => kindAt(inFolder(folder, name)) !== undefined);
  if (gitDir === undefined || !isOne(gitDir)) return undefined;
  return { top, gitDir, commonDir: commonDirOf(gitDir), pointer };
}

function bareAt(folder: string): Repository | undefined {
  const holds = (name: string): boolean => kindAt(inFolder(folder, name)) === "folder";
  if (!holds("objects") || !holds("refs")) return undefined;
  return { top: folder, gitDir: folder, commonDir: commonDirOf(folder), pointer: undefined };
}

function commonDirOf(gitDir: string): string {
  const file = inFolder(gitDir, "commondir");
  return (kindAt(file) === "file" ? pointedAt(file) : undefined) ?? gitDir;
}

/** The folder that the one line of a file names, relative to the file. */
function pointedAt(file: string, mark?: RegExp): string | undefined {
  const text = readBoundedText(file, POINTER_BYTES);
  if (text === undefined || (mark !== undefined && !mark.test(text))) return undefined;
  const named = (mark === undefined ? text : text.replace(mark, "")).replace(/[\r\n]+$/, "");
  if (named === "" || named.includes("\0")) return undefined;
  return realFolder(path.posix.resolve(path.posix.dirname(file), named));
}

function realFolder(named: string): string | undefined {
  try {
    const real = realpathSync(named);
    return lstatSync(real).isDirectory() ? real : undefined;
  } catch {
    return undefined;
  }
}

function inFolder(folder: string, name: string): string {
  return folder === "/" ? `/${name}` : `${folder}/${name}`;
}

function kindAt(file: string): "folder" | "file" | "link" | "other" | undefined {
  try {
    const found = lstatSync(file, { throwIfNoEntry: false });
    if (found === undefined) return undefined;
    if (found.isDirectory()) return "folder";
    if (found.isFile()) return "file";
    return found.isSymbolicLink() ? "link" : "other";
  } catch {
    return undefined;
  }
}
