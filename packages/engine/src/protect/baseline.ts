// What the protected places of some folders hold, and what is done when they hold something else: changes of settled
// places are put back at once, changes of the others are noted.
import path from "node:path";
import { lookAt } from "../sandbox/look-at.ts";
import { isWithin } from "../scope/scope.ts";
import type { Directory } from "../scope/directory.ts";
import type { Aside, AsideSlot } from "./aside.ts";
import { changesBetween, contentsOf, isModeOnly } from "./changes.ts";
import type { Change } from "./changes.ts";
import { gitFoldersInside, GitFolderSearch, identityAt, isSameGit } from "./git-folders.ts";
import type { GitFolders, GitIdentity } from "./git-folders.ts";
import type { JournalContent } from "./journal.ts";
import type { KeptContents } from "./kept-content.ts";
import { changesInNewRepository, gitFoldersOf, MADE_RULE } from "./new-repositories.ts";
import { NotKept, putBackTools, putMode, putState, removeEmptyFolders, stateAt } from "./put-back.ts";
import { openFolder } from "./real-folder.ts";
import { escapedGlob, GIT_ENTRIES, homePlacesBelow } from "./settled-places.ts";
import type { FolderRules, GitPlaces, PlaceLevel, PlaceRule, PlaceRules } from "./settled-places.ts";
import { ABSENT, EMPTY, entered, lookAtEntry, lookAtPlaces, pathTextOf, statOf, textOf } from "./snapshot.ts";
import type { FolderState, PlaceState } from "./snapshot.ts";

/** Folders whose places are known; far more than one looks for repositories. */
const MAX_TOPS = 200;
/** Somebody may be writing at the same time. */
const ATTEMPTS = 3;

export type SettledChange = {
  /** Absolute, and relative to the allowed folder that holds it. */
  readonly place: string;
  readonly shown: string;
  readonly level: PlaceLevel;
  readonly why: string;
  /** "stays": it could not be put back; `problem` says why. */
  readonly done: "noted" | "put back" | "stays";
  readonly problem: string | undefined;
  /** It could not be put back now, but what was there is kept: it is tried again. */
  readonly isTriedAgain: boolean;
  /** Where the changed version lies now. */
  readonly aside: string | undefined;
  readonly before: PlaceState;
  readonly after: PlaceState;
  /** For putting the changed version in again. */
  readonly folder: string;
  readonly parts: readonly string[];
  readonly slot: AsideSlot;
};

export type BaselineOptions = {
  readonly rules: PlaceRules;
  readonly contents: KeptContents;
  readonly aside: Aside;
  /** Real paths; empty: everything. */
  readonly roots: readonly string[];
  /** Where folders are looked for when everything is allowed. */
  readonly workdir: string;
  readonly home: string;
  /** Further places by their absolute paths, which come and go. The same list means that nothing changed. */
  readonly further?: (() => readonly string[]) | undefined;
};

/** `opening`: the pattern by which a person would take the place out of the list. */
export type FoundRule = { readonly rule: PlaceRule; readonly opening: string };

type Top = { rules: FolderRules; state: FolderState };

export class Baseline {
  readonly #options: BaselineOptions;
  readonly #tops = new Map<string, Top>();
  readonly #search: GitFolderSearch;
  readonly #roots: readonly string[];
  /** A journal says nothing of places that are only noted. */
  readonly #isLeft: boolean;
  readonly #absentAtHome = new Map<string, readonly string[]>();
  #git: GitFolders = new Map();
  #gitFolders = new Set<string>();
  /** Repositories that commands made: nothing holds them, so that they can be removed again. Another map when it changes. */
  #made: GitFolders = new Map();
  #further: readonly string[] = [];

  /** `left`: what a journal says stood there; otherwise what stands there now counts from the first `refresh`. */
  constructor(options: BaselineOptions, left?: JournalContent) {
    this.#options = options;
    this.#isLeft = left !== undefined;
    this.#roots = options.roots.map(latin1);
    const starts = this.#roots.length === 0 ? [latin1(options.workdir)] : this.#roots;
    this.#search = new GitFolderSearch(starts);
    for (const folder of starts) this.#addTop(folder);
    if (left === undefined) return;
    this.#git = left.git;
    this.#gitFolders = new Set(left.gitFolders);
    for (const [folder, state] of left.tops) {
      const top = this.#addTop(folder);
      if (top !== undefined) top.state = ruled(state, top.rules, []);
    }
  }

  /** What stands there now is what counts. Gives whether anything differs from before. */
  refresh(): boolean {
    this.meetFurther();
    let isChanged = this.#meetRepositories(this.#findGit());
    for (const [folder, top] of this.#tops) {
      const state = this.#look(folder, top) ?? EMPTY;
      if (changesBetween(top.state, state).length > 0) isChanged = true;
      top.state = state;
    }
    return isChanged;
  }

  /** What git is told to run or obey may be something else than before: looked at before a command, since what it makes there
   * must not count as having been there. */
  meetFurther(): void {
    const further = this.#options.further?.() ?? [];
    if (further === this.#further) return;
    this.#further = further;
    for (const [folder, top] of this.#tops) top.rules = this.#rulesFor(folder);
  }

  /** Everything that differs is put back or noted; from then on what stands there counts. */
  settle(now: Date, onFailed: (error: unknown) => void): SettledChange[] {
    const settled: SettledChange[] = [];
    // What fails in one folder must neither hide what was done in another nor keep it from being looked at.
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        onFailed(error);
      }
    };
    attempt(() => this.meetFurther());
    for (const [folder, top] of this.#tops) attempt(() => this.#settleTop(folder, top, now, settled));
    attempt(() => this.#settleRepositories(now, settled));
    this.#options.aside.prune();
    return settled;
  }

  /** Puts a changed version in again, if the place is still as it was put back. */
  putIn(change: SettledChange, now: Date): boolean {
    const { contents, aside } = this.#options;
    using directory = openFolder(change.folder);
    if (directory === undefined) return false;
    const top = this.#tops.get(change.folder);
    const there = this.#lookAt(directory, change.parts, ruleOf(change));
    if (changesBetween(change.before, there).length > 0 || !isSameWhole(change.before, there)) return false;
    const tools = putBackTools({ contents, aside: aside.slot(now), prefix: this.#prefixOf(change.folder) });
    try {
      if (isModeOnly(change) && change.after.kind === "folder") putMode(directory, change.parts, change.after, tools);
      else {
        const replaced = putState(directory, change.parts, change.after, tools);
        // Nobody misses what is kept elsewhere: the same was there before.
        if (replaced !== undefined && change.before.kind !== "folder") tools.aside.discard(replaced);
      }
    } catch {
      return false;
    }
    if (change.aside !== undefined) change.slot.discard(change.aside);
    const fresh = top && this.#look(change.folder, top);
    // Only this place: commands may be changing others at the same time.
    if (top !== undefined && fresh !== undefined) {
      const isIn = changesBetween(change.after, stateAt(fresh, change.parts) ?? ABSENT).length === 0;
      if (isIn) top.state = grafted(top.state, fresh, change.parts);
    }
    return true;
  }

  /**
   * What a tool was let write at that very place is what counts there from now on; what else a command is changing
   * meanwhile is not. `isExpected` is asked about what is found: a command may have been quicker.
   */
  accept(place: string, isExpected: (state: PlaceState) => boolean): void {
    for (const [folder, top] of this.#tops) {
      const text = pathTextOf(folder);
      if (place === text || !isWithin(text, place)) continue;
      const parts = latin1(place.slice(text === "/" ? 1 : text.length + 1)).split("/");
      const fresh = this.#look(folder, top);
      if (fresh !== undefined && isExpected(stateAt(fresh, parts) ?? ABSENT))
        top.state = grafted(top.state, fresh, parts);
    }
  }

  /** The rule for a path, or for something below it that a path stands in the way of. */
  ruleFor(place: string, isMovedOrDeleted: boolean): FoundRule | undefined {
    for (const [folder, { rules }] of this.#tops) {
      const top = pathTextOf(folder);
      if (place === top || !isWithin(top, place)) continue;
      const parts = place.slice(top === "/" ? 1 : top.length + 1).split("/");
      for (let length = 1; length <= parts.length; length += 1) {
        const verdict = rules.judge(parts.slice(0, length));
        if (verdict.kind === "nothing") break;
        if (verdict.kind === "place") {
          const opening = parts
            .slice(0, length)
            .join("/")
            .replace(/[\\*?[\]{}!]/g, "\\$&");
          if (!rules.isOpen(parts)) {
            return { rule: verdict.rule, opening: length < parts.length ? `${opening}/**` : opening };
          }
          break;
        }
        // To put another folder in its place, or a link, is to change what lies below.
        if (length === parts.length && isMovedOrDeleted && verdict.rule !== undefined)
          return { rule: verdict.rule, opening: `${parts.join("/")}/**` };
      }
    }
    return undefined;
  }

  /** One place as it is now. */
  stateOf(place: string, rule: PlaceRule): PlaceState {
    const at = latin1(place);
    const slash = at.lastIndexOf("/");
    using directory = openFolder(at.slice(0, slash));
    if (directory === undefined) return ABSENT;
    return lookAtEntry(directory, at.slice(slash + 1), rule, ABSENT, this.#options.contents);
  }

  get journal(): JournalContent {
    const tops = new Map([...this.#tops].map(([folder, { state }]) => [folder, state]));
    // After a crash nobody knows that they are settled: they are looked at as new ones.
    const git = new Map([...this.#git].filter(([place]) => !this.#made.has(place)));
    return { roots: this.#options.roots, tops, git, gitFolders: this.#gitFolders };
  }

  /** The repositories that commands made, as long as they are the very same; paths in latin1. Another map when it changes. */
  get made(): GitFolders {
    return this.#made;
  }

  /** Digests of all that could have to be put back. */
  *contents(): Generator<string> {
    for (const { state } of this.#tops.values()) yield* contentsOf(state);
  }

  /** Relative to the allowed folder that holds it. */
  shown(place: string): string {
    const { roots, workdir } = this.#options;
    const root = [...roots, workdir].find((one) => place !== one && isWithin(one, place));
    return root === undefined ? place : path.relative(root, place);
  }

  #addTop(folder: string): Top | undefined {
    const known = this.#tops.get(folder);
    if (known !== undefined) return known;
    if (this.#tops.size >= MAX_TOPS) return undefined;
    const top: Top = { rules: this.#rulesFor(folder), state: EMPTY };
    this.#tops.set(folder, top);
    return top;
  }

  #rulesFor(folder: string): FolderRules {
    const { rules, home } = this.#options;
    const text = pathTextOf(folder);
    const further = this.#further.flatMap((place) => (place !== text && isWithin(text, place) ? [place] : []));
    const relative = further.map((place) => escapedGlob(place.slice(text === "/" ? 1 : text.length + 1)));
    return rules.below(text, this.#absentOfHome(folder, home), relative, this.#gitPlacesOf(folder));
  }

  /** What git obeys is settled where nothing holds it. */
  #gitPlacesOf(folder: string): GitPlaces[] {
    const { settlesGit } = this.#options.rules;
    const isMade = (place: string): boolean => [...this.#made.keys()].some((made) => isWithin(made, place));
    const dotGit = inFolder(folder, ".git");
    const inMadeTop = [...this.#made.keys()].some((made) => isWithin(made.slice(0, -"/.git".length), folder));
    const places: GitPlaces[] = [];
    if (settlesGit || this.#made.has(dotGit)) places.push("in .git");
    if ((settlesGit && this.#gitFolders.has(folder)) || isMade(folder)) places.push("git folder");
    const isPointer = settlesGit || inMadeTop ? kindAt(dotGit) === "other" : false;
    return isPointer ? [...places, "pointer"] : places;
  }

  /** Those that exist are somebody else's to hold: they are read-only to commands. */
  #absentOfHome(folder: string, home: string): readonly string[] {
    const known = this.#absentAtHome.get(folder);
    if (known !== undefined) return known;
    using directory = openFolder(folder);
    const isAbsent = (place: string): boolean => {
      const parts = place.split("/").map((part) => latin1(part.replace(/\\(.)/g, "$1")));
      return directory === undefined || isAbsentAt(directory, parts);
    };
    const absent = homePlacesBelow(pathTextOf(folder), home).filter(isAbsent);
    this.#absentAtHome.set(folder, absent);
    return absent;
  }

  /** Undefined: the folder itself is gone. */
  #look(folder: string, { rules, state }: Top): FolderState | undefined {
    using directory = openFolder(folder);
    return directory && lookAtPlaces(directory, rules, state, this.#options.contents);
  }

  #lookAt(top: Directory, parts: readonly string[], rule: PlaceRule): PlaceState {
    let directory = top.lend();
    for (const name of parts.slice(0, -1)) {
      using outer = directory;
      const inner = entered(outer, name);
      if (inner === undefined) return ABSENT;
      directory = inner;
    }
    using parent = directory;
    return lookAtEntry(parent, parts.at(-1) ?? "", rule, ABSENT, this.#options.contents);
  }

  #settleTop(folder: string, top: Top, now: Date, all: SettledChange[]): void {
    const before = top.state;
    const settled: SettledChange[] = [];
    const add = (changes: readonly SettledChange[]): void => {
      settled.push(...changes);
      all.push(...changes);
    };
    add(this.#settleLink(folder, before, now));
    let state = this.#look(folder, top);
    // Without its folder no place leads anybody astray; who makes the folder again meets the rules again.
    if (state === undefined) {
      top.state = EMPTY;
      return;
    }
    // What git itself writes into a repository that was just made is looked at as such.
    const isNew = { dotGit: this.#isNewGit(inFolder(folder, ".git")), folder: this.#isNewGit(folder) };
    const isOfNewGit = ({ rule, parts }: Change): boolean =>
      rule.isOfGit === true && (parts[0] === ".git" ? isNew.dotGit : isNew.folder);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
      const tried = new Set(settled.flatMap(({ done, parts }) => (done === "put back" ? [] : [parts.join("/")])));
      const isTried = ({ parts }: Change): boolean => tried.has(parts.join("/"));
      const isUnknown = ({ rule }: Change): boolean => this.#isLeft && rule.level === "note";
      const changes = changesBetween(before, state).filter(
        (change) => !isTried(change) && !isOfNewGit(change) && !isUnknown(change),
      );
      if (changes.length === 0) break;
      add(this.#settleChanges(folder, changes, before, now));
      state = this.#look(folder, { ...top, state }) ?? EMPTY;
    }
    // Somebody writes faster than we put back: what stood there before goes on counting.
    const isLost = (change: Change): boolean =>
      change.rule.level === "settle" &&
      !isOfNewGit(change) &&
      !settled.some(
        (one) => one.done === "stays" && !one.isTriedAgain && one.parts.join("/") === change.parts.join("/"),
      );
    top.state = changesBetween(before, state).some(isLost) ? before : state;
  }

  /** One that a command made may also be gone again. */
  #isNewGit(place: string): boolean {
    const made = this.#made.get(place);
    if (made === undefined) return !this.#git.has(place);
    const now = identityAt(pathTextOf(place));
    return now === undefined || !isSameGit(made, now);
  }

  /** A folder with places that has become a link leads programs elsewhere: the link is what changed. */
  #settleLink(folder: string, before: FolderState, now: Date): SettledChange[] {
    const root = this.#roots.find((one) => one !== folder && isWithin(one, folder));
    if (root === undefined || before === EMPTY) return [];
    const parts = folder.slice(root === "/" ? 1 : root.length + 1).split("/");
    let directory = openFolder(root);
    for (const [index, name] of parts.entries()) {
      if (directory === undefined) return [];
      using outer: Directory = directory;
      directory = undefined;
      if (statOf(outer, name)?.isSymbolicLink() === true) {
        const rule: PlaceRule = { ...MADE_RULE, level: "settle", why: "a folder with protected places was there" };
        const after = lookAtEntry(outer, name, rule, ABSENT, this.#options.contents);
        const change = { parts: parts.slice(0, index + 1), rule, before: ABSENT, after };
        return this.#settleChanges(root, [change], EMPTY, now);
      }
      directory = entered(outer, name);
    }
    directory?.[Symbol.dispose]();
    return [];
  }

  #settleChanges(folder: string, changes: readonly Change[], before: FolderState, now: Date): SettledChange[] {
    if (changes.length === 0) return [];
    const { contents, aside } = this.#options;
    const slot = aside.slot(now);
    const tools = putBackTools({ contents, aside: slot, prefix: this.#prefixOf(folder) });
    using directory = openFolder(folder);
    return changes.map((change) => {
      const settled = (what: Pick<SettledChange, "done"> & Partial<SettledChange>): SettledChange => {
        const place = textOf([folder === "/" ? "" : folder, ...change.parts].join("/"));
        const { rule, before: was, after, parts } = change;
        const { level, why } = rule;
        const facts = { problem: undefined, aside: undefined, isTriedAgain: false, ...what };
        return { place, shown: this.shown(place), level, why, before: was, after, folder, parts, slot, ...facts };
      };
      if (change.rule.level === "note") return settled({ done: "noted" });
      if (directory === undefined) return settled({ done: "stays", problem: "its folder is gone" });
      try {
        const put =
          isModeOnly(change) && change.before.kind === "folder"
            ? putMode(directory, change.parts, change.before, tools)
            : putState(directory, change.parts, change.before, tools);
        if (change.before.kind === "absent") removeEmptyFolders(directory, change.parts, before);
        return settled({ done: "put back", aside: put ?? undefined });
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        return settled({ done: "stays", problem, isTriedAgain: !(error instanceof NotKept) });
      }
    });
  }

  /** Where a version lies aside: as below the allowed folder. */
  #prefixOf(folder: string): string[] {
    const root = this.#roots.find((one) => isWithin(one, folder)) ?? latin1(this.#options.workdir);
    if (folder === root) return [];
    const inside = isWithin(root, folder) ? folder.slice(root === "/" ? 1 : root.length + 1) : folder.slice(1);
    return inside.split("/").filter((name) => name !== "");
  }

  #settleRepositories(now: Date, all: SettledChange[]): void {
    const found = this.#findGit();
    const known = all.length;
    const made = new Map(this.#made);
    for (const [place, identity] of found) {
      if (isSameGit(this.#git.get(place), identity)) continue;
      // A worktree's repository may be an old one; one that was made anew is new also where an old one was.
      const isKnown = (folder: string): boolean => folder !== place && this.#gitFolders.has(folder);
      for (const { folder, changes } of changesInNewRepository(place, isKnown, this.#roots, this.#options.contents))
        all.push(...this.#settleChanges(folder, changes, EMPTY, now));
      // That a submodule or worktree came is seen by its own `.git`.
      if (this.#isInsideGit(place, found)) continue;
      // Not what looks like a bare one: that may be any folder, with somebody's repositories in it.
      if (place.endsWith("/.git") && kindAt(place) === "folder") made.set(place, identity);
      const slash = place.lastIndexOf("/");
      const noted: Change = { parts: [place.slice(slash + 1)], rule: MADE_RULE, before: ABSENT, after: ABSENT };
      all.push(...this.#settleChanges(place.slice(0, slash) || "/", [noted], EMPTY, now));
    }
    if (made.size > this.#made.size || [...made].some(([place, one]) => this.#made.get(place) !== one))
      this.#made = made;
    this.#meetRepositories(all.length > known ? this.#findGit() : found);
  }

  /** What git finds; and inside of it, where that is settled, the git folders of submodules and worktrees. */
  #findGit(): GitFolders {
    const found = new Map(this.#search.find());
    const { settlesGit } = this.#options.rules;
    const isInScope = (folder: string): boolean =>
      this.#roots.length === 0 || this.#roots.some((root) => isWithin(root, folder));
    const folders = new Set(
      [...found.keys()].filter((place) => settlesGit || this.#made.has(place)).flatMap((place) => gitFoldersAt(place)),
    );
    for (const folder of folders) {
      if (!isInScope(folder)) continue;
      for (const [inner, identity] of gitFoldersInside(folder)) found.set(inner, identity);
    }
    return found;
  }

  #isInsideGit(place: string, found: GitFolders): boolean {
    return (
      /\/(?:modules|worktrees)\//.test(place) && [...found.keys()].some((one) => one !== place && isWithin(one, place))
    );
  }

  /** Their folders have places of their own; what is in them now is theirs. */
  #meetRepositories(found: GitFolders): boolean {
    const before = this.#git;
    const isFresh = ([place, now]: readonly [string, GitIdentity]): boolean => !isSameGit(before.get(place), now);
    const isNews = found.size !== before.size || [...found].some(isFresh);
    if (!isNews) {
      this.#git = found;
      return false;
    }
    const made = [...this.#made].filter(([place, identity]) => {
      const now = found.get(place);
      return now !== undefined && isSameGit(identity, now);
    });
    const gone = [...this.#made.keys()].filter((place) => !made.some(([one]) => one === place));
    if (gone.length > 0) this.#made = new Map(made);
    for (const place of gone) this.#meetTop(place);
    for (const [place, identity] of found) {
      for (const folder of gitFoldersAt(place)) this.#gitFolders.add(folder);
      if (isFresh([place, identity])) this.#meetTop(place);
    }
    this.#git = found;
    return true;
  }

  /** The folder of a repository that came or went: of what was known there only git's own is looked at anew. */
  #meetTop(place: string): void {
    const [top, name] = splitPlace(place);
    const folder = name === ".git" ? top : place;
    const isKnown = this.#tops.has(folder);
    const added = this.#addTop(folder);
    if (added === undefined) return;
    added.rules = this.#rulesFor(folder);
    let state: FolderState;
    try {
      state = this.#look(folder, added) ?? EMPTY;
    } catch (error) {
      if (!isKnown) this.#tops.delete(folder); // as an empty one, all that is in it would count as made by the next command
      throw error;
    }
    if (!isKnown) added.state = state;
    else
      for (const entry of name === ".git" ? [".git"] : GIT_ENTRIES) added.state = grafted(added.state, state, [entry]);
  }
}

function gitFoldersAt(place: string): string[] {
  return gitFoldersOf(place, ...splitPlace(place));
}

function splitPlace(place: string): [top: string, name: string] {
  const slash = place.lastIndexOf("/");
  return [place.slice(0, slash) || "/", place.slice(slash + 1)];
}

function inFolder(folder: string, name: string): string {
  return `${folder === "/" ? "" : folder}/${name}`;
}

/** `place` in latin1. */
function kindAt(place: string): "folder" | "other" | undefined {
  const stat = lookAt(pathTextOf(place));
  return stat && (stat.isDirectory() ? "folder" : "other");
}

function ruleOf({ before, after }: SettledChange): PlaceRule {
  const rule =
    (after.kind === "absent" ? undefined : after.rule) ?? (before.kind === "absent" ? undefined : before.rule);
  return rule ?? MADE_RULE;
}

/** Also what does not count of a file would be lost under another version. */
function isSameWhole(one: PlaceState, other: PlaceState): boolean {
  return one.kind !== "file" || other.kind !== "file" || one.content?.sha256 === other.content?.sha256;
}

/** One entry of a fresh look in an older one. */
function grafted(old: FolderState, fresh: FolderState, parts: readonly string[]): FolderState {
  const [name = "", ...rest] = parts;
  const entries = new Map(old.entries);
  const now = fresh.entries.get(name);
  if (rest.length === 0 || now === undefined) {
    if (now === undefined) entries.delete(name);
    else entries.set(name, now);
    // A deletion further down: what was beside it is somebody else's to explain.
    if (rest.length > 0) return old;
  } else if (now.kind === "folder") {
    const was = old.entries.get(name);
    const below = was?.kind === "folder" ? was : { ...now, entries: EMPTY.entries };
    entries.set(name, grafted(below, now, rest));
  } else return old;
  return { ...old, entries };
}

/** A state of a journal as far as today's rules still speak of it. */
function ruled(state: FolderState, rules: FolderRules, parts: readonly string[]): FolderState {
  const entries = new Map<string, PlaceState>();
  for (const [name, inner] of state.entries) {
    const here = [...parts, pathTextOf(name)];
    const verdict = state.rule === undefined ? rules.judge(here) : undefined;
    if (verdict?.kind === "nothing" || rules.isOpen(here)) continue;
    if (verdict?.kind === "place" && verdict.rule.level === "note") continue;
    entries.set(name, inner.kind === "folder" ? ruled(inner, rules, here) : inner);
  }
  return { ...state, entries };
}

function isAbsentAt(directory: Directory, parts: readonly string[]): boolean {
  const [first = "", ...rest] = parts;
  const stat = statOf(directory, first);
  if (stat === undefined || rest.length === 0) return stat === undefined;
  using inner = entered(directory, first);
  return inner !== undefined && isAbsentAt(inner, rest);
}

function latin1(text: string): string {
  return Buffer.from(text).toString("latin1");
}
