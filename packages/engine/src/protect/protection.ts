// What file tools may not change, asked for each path: the held places as they are now, git's own names in any folder, and
// the same files under other names.
import type { BigIntStats } from "node:fs";
import { EngineError } from "../engine-error.ts";
import { isThere, exactEntryStat, mayBeThere } from "../sandbox/entry-stat.ts";
import { bytesOfPath, entryIn, folderOf } from "../sandbox/path-text.ts";
import { readFolder } from "../sandbox/read-folder.ts";
import { isWithin } from "../scope/scope.ts";
import { isUnchanged, stampOf } from "./stamp.ts";
import type { Stamp } from "./stamp.ts";
import { DeepFolders } from "./deep-folders.ts";
import { identityAt, isSameGit } from "./git-folders.ts";
import type { GitFolders } from "./git-folders.ts";
import { listHeldPlaces } from "./held-places.ts";
import type { HeldList, HeldUse, HoldOptions, ProtectedPlace } from "./held-places.ts";
import { OpenPlaces } from "./protection-exemptions.ts";
import { RepositoryFinder } from "./repositories.ts";
import type { Repository } from "./repositories.ts";

/** Files in held folders that are compared with one that has several names. */
const MOST_COMPARED = 2000;

/** In any folder, whether a repository is there or not: who can make these can make one that git obeys. */
const GIT_NAMES =
  /(?:^|\/)\.git(?:$|\/(?:(hooks)(?:\/|$)|(?:config|config\.worktree|commondir)(?:\/|$)|worktrees\/[^/]+\/(?:commondir|gitdir|config\.worktree)(?:\/|$)|modules\/(?:.+\/)?(?:(hooks)(?:\/|$)|(?:config|config\.worktree|commondir)(?:\/|$))))/;

export type ChangedPath = {
  /** Absolute: canonical, or as it was written. */
  readonly path: string;
  /** Where the file system does not tell `.GIT` from `.git`. */
  readonly foldCase: boolean;
};

export class Protection {
  /** Looks for repositories further down; looked at when it is told to. */
  readonly deep: DeepFolders;
  readonly #options: HoldOptions;
  readonly #finder: RepositoryFinder;
  readonly #open: OpenPlaces;
  #repositories: readonly Repository[] | undefined;
  #made: GitFolders = new Map();
  #findMade: () => GitFolders = () => NONE_MADE;
  /** Also those of repositories that commands made. */
  #all: readonly ProtectedPlace[] = [];
  #held: HeldList = { places: [], scripts: [], watched: [] };
  #stamps: readonly Stamp[] = [];
  #settled: {
    readonly of: readonly ProtectedPlace[];
    readonly scripts: readonly string[];
    readonly paths: readonly string[];
  } = { of: [], scripts: [], paths: [] };

  /** Throws INVALID_GLOB for a pattern of `open` that is none. Looks at nothing yet. */
  constructor(options: HoldOptions) {
    this.#options = options;
    this.deep = new DeepFolders(options.roots);
    this.#finder = new RepositoryFinder(options.roots, { deeper: () => this.deep.folders });
    this.#open = new OpenPlaces(options.open, options.home);
  }

  /** Whether the built-in list holds. */
  get enabled(): boolean {
    return this.#options.enabled;
  }

  /** Repositories that commands made are settled after each, not held: a command that made one can remove it. */
  leaveOut(findMade: () => GitFolders): void {
    this.#findMade = findMade;
  }

  /** As they are now; the very same list as long as nothing has changed. */
  places(): readonly ProtectedPlace[] {
    const repositories = this.repositories();
    const made = this.#findMade();
    const stamps = this.#held.watched.map(stampOf);
    const same =
      repositories === this.#repositories &&
      made === this.#made &&
      stamps.every((stamp, i) => isUnchanged(this.#stamps[i] ?? stamp, stamp));
    if (same) return this.#held.places;
    const before = this.#held.places;
    const listed = listHeldPlaces(this.#options, repositories);
    const left = madeOf(repositories, made);
    const isLeft = ({ path: file, use }: ProtectedPlace): boolean =>
      (use === "run by git" || use === "obeyed by git") && left.some((one) => isWithin(one, file));
    const places = withEarlier(listed.places, before).filter((place) => !isLeft(place));
    this.#all = [...places, ...listed.places.filter(isLeft)];
    this.#repositories = repositories;
    this.#made = made;
    // What changes after it was stamped is seen the next time.
    this.#stamps = listed.watched.map(stampOf);
    const isSame = JSON.stringify(places) === JSON.stringify(before);
    const { scripts } = this.#held;
    const isSameScripts = listed.scripts.join("\0") === scripts.join("\0");
    this.#held = {
      ...listed,
      places: isSame ? before : places,
      scripts: isSameScripts ? scripts : listed.scripts,
    };
    return this.#held.places;
  }

  /** Of repositories that commands made, too: tools leave those alone. */
  #allPlaces(): readonly ProtectedPlace[] {
    this.places();
    return this.#all;
  }

  /** The places as they were when they were last looked at. */
  get lastPlaces(): readonly ProtectedPlace[] {
    return this.#repositories === undefined ? this.places() : this.#held.places;
  }

  /** What is put back after commands, of `lastPlaces`; the very same list as long as nothing has changed. `isHeld`: mounts
   * hold what is there, and what is a part of a git folder is settled by its own rules where they do not. */
  settled(isHeld: boolean): readonly string[] {
    const places = this.lastPlaces;
    const { scripts } = this.#held;
    // What is made there later does not take it out.
    if (this.#settled.of !== places || this.#settled.scripts !== scripts) {
      const left = places.filter(
        ({ path: file, absent, isElsewhere }) =>
          (!isHeld && isElsewhere === true) || (absent === "nothing" && !isThere(file)),
      );
      const paths = [...new Set([...left.map(({ path: file }) => file), ...scripts])];
      this.#settled = { of: places, scripts, paths };
    }
    return this.#settled.paths;
  }

  /** There are more repositories or folders than are looked at: some may not be protected. */
  get limited(): boolean {
    return this.#finder.limited || this.deep.limited;
  }

  repositories(): readonly Repository[] {
    return this.#options.enabled ? this.#finder.find() : NONE;
  }

  /** Throws PROTECTED when something there may not be made, written, moved or deleted. */
  refuseChange({ path: file, foldCase }: ChangedPath): void {
    const fold = (text: string): string => (foldCase ? text.toLowerCase() : text);
    const folded = fold(file);
    const held = this.#allPlaces().find((place) => isWithin(fold(place.path), folded));
    const use = held?.use ?? (this.#options.enabled ? (gitUse(folded) ?? completesBare(file)) : undefined);
    if (use === undefined || !this.#isInScope(file) || this.#isOpen(file)) return;
    throw this.#refusal(file, use, held);
  }

  /** Throws PROTECTED when moving or deleting it would move or delete a held place. */
  refuseRemoval({ path: folder, foldCase }: ChangedPath): void {
    const fold = (text: string): string => (foldCase ? text.toLowerCase() : text);
    const held = this.places().find(({ path: file }) => isWithin(fold(folder), fold(file)) && isThere(file));
    if (held !== undefined) throw this.#refusal(held.path, held.use, held);
  }

  /** Throws PROTECTED when that file is a held one under another name. */
  refuseSameFile(stat: BigIntStats): void {
    if (!stat.isFile() || stat.nlink < 2n) return;
    let left = MOST_COMPARED;
    for (const place of this.#allPlaces()) {
      for (const file of filesOf(place)) {
        left -= 1;
        if (left < 0) return;
        const found = exactEntryStat(file);
        if (found?.ino === stat.ino && found.dev === stat.dev && !this.#isOpen(file))
          throw this.#refusal(file, place.use, place);
      }
    }
  }

  /** A place as it is called in messages: below the allowed folder that holds it. */
  shown(file: string): string {
    const root = this.#options.roots.find((one) => isWithin(one, file) && one !== file);
    return root === undefined ? file : file.slice(root === "/" ? 1 : root.length + 1);
  }

  /** What to type to open it. */
  advice(place: Pick<ProtectedPlace, "path" | "isFolder">): string {
    const named = this.shown(place.path).replace(/[\\*?[\]{}!]/g, "\\$&");
    const glob = place.isFolder ? `${named}/**` : named;
    const quoted = /^[\w./-]+$/.test(glob) ? glob : `'${glob.replaceAll("'", `'\\''`)}'`;
    return `The person can allow it: --open-place ${quoted}`;
  }

  #refusal(file: string, use: HeldUse, held: ProtectedPlace | undefined): EngineError {
    const advice = this.advice(held ?? placeNamed(file));
    const where = use === "held by the settings" ? "" : " outside the sandbox";
    const shown = this.shown(file);
    return new EngineError("PROTECTED", `PROTECTED: ${shown} is ${use}${where}. ${advice}`, {
      path: file,
      requested: shown,
    });
  }

  #isInScope(file: string): boolean {
    const { roots, everywhere } = this.#options;
    return everywhere === true || roots.some((root) => isWithin(root, file));
  }

  #isOpen(file: string): boolean {
    if (this.#open.isEmpty) return false;
    const git = file.indexOf("/.git");
    const tops = this.repositories().map(({ top }) => top);
    return this.#open.has(file, [...this.#options.roots, ...tops, ...(git > 0 ? [file.slice(0, git)] : [])]);
  }
}

const NONE: readonly Repository[] = [];
const NONE_MADE: GitFolders = new Map();
const MOST_PLACES = 10_000;

/** The git folders that commands made, and the pointers of their submodules. */
function madeOf(repositories: readonly Repository[], made: GitFolders): string[] {
  if (made.size === 0) return [];
  const isMade = ({ gitDir, pointer }: Repository): boolean => {
    const now = pointer === undefined ? identityAt(gitDir) : undefined;
    return now !== undefined && isSameGit(made.get(bytesOfPath(gitDir).toString("latin1")), now);
  };
  const own = repositories.filter(isMade);
  const pointers = repositories.flatMap(({ pointer, gitDir }) =>
    pointer !== undefined && own.some((one) => isWithin(one.top, pointer) && isWithin(one.gitDir, gitDir))
      ? [pointer]
      : [],
  );
  return [...own.map(({ gitDir }) => gitDir), ...pointers];
}

/**
 * What was held stays held while it, or the folder it would be in, is there: an agent could otherwise make a repository
 * look like none for a while, or so many new ones that an old one is not looked at.
 */
function withEarlier(now: readonly ProtectedPlace[], before: readonly ProtectedPlace[]): readonly ProtectedPlace[] {
  const paths = new Set(now.map((place) => place.path));
  const folders = now.flatMap(({ path: folder, isFolder }) => (isFolder ? [folder] : []));
  const isNew = ({ path: file }: ProtectedPlace): boolean =>
    !paths.has(file) && !folders.some((folder) => isWithin(folder, file));
  const kept = before.filter((place) => isNew(place) && mayBeThere(folderOf(place.path)));
  return [...kept, ...now].slice(0, MOST_PLACES);
}

function gitUse(file: string): HeldUse | undefined {
  const found = GIT_NAMES.exec(file);
  if (found === null) return undefined;
  return found[1] === undefined && found[2] === undefined ? "obeyed by git" : "run by git";
}

const BARE_PARTS = new Set(["HEAD", "objects", "refs", "commondir", "config", "config.worktree", "hooks"]);

/** Whether git would take a folder for a repository with a configuration or hooks once that file is there. */
function completesBare(file: string): HeldUse | undefined {
  const parts = file.split("/");
  for (const [index, part] of parts.entries()) {
    if (!BARE_PARTS.has(part) || parts[index - 1] === ".git") continue;
    const folder = parts.slice(0, index).join("/");
    const has = (name: string): boolean => name === part || isThere(`${folder}/${name}`);
    const isRepository = has("HEAD") && (has("commondir") || (has("objects") && has("refs")));
    if (isRepository && ["commondir", "config", "config.worktree", "hooks"].some(has)) return "obeyed by git";
  }
  return undefined;
}

/** The hooks folder around a hook, or the file itself. */
function placeNamed(file: string): Pick<ProtectedPlace, "path" | "isFolder"> {
  const hooks = /^.*?\/\.git\/(?:.*?\/)?hooks(?=\/|$)/i.exec(file)?.[0];
  return hooks === undefined ? { path: file, isFolder: /\/\.git$/i.test(file) } : { path: hooks, isFolder: true };
}

function* filesOf({ path: file, isFolder }: ProtectedPlace): Generator<string> {
  if (!isFolder) {
    yield file;
    return;
  }
  const folders = [file];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const { name, kind } of readFolder(folder)) {
      const inner = entryIn(folder, name);
      if (kind === "folder") folders.push(inner);
      else yield inner;
    }
  }
}
