// What the protected places of some folders hold, and what is done when they hold something else: changes of settled
// places are put back at once, changes of the others are noted.
import { idAt, entryStat, exactEntryStat } from "../sandbox/entry-stat.ts";
import { entryIn } from "../sandbox/path-text.ts";
import { isWithin } from "../scope/scope.ts";
import type { Directory } from "../scope/directory.ts";
import { changesBetween, contentsOf, isModeOnly } from "./state-changes.ts";
import type { Change } from "./state-changes.ts";
import { isSameGit } from "./git-folders.ts";
import type { GitFolders, GitIdentity } from "./git-folders.ts";
import { grafted, partsOfFile, ruled, stateAt, stoodBefore } from "./folder-states.ts";
import { HeldStates } from "./restore-held-places.ts";
import type { HeldOptions, HeldStatesOptions } from "./restore-held-places.ts";
import type { JournalContent, OpenJournal } from "./crash-journal.ts";
import { inFolder, isInsideGit, kindAt, KnownRepositories, splitPlace } from "./known-repositories.ts";
import { linkTargets } from "./link-targets.ts";
import { changesInNewRepository, MADE_RULE } from "./new-repositories.ts";
import type { FolderChanges } from "./new-repositories.ts";
import { restoreTools, restoreMode, restoreState } from "./restore-place.ts";
import { openFolder } from "./real-folder.ts";
import { escapedGlob, GIT_ENTRIES, homePlacesBelow } from "./settled-places.ts";
import type { FolderRules, PlaceRule, PlaceRules } from "./settled-places.ts";
import { Settler } from "./restore-settled-places.ts";
import type { SettledChange, SettlerOptions } from "./restore-settled-places.ts";
import { ABSENT, EMPTY, entered, lookAtEntry, lookAtPlaces, pathTextOf, statOf } from "./place-state.ts";
import type { FolderState, PlaceState } from "./place-state.ts";

/** Folders whose places are known; far more than one looks for repositories. */
const MAX_TOPS = 200;
/** Somebody may be writing at the same time. */
const ATTEMPTS = 3;
/** What a file system stamps may be this much behind the clock. */
const CLOCK_MS = 50;

export type BaselineOptions = SettlerOptions &
  HeldStatesOptions & {
    readonly rules: PlaceRules;
    readonly home: string;
    /** Further places by their absolute paths, which come and go. The same list means that nothing changed. */
    readonly further?: (() => readonly string[]) | undefined;
    /** Folders with a repository, found maybe long after they were made. */
    readonly deeper?: (() => readonly string[]) | undefined;
  };

/** `opening`: the pattern by which a person would take the place out of the list. */
export type FoundRule = { readonly rule: PlaceRule; readonly opening: string };

type Top = { rules: FolderRules; state: FolderState };

export class PlaceMonitor {
  readonly #options: BaselineOptions;
  readonly #tops = new Map<string, Top>();
  readonly #git: KnownRepositories;
  readonly #roots: readonly string[];
  /** A journal says nothing of places that are only noted. */
  readonly #isLeft: boolean;
  readonly #settler: Settler;
  readonly #held: HeldStates;
  readonly #absentAtHome = new Map<string, readonly string[]>();
  #further: readonly string[] = [];
  #linked: readonly string[] = [];
  #commandsSince: bigint | undefined;

  /** `left`: what a journal says stood there; otherwise what stands there now counts from the first `refresh`. */
  constructor(options: BaselineOptions, left?: JournalContent) {
    this.#options = options;
    this.#isLeft = left !== undefined;
    this.#settler = new Settler(options);
    this.#held = new HeldStates(this.#settler, options);
    this.#roots = options.roots.map(latin1);
    const starts = this.#roots.length === 0 ? [latin1(options.workdir)] : this.#roots;
    const { rules, deeper } = options;
    this.#git = new KnownRepositories({ starts, roots: this.#roots, settlesGit: rules.settlesGit, deeper }, left);
    for (const folder of starts) this.#addTop(folder);
    if (left === undefined) return;
    this.#linked = linkTargets(left.tops);
    this.#meetRules();
    for (const [folder, state] of left.tops) {
      const top = this.#addTop(folder);
      if (top !== undefined) top.state = ruled(state, top.rules, []);
    }
  }

  /** What stands there now is what counts, or what stood there before commands of other servers began that are changing it.
   * Gives whether anything differs from before. */
  refresh(others: readonly OpenJournal[] = []): boolean {
    this.meetFurther();
    const found = [...this.#git.find()].filter(
      ([place, now]) => others.every((other) => wasKnownTo(other, place, now)) && !this.#isUnjudged(place),
    );
    let isChanged = this.#meetRepositories(new Map(found));
    for (const [folder, top] of this.#tops) {
      const state = this.#before(folder, top, this.#look(folder, top) ?? EMPTY, others);
      if (changesBetween(top.state, state).length > 0) isChanged = true;
      top.state = state;
    }
    if (this.#meetLinked()) isChanged = true;
    if (this.#held.refresh(others)) isChanged = true;
    return isChanged;
  }

  /** From now on what is found late may be made by a command. */
  commandsBegin(): void {
    this.#commandsSince ??= BigInt(Date.now() - CLOCK_MS) * 1_000_000n;
  }

  #isUnjudged(place: string): boolean {
    return this.#commandsSince !== undefined && this.#git.isLate(place);
  }

  /** Found late, but older than all commands, as nobody can make it look. */
  #wasThere(place: string, found: readonly FolderChanges[]): boolean {
    if (!this.#isUnjudged(place)) return false;
    const since = this.#commandsSince ?? 0n;
    const born = exactEntryStat(pathTextOf(place))?.birthtimeNs ?? since;
    const paths = found.flatMap(({ folder, changes }) => changes.map(({ parts }) => inFolder(folder, parts.join("/"))));
    return born < since && paths.every((file) => (exactEntryStat(pathTextOf(file))?.ctimeNs ?? since) < since);
  }

  /** Commands have ended, and it is not known yet whether something is left of them: what mounts held is the person's. */
  refreshHeld(others: readonly OpenJournal[]): void {
    this.meetFurther();
    this.#held.refresh(others, true);
  }

  #before(folder: string, top: Top, now: FolderState, others: readonly OpenJournal[]): FolderState {
    let state = now;
    for (const other of others) {
      const known = other.tops.get(folder);
      if (known === undefined) continue;
      for (const sha256 of contentsOf(known)) this.#options.contents.takeOver(sha256, other.copies);
      state = stoodBefore(state, ruled(known, top.rules, []), other.rules === this.#options.rules.key);
    }
    return state;
  }

  /** What git is told to run or obey may be something else than before: looked at before a command, since what it makes there
   * must not count as having been there. */
  meetFurther(): void {
    const further = this.#options.further?.() ?? [];
    if (further === this.#further) return;
    this.#further = further;
    this.#meetRules();
  }

  #meetRules(): void {
    for (const [folder, top] of this.#tops) top.rules = this.#rulesFor(folder);
  }

  /** What a person's own links at places lead to is obeyed like what stands there itself. */
  #meetLinked(): boolean {
    const linked = linkTargets([...this.#tops].map(([folder, { state }]) => [folder, state]));
    if (linked.join("\0") === this.#linked.join("\0")) return false;
    this.#linked = linked;
    this.#meetRules();
    for (const [folder, top] of this.#tops) top.state = this.#look(folder, top) ?? EMPTY;
    return true;
  }

  /** Everything that differs is put back or noted; from then on what stands there counts. */
  settle(now: Date, onFailed: (error: unknown) => void, held?: HeldOptions): SettledChange[] {
    const settled: SettledChange[] = [];
    // What fails in one folder must neither hide what was done in another nor keep it from being looked at.
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        onFailed(error); // said, and looked at again later
      }
    };
    attempt(() => this.meetFurther());
    for (const [folder, top] of this.#tops) attempt(() => this.#settleTop(folder, top, now, settled));
    attempt(() => this.#settleRepositories(now, settled));
    if (held?.isAtRisk === true) attempt(() => settled.push(...this.#held.settle(now, held.open)));
    this.#options.aside.prune();
    return settled;
  }

  /** Puts a changed version in again, if the place is still as it was put back. */
  putIn(change: SettledChange, now: Date): boolean {
    const { contents, aside } = this.#options;
    using directory = openFolder(change.folder);
    if (directory === undefined) return false;
    const top = this.#tops.get(change.folder);
    const there = this.#entryStat(directory, change.parts, ruleOf(change));
    if (changesBetween(change.before, there).length > 0 || !isSameWhole(change.before, there)) return false;
    const tools = restoreTools({ contents, aside: aside.slot(now), prefix: this.#settler.prefixOf(change.folder) });
    try {
      if (isModeOnly(change) && change.after.kind === "folder")
        restoreMode(directory, change.parts, change.after, tools);
      else {
        const replaced = restoreState(directory, change.parts, change.after, tools);
        // Nobody misses what is kept elsewhere: the same was there before.
        if (replaced !== undefined && change.before.kind !== "folder") tools.aside.discard(replaced);
      }
    } catch {
      return false; // somebody is writing there, or the disk is full: it stays as it was put back, and the version aside
    }
    if (change.aside !== undefined) change.slot.discard(change.aside);
    this.#held.accept(inFolder(change.folder, change.parts.join("/")));
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
    this.#held.accept(latin1(place));
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

  /** The place that is settled and the same file under another name. */
  placeOfSameFile(file: string): string | undefined {
    const stat = entryStat(file);
    if (stat === undefined || !stat.isFile() || stat.nlink < 2) return undefined;
    const id = idAt(file);
    for (const [folder, top] of this.#tops) {
      const state = this.#look(folder, top);
      const parts = state && partsOfFile(state, id);
      if (parts !== undefined) return entryIn(pathTextOf(folder), parts.map(pathTextOf).join("/"));
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
    const { roots, rules } = this.#options;
    return { roots, tops, ...this.#git.journal, held: this.#held.states, rules: rules.key };
  }

  /** The repositories that commands made, as long as they are the very same; paths in latin1. Another map when it changes. */
  get made(): GitFolders {
    return this.#git.made;
  }

  /** Digests of all that could have to be put back. */
  *contents(): Generator<string> {
    for (const { state } of this.#tops.values()) yield* contentsOf(state);
    yield* this.#held.contents();
  }

  /** Relative to the allowed folder that holds it. */
  shown(place: string): string {
    return this.#settler.shown(place);
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
    const further = [...this.#further, ...this.#linked].flatMap((place) =>
      place !== text && isWithin(text, place) ? [place] : [],
    );
    const relative = further.map((place) => escapedGlob(place.slice(text === "/" ? 1 : text.length + 1)));
    return rules.below(text, this.#absentOfHome(folder, home), relative, this.#git.placesOf(folder));
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

  #entryStat(top: Directory, parts: readonly string[], rule: PlaceRule): PlaceState {
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
    const isNew = { dotGit: this.#git.isNew(inFolder(folder, ".git")), folder: this.#git.isNew(folder) };
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
      add(this.#settler.settle(folder, changes, before, now));
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
        return this.#settler.settle(root, [change], EMPTY, now);
      }
      directory = entered(outer, name);
    }
    directory?.[Symbol.dispose]();
    return [];
  }

  #settleRepositories(now: Date, all: SettledChange[]): void {
    const found = this.#git.find();
    const known = all.length;
    const made: [string, GitIdentity][] = [];
    for (const [place, identity] of this.#git.newIn(found)) {
      const isKnown = (folder: string): boolean => folder !== place && this.#git.hasFolder(folder);
      const inside = changesInNewRepository(place, isKnown, this.#roots, this.#options.contents);
      if (this.#wasThere(place, inside)) continue;
      for (const { folder, changes } of inside) all.push(...this.#settler.settle(folder, changes, EMPTY, now));
      // That a submodule or worktree came is seen by its own `.git`.
      if (isInsideGit(place, found)) continue;
      // Not what looks like a bare one: that may be any folder, with somebody's repositories in it.
      if (place.endsWith("/.git") && kindAt(place) === "folder") made.push([place, identity]);
      const [top, name] = splitPlace(place);
      const noted: Change = { parts: [name], rule: MADE_RULE, before: ABSENT, after: ABSENT };
      all.push(...this.#settler.settle(top, [noted], EMPTY, now));
    }
    this.#git.addMade(made);
    this.#meetRepositories(all.length > known ? this.#git.find() : found);
  }

  /** Their folders have places of their own; what is in them now is theirs. */
  #meetRepositories(found: GitFolders): boolean {
    const changed = this.#git.meet(found);
    for (const place of changed ?? []) this.#meetTop(place);
    this.#git.accept(found);
    return changed !== undefined;
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

/** Or is none of its business. */
function wasKnownTo({ roots, git, made }: OpenJournal, place: string, now: GitIdentity): boolean {
  const isInside = roots.length === 0 || roots.some((root) => isWithin(latin1(root), place));
  return !isInside || isSameGit(git.get(place) ?? made.get(place), now);
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
