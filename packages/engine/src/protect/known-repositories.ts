// The repositories that are known in some folders, those among them that commands made, and what of each is settled.
// Paths are bytes as latin1 text.
import { entryStat } from "../sandbox/entry-stat.ts";
import { isWithin } from "../scope/scope.ts";
import { gitFoldersInside, GitFolderSearch, identityAt, isSameGit } from "./git-folders.ts";
import type { GitFolders, GitIdentity } from "./git-folders.ts";
import type { JournalContent } from "./crash-journal.ts";
import { gitFoldersOf } from "./new-repositories.ts";
import type { GitPlaces } from "./settled-places.ts";
import { pathTextOf } from "./place-state.ts";

export type KnownRepositoriesOptions = {
  /** Where they are looked for. */
  readonly starts: readonly string[];
  /** Allowed folders; empty: everything. */
  readonly roots: readonly string[];
  /** Nothing holds what git obeys. */
  readonly settlesGit: boolean;
  /** Further folders where one was found, maybe long after it was made. */
  readonly deeper?: (() => readonly string[]) | undefined;
};

export class KnownRepositories {
  readonly #options: KnownRepositoriesOptions;
  readonly #search: GitFolderSearch;
  #known: GitFolders = new Map();
  readonly #folders: Set<string>;
  #made: GitFolders = new Map();

  constructor(options: KnownRepositoriesOptions, left?: JournalContent) {
    this.#options = options;
    this.#search = new GitFolderSearch(options.starts, options.deeper);
    this.#known = left?.git ?? new Map();
    this.#folders = new Set(left?.gitFolders);
  }

  /** Nothing holds those, so that they can be removed again. As long as they are the very same; another map when it changes. */
  get made(): GitFolders {
    return this.#made;
  }

  get journal(): Pick<JournalContent, "git" | "gitFolders" | "made"> {
    const git = new Map([...this.#known].filter(([place]) => !this.#made.has(place)));
    return { git, gitFolders: this.#folders, made: this.#made };
  }

  /** What git finds; and inside of it, where that is settled, the git folders of submodules and worktrees. */
  find(): GitFolders {
    const { roots, settlesGit } = this.#options;
    const found = new Map(this.#search.find());
    const isInScope = (folder: string): boolean => roots.length === 0 || roots.some((root) => isWithin(root, folder));
    const folders = new Set(
      [...found.keys()].filter((place) => settlesGit || this.#made.has(place)).flatMap((place) => gitFoldersAt(place)),
    );
    for (const folder of folders) {
      if (!isInScope(folder)) continue;
      for (const [inner, identity] of gitFoldersInside(folder)) found.set(inner, identity);
    }
    return found;
  }

  newIn(found: GitFolders): [place: string, identity: GitIdentity][] {
    return [...found].filter(([place, identity]) => !isSameGit(this.#known.get(place), identity));
  }

  /** Found later than it was made: who made it is not known by when it was found. */
  isLate(place: string): boolean {
    return !this.#known.has(place) && this.#search.isLate(place);
  }

  /** One that a command made may also be gone again. */
  isNew(place: string): boolean {
    const made = this.#made.get(place);
    if (made === undefined) return !this.#known.has(place);
    const now = identityAt(pathTextOf(place));
    return now === undefined || !isSameGit(made, now);
  }

  /** Whether it was ever a repository's: a worktree's may be an old one; one that was made anew is new also where one was. */
  hasFolder(folder: string): boolean {
    return this.#folders.has(folder);
  }

  /** What git obeys is settled where nothing holds it. */
  placesOf(folder: string): GitPlaces[] {
    const { settlesGit } = this.#options;
    const made = [...this.#made.keys()];
    const dotGit = inFolder(folder, ".git");
    const inMadeTop = made.some((place) => isWithin(place.slice(0, -"/.git".length), folder));
    const places: GitPlaces[] = [];
    if (settlesGit || this.#made.has(dotGit)) places.push("in .git");
    if ((settlesGit && this.#folders.has(folder)) || made.some((place) => isWithin(place, folder)))
      places.push("git folder");
    const isPointer = settlesGit || inMadeTop ? kindAt(dotGit) === "other" : false;
    return isPointer ? [...places, "pointer"] : places;
  }

  addMade(made: readonly (readonly [string, GitIdentity])[]): void {
    if (made.some(([place, one]) => this.#made.get(place) !== one)) this.#made = new Map([...this.#made, ...made]);
  }

  /** The places that came, went or are others now; undefined when none did. They are known once they are accepted. */
  meet(found: GitFolders): readonly string[] | undefined {
    const fresh = this.newIn(found);
    if (fresh.length === 0 && found.size === this.#known.size) return undefined;
    const isStill = ([place, identity]: readonly [string, GitIdentity]): boolean => {
      const now = found.get(place);
      return now !== undefined && isSameGit(identity, now);
    };
    const gone = [...this.#made].filter((one) => !isStill(one)).map(([place]) => place);
    if (gone.length > 0) this.#made = new Map([...this.#made].filter(isStill));
    for (const place of found.keys()) for (const folder of gitFoldersAt(place)) this.#folders.add(folder);
    return [...gone, ...fresh.map(([place]) => place)];
  }

  accept(found: GitFolders): void {
    this.#known = found;
  }
}

export function isInsideGit(place: string, found: GitFolders): boolean {
  const isNamedSo = /\/(?:modules|worktrees)\//.test(place);
  return isNamedSo && [...found.keys()].some((one) => one !== place && isWithin(one, place));
}

export function splitPlace(place: string): [top: string, name: string] {
  const slash = place.lastIndexOf("/");
  return [place.slice(0, slash) || "/", place.slice(slash + 1)];
}

export function inFolder(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}

export function kindAt(place: string): "folder" | "other" | undefined {
  const stat = entryStat(pathTextOf(place));
  return stat && (stat.isDirectory() ? "folder" : "other");
}

function gitFoldersAt(place: string): string[] {
  return gitFoldersOf(place, ...splitPlace(place));
}
