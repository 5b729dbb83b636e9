// The places that a person's own programs run or obey outside the sandbox, and that nothing of an agent's may change: git's
// hooks and configuration, and the start-up files of the home folder where that is inside the boundary.
import type { HeldPlace } from "../sandbox/boundary.ts";
import { entryStat } from "../sandbox/entry-stat.ts";
import { entryIn, folderOf, realPathOf, resolvedIn } from "../sandbox/path-text.ts";
import { isWithin } from "../scope/scope.ts";
import { readFolder } from "../sandbox/read-folder.ts";
import { readConfigOf } from "./config-named.ts";
import type { ConfigFacts } from "./config-named.ts";
import { HOME_PLACES } from "./home-places.ts";
import { hopsOf } from "./link-targets.ts";
import { modulesIn, worktreesIn } from "./module-folders.ts";
import { absoluteHome, OpenPlaces } from "./protection-exemptions.ts";
import { findRepositories } from "./repositories.ts";
import type { Repository } from "./repositories.ts";

/** Git knows about thirty. */
const MOST_LINKED_HOOKS = 64;

export type HoldOptions = {
  /** Allowed folders, real paths: nothing else is writable. Of an unscoped server the folder it works in. */
  readonly roots: readonly string[];
  /** Everything is writable, not only what is in `roots`. */
  readonly everywhere?: boolean;
  readonly home: string;
  /** Patterns of what the person has opened. */
  readonly open: readonly string[];
  /** Further places without wildcards, relative to each root and repository, or absolute. */
  readonly extra: readonly string[];
  /** Whether the places of the built-in list are held; `extra` always is. */
  readonly enabled: boolean;
};

/** How a person's programs use a place, for messages. */
export type HeldUse =
  "run by git" | "obeyed by git" | "read by the person's programs when they start" | "held by the settings";

export type ProtectedPlace = HeldPlace & {
  readonly use: HeldUse;
  readonly isFolder: boolean;
  /** It is no part of a git folder: a configuration names it, or it is in the home folder. */
  readonly isElsewhere?: boolean;
};

/** What was found, and the files whose change would make it another list. */
export type HeldList = {
  readonly places: readonly ProtectedPlace[];
  /** What git runs and commands may write: it is put back after them. */
  readonly scripts: readonly string[];
  readonly watched: readonly string[];
};

export function heldPlaces(options: HoldOptions): ProtectedPlace[] {
  return [...listHeldPlaces(options, findRepositories(options.roots)).places];
}

export function listHeldPlaces(options: HoldOptions, repositories: readonly Repository[]): HeldList {
  const collector = new Collector(options, repositories);
  if (options.enabled) {
    for (const repository of repositories) collector.addRepository(repository);
    collector.addHome();
  }
  collector.addExtra();
  return collector.list();
}

class Collector {
  readonly #options: HoldOptions;
  readonly #open: OpenPlaces;
  readonly #bases: readonly string[];
  readonly #places = new Map<string, ProtectedPlace>();
  /** Folders that are held as one. */
  readonly #whole = new Set<string>();
  readonly #scripts = new Set<string>();
  readonly #watched = new Set<string>();

  constructor(options: HoldOptions, repositories: readonly Repository[]) {
    this.#options = options;
    this.#open = new OpenPlaces(options.open, options.home);
    this.#bases = [...options.roots, ...repositories.map(({ top }) => top)];
  }

  list(): HeldList {
    return { places: [...this.#places.values()], scripts: [...this.#scripts], watched: [...this.#watched] };
  }

  addRepository(repository: Repository): void {
    const { gitDir, commonDir, pointer } = repository;
    if (pointer !== undefined) this.#add({ path: pointer, absent: "nothing", use: "obeyed by git", isFolder: false });
    const facts = readConfigOf(repository, this.#options.home);
    for (const file of facts.read) this.#watched.add(file);
    this.#addShared(commonDir, facts);
    if (gitDir !== commonDir) this.#addOfWorktree(gitDir, facts);
    const [worktrees, modules] = [worktreesIn(commonDir), modulesIn(commonDir)];
    for (const folder of [...worktrees.watched, ...modules.watched]) this.#watched.add(folder);
    for (const folder of worktrees.gitDirs) this.#addOfWorktree(folder, facts);
    if (modules.isTooMany === true) this.#addAllModules(entryIn(commonDir, "modules"));
    else for (const folder of modules.gitDirs) this.#addShared(folder, facts);
    for (const { path: named, kind } of facts.named) {
      if (kind === "script") {
        if (this.#isWritable(named) && !this.#places.has(named)) this.#scripts.add(named);
        continue;
      }
      const isFolder = kind === "hooks";
      // Elsewhere nothing of ours may stand in the person's folder: what is made there is put back afterwards.
      const absent = isFolder && isWithin(commonDir, named) ? "folder" : "nothing";
      const use = kind === "config" ? "obeyed by git" : "run by git";
      this.#add({ path: named, absent, use, isFolder, isElsewhere: true });
      if (isFolder) this.#addLinkedHooks(named);
    }
  }

  addHome(): void {
    const { home, roots, everywhere } = this.#options;
    if (everywhere !== true && !roots.some((root) => isWithin(root, home))) return;
    for (const name of HOME_PLACES) {
      const file = entryIn(home, name);
      this.#watched.add(file);
      const found = statOf(file);
      if (found === undefined) continue;
      const use = "read by the person's programs when they start";
      // A mount holds a name: what is changed through another one can only be put back.
      const hasOtherNames = found === "other" && (entryStat(file)?.nlink ?? 0) > 1;
      const isPutBack = hasOtherNames ? { isPutBack: true } : {};
      this.#add({ path: file, absent: "nothing", use, isFolder: found === "folder", isElsewhere: true, ...isPutBack });
    }
  }

  addExtra(): void {
    for (const source of this.#options.extra) {
      const named = absoluteHome(source, this.#options.home);
      for (const file of new Set(this.#bases.map((base) => resolvedIn(base, named)))) {
        this.#watched.add(file);
        this.#add({ path: file, absent: "nothing", use: "held by the settings", isFolder: statOf(file) === "folder" });
      }
    }
  }

  /** Of a repository, or of a submodule's. */
  #addShared(gitDir: string, facts: Pick<ConfigFacts, "worktreeConfig">): void {
    const at = (name: string): string => entryIn(gitDir, name);
    this.#add({ path: at("hooks"), absent: "folder", use: "run by git", isFolder: true });
    this.#addLinkedHooks(at("hooks"));
    // Nothing and an empty file mean the same to git.
    this.#addFile(at("config"), { content: "" });
    // With a file of that name git reads another configuration. "." says what none says.
    this.#addFile(at("commondir"), { content: ".\n" });
    this.#addFile(at("config.worktree"), facts.worktreeConfig ? { content: "" } : "nothing");
  }

  /** A hook that is a link to a file of the project, which git tracks: commands go on writing it. */
  #addLinkedHooks(hooks: string): void {
    this.#watched.add(hooks);
    const links = readFolder(hooks).filter(({ kind }) => kind === "link");
    for (const { name } of links.slice(0, MOST_LINKED_HOOKS)) {
      for (const target of hopsOf(entryIn(hooks, name))) {
        this.#watched.add(folderOf(target));
        if (this.#isWritable(target) && !isWithin(hooks, target)) this.#scripts.add(target);
      }
    }
  }

  /** As one: a mount for each would hold up every command. Nothing can be committed in a submodule then. */
  #addAllModules(folder: string): void {
    // Thousands of objects are in it, too: they are not read to be put back.
    this.#add({ path: folder, absent: "nothing", use: "obeyed by git", isFolder: true, isPutBack: false });
    for (const file of this.#places.keys()) if (file !== folder && isWithin(folder, file)) this.#places.delete(file);
    this.#whole.add(folder);
  }

  #addOfWorktree(gitDir: string, facts: Pick<ConfigFacts, "worktreeConfig">): void {
    this.#addFile(entryIn(gitDir, "commondir"), "nothing");
    this.#addFile(entryIn(gitDir, "gitdir"), "nothing");
    this.#addFile(entryIn(gitDir, "config.worktree"), facts.worktreeConfig ? { content: "" } : "nothing");
  }

  #addFile(file: string, absent: HeldPlace["absent"]): void {
    this.#add({ path: file, absent, use: "obeyed by git", isFolder: false });
  }

  #add(place: ProtectedPlace): void {
    this.#addIfInside(place);
    // Git goes where a link leads: what is there counts as well.
    const real = linkedTo(place.path);
    if (real !== undefined) this.#addIfInside({ ...place, path: real, absent: "nothing" });
  }

  #addIfInside(named: ProtectedPlace): void {
    // The others are the person's own files, some with keys in them: they are not read.
    const { isPutBack = named.use === "run by git" || named.use === "obeyed by git" } = named;
    const isInside = [...this.#whole].some((folder) => folder !== named.path && isWithin(folder, named.path));
    if (isInside) return;
    const place = { ...named, isPutBack };
    if (this.#isWritable(place.path) && !this.#places.has(place.path)) this.#places.set(place.path, place);
  }

  /** Inside, and not opened by the person. */
  #isWritable(file: string): boolean {
    const { roots, everywhere } = this.#options;
    // An allowed folder itself was named by the person: it is not taken away again.
    if (roots.some((root) => isWithin(file, root))) return false;
    if (everywhere !== true && !roots.some((root) => isWithin(root, file))) return false;
    return !this.#open.has(file, this.#bases);
  }
}

function statOf(file: string): "folder" | "other" | undefined {
  const found = entryStat(file);
  return found === undefined ? undefined : found.isDirectory() ? "folder" : "other";
}

/** Where the name leads, when that is another place. */
function linkedTo(file: string): string | undefined {
  const real = realPathOf(file);
  return real === file ? undefined : real;
}
