// The folders up to three levels below some roots in which git would find a repository: those with a `.git` of any kind, and
// those that look like a bare one; and, at any depth, those that an index of theirs names, and those that a slower look has
// found meanwhile (deep-folders.ts). A second look costs one lstat per folder. Paths keep every byte (path-text.ts).
import { entryStat, isThere } from "../sandbox/entry-stat.ts";
import { entryIn } from "../sandbox/path-text.ts";
import { readFolder } from "../sandbox/read-folder.ts";
import { isUnchanged, stampOf } from "./stamp.ts";
import type { Stamp } from "./stamp.ts";
import { GitlinkFinder } from "./git-index.ts";

/** How far below an allowed folder a repository is looked for. */
const LEVELS = 3;
/** Looked at before every command: with more, that would be felt. Those nearest to the allowed folder come first. */
const MOST_FOLDERS = 4000;
/** Repositories named in repositories named in repositories. */
const GITLINK_ROUNDS = 8;

export type FolderLimits = {
  readonly levels?: number;
  readonly folders?: number;
  /** Where one was found that is not looked for here. */
  readonly deeper?: (() => readonly string[]) | undefined;
};

export type RepositoryFolder = {
  readonly folder: string;
  readonly hasGit: boolean;
  readonly isBare: boolean;
  /** It may have been there long before it was found. */
  readonly isLate?: boolean;
};

type Listing = RepositoryFolder & {
  readonly stamp: Stamp;
  /** Folders in it to look at, by their paths. */
  readonly below: readonly string[];
};

type Walk = { readonly found: RepositoryFolder[]; readonly seen: Set<string>; readonly isCut: boolean };

export class RepositoryFolders {
  readonly #roots: readonly string[];
  readonly #levels: number;
  readonly #most: number;
  readonly #deeper: () => readonly string[];
  readonly #gitlinks = new GitlinkFinder();
  #known = new Map<string, Listing>();
  /** When folders were made, of levels with too many of them. */
  #births = new Map<string, number>();
  #limited = false;

  constructor(roots: readonly string[], limits: FolderLimits = {}) {
    const { levels = LEVELS, folders = MOST_FOLDERS, deeper = () => [] } = limits;
    this.#roots = roots;
    this.#levels = levels;
    this.#most = folders;
    this.#deeper = deeper;
  }

  /** The last time there were more folders than are looked at. */
  get limited(): boolean {
    return this.#limited;
  }

  find(): RepositoryFolder[] {
    const listings = new Map<string, Listing>();
    const births = new Map<string, number>();
    let walk = this.#walk(listings, (folders, room) => folders.slice(0, room));
    this.#limited = walk.isCut;
    // Some of each level then, the oldest: an agent could otherwise make so many folders that a new start, which knows nothing
    // yet, does not come to those that were there before.
    if (walk.isCut)
      walk = this.#walk(listings, (folders, room, isLast) => this.#oldest(folders, isLast ? room : room >> 1, births));
    [this.#known, this.#births] = [listings, births];
    this.#add(walk.found, walk.seen, this.#deeper(), true);
    this.#addGitlinks(walk.found, walk.seen);
    return walk.found;
  }

  #walk(listings: Map<string, Listing>, chosen: (folders: string[], room: number, isLast: boolean) => string[]): Walk {
    const found: RepositoryFolder[] = [];
    const seen = new Set<string>();
    let isCut = false;
    let level = [...new Set(this.#roots)];
    for (let depth = 0; depth <= this.#levels; depth += 1) {
      const next: string[] = [];
      const isLast = depth === this.#levels;
      const fresh = level.filter((folder) => !seen.has(folder));
      const looked = depth === 0 ? fresh : chosen(fresh, this.#most - seen.size, isLast);
      if (looked.length < fresh.length) isCut = true;
      for (const folder of looked) {
        seen.add(folder);
        const listing = isLast ? undefined : this.#list(folder, listings);
        if (listing !== undefined) next.push(...listing.below);
        const { hasGit, isBare } = listing ?? lookedAt(folder);
        if (hasGit || isBare) found.push({ folder, hasGit, isBare });
      }
      level = next;
    }
    return { found, seen, isCut };
  }

  /** Nobody can set when a folder was made. One that is made in the place of an old one counts as old until the next start. */
  #oldest(folders: string[], room: number, births: Map<string, number>): string[] {
    if (folders.length <= room) return folders;
    const born = (folder: string): number => {
      const known = this.#births.get(folder) ?? entryStat(folder)?.birthtimeMs ?? Infinity;
      births.set(folder, known);
      return known;
    };
    return folders
      .map((folder) => ({ folder, born: born(folder) }))
      .toSorted((one, other) => one.born - other.born)
      .slice(0, room)
      .map(({ folder }) => folder);
  }

  /** Git goes into the repositories that an index names, at any depth, and an agent can add one to it. */
  #addGitlinks(found: RepositoryFolder[], seen: Set<string>): void {
    for (let round = 0; round < GITLINK_ROUNDS; round += 1) {
      const tops = found.filter(({ hasGit }) => hasGit);
      const linked = this.#gitlinks.find(tops.map(({ folder }) => ({ top: folder, gitDir: entryIn(folder, ".git") })));
      const fresh = linked.filter((folder) => !seen.has(folder));
      if (fresh.length === 0) return;
      this.#add(found, seen, fresh, false);
    }
    this.#limited = true;
  }

  #add(found: RepositoryFolder[], seen: Set<string>, folders: readonly string[], isLate: boolean): void {
    for (const folder of folders) {
      if (seen.has(folder)) continue;
      seen.add(folder);
      const { hasGit, isBare } = lookedAt(folder);
      if (hasGit || isBare) found.push({ folder, hasGit, isBare, isLate });
    }
  }

  #list(folder: string, listings: Map<string, Listing>): Listing {
    const already = listings.get(folder);
    if (already !== undefined) return already;
    const stamp = stampOf(folder);
    const known = this.#known.get(folder);
    const listing = known !== undefined && isUnchanged(known.stamp, stamp) ? known : listed(folder, stamp);
    listings.set(folder, listing);
    return listing;
  }
}

function listed(folder: string, stamp: Stamp): Listing {
  // A link is no folder here, so none is followed. Gone, or closed to us: empty.
  const entries = readFolder(folder);
  const names = new Set(entries.map(({ name }) => name));
  const isBare = looksBare((name) => names.has(name));
  const inner = entries.filter(({ name, kind }) => kind === "folder" && !isPassedOver(name, isBare));
  // By the file system's own rules for case: `.GIT` may be `.git`.
  const hasGit = isThere(entryIn(folder, ".git"));
  return { folder, stamp, below: inner.map(({ name }) => entryIn(folder, name)), hasGit, isBare };
}

/** On the last level folders are not listed: what is below them does not matter. */
function lookedAt(folder: string): Pick<RepositoryFolder, "hasGit" | "isBare"> {
  return {
    hasGit: isThere(entryIn(folder, ".git")),
    isBare: looksBare((name) => isThere(entryIn(folder, name))),
  };
}

/** Git asks for HEAD, and for objects and refs there or where a commondir leads. */
export function looksBare(has: (name: string) => boolean): boolean {
  return has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
}

/** In a folder that looks like a bare repository, those with its thousands of objects, too. */
function isPassedOver(name: string, isBare: boolean): boolean {
  return name === "node_modules" || name === ".git" || (isBare && (name === "objects" || name === "refs"));
}
