// What the held places of git hold: a second line. The mount on one is gone for commands that run when somebody outside puts
// another file in its place, the person's own `git remote add` for example. From then on it is compared and put back. So is
// a file with a second name, from the start: a mount holds a name, not the file.
import { compileGlob } from "../scope/glob-pattern.ts";
import { identityAt, isSameEntry } from "../sandbox/entry-identity.ts";
import type { EntryIdentity } from "../sandbox/entry-identity.ts";
import { exactEntryStat } from "../sandbox/entry-stat.ts";
import { entryIn } from "../sandbox/path-text.ts";
import { readFolder } from "../sandbox/read-folder.ts";
import { isWithin } from "../scope/scope.ts";
import { readBounded } from "./bounded-file.ts";
import { changesBetween, contentsOf } from "./state-changes.ts";
import { programsIn } from "./git-config-programs.ts";
import type { ProtectedPlace } from "./held-places.ts";
import type { OpenJournal } from "./crash-journal.ts";
import type { KeptContents } from "./content-before.ts";
import { openFolder } from "./real-folder.ts";
import type { PlaceRule } from "./settled-places.ts";
import type { SettledChange, Settler } from "./restore-settled-places.ts";
import { ABSENT, EMPTY, isSameIdentity, latin1Of, lookAtEntry, pathTextOf } from "./place-state.ts";
import type { PlaceState } from "./place-state.ts";

export type HeldStatesOptions = {
  readonly contents: KeptContents;
  /** The places that mounts hold. The same list means that nothing changed. */
  readonly held?: (() => readonly ProtectedPlace[]) | undefined;
};

export type HeldOptions = {
  /** Places that a command was let change. */
  readonly open: readonly string[];
  /** Something of a command still runs, and could have changed what nothing holds any more. */
  readonly isAtRisk: boolean;
};

type Known = {
  readonly place: ProtectedPlace;
  /** In latin1. */
  readonly folder: string;
  readonly name: string;
  readonly rule: PlaceRule;
  identity: EntryIdentity | undefined;
  state: PlaceState;
  /** Another file stood there since: nothing keeps the commands that run from changing it. */
  isExposed: boolean;
  /** A file of it has a second name, which no mount is on: a hard link from before it was held. */
  hasOtherNames: boolean;
};

export class HeldStates {
  readonly #options: HeldStatesOptions;
  readonly #settler: Settler;
  #list: readonly ProtectedPlace[] = [];
  #known = new Map<string, Known>();

  constructor(settler: Settler, options: HeldStatesOptions) {
    this.#settler = settler;
    this.#options = options;
  }

  get states(): ReadonlyMap<string, PlaceState> {
    return new Map([...this.#known].map(([place, { state }]) => [place, state]));
  }

  /** No command of ours runs: what stands there now is what counts, and its mounts will hold; or what stood there before
   * commands of other servers began. Gives whether anything differs. `isQuick`: what was written into the same files since the
   * last time may be missed. */
  refresh(others: readonly OpenJournal[], isQuick = false): boolean {
    const list = this.#options.held?.() ?? [];
    let isChanged = false;
    if (list !== this.#list) {
      const before = this.#known;
      this.#known = new Map(list.filter(({ isPutBack }) => isPutBack === true).map((place) => entryOf(place, before)));
      this.#list = list;
      isChanged = true;
    }
    for (const known of this.#known.values()) {
      const { place, state: before } = known;
      const identity = identityAt(place.path);
      const isOther = !isSameEntry(known.identity, identity);
      Object.assign(known, { identity, isExposed: false });
      for (const other of others) if (this.#takeOver(known, other)) isChanged = true;
      if (known.isExposed || (isQuick && !isOther && before.kind !== "absent") || isUnchanged(place.path, before))
        continue;
      if (before.kind === "absent" && isPlaceholder(place)) continue;
      const state = this.#look(known) ?? ABSENT;
      if (changesBetween(before, state).length > 0) isChanged = true;
      known.state = state;
      // Before commands run: one could remove the other name again.
      known.hasOtherNames = hasOtherNames(place.path);
    }
    return isChanged;
  }

  /** Whether another server knows it as something else: then it is compared and put back. */
  #takeOver(known: Known, other: OpenJournal): boolean {
    const before = other.held.get(known.place.path);
    if (before === undefined) return false;
    for (const sha256 of contentsOf(before)) this.#options.contents.takeOver(sha256, other.copies);
    if (changesBetween(before, this.#look(known) ?? ABSENT).length === 0) return false;
    known.state = before;
    known.isExposed = true;
    return true;
  }

  settle(now: Date, open: readonly string[]): SettledChange[] {
    return [...this.#known.values()].flatMap((known) => {
      const { place } = known;
      if (open.some((one) => isWithin(one, place.path)) || !isExposed(known)) return [];
      known.isExposed = true;
      const after = this.#look(known);
      // Without its folder nobody is led astray.
      if (after === undefined) return [];
      const changes = changesBetween(known.state, after, [known.name]);
      const settled = this.#settler.settle(known.folder, changes, EMPTY, now);
      const isLeft = settled.every(({ done, isTriedAgain }) => done === "stays" && !isTriedAgain);
      if (isLeft) known.state = after;
      return settled;
    });
  }

  /** A person agreed to what stands there. `place` in latin1. */
  accept(place: string): void {
    for (const known of this.#known.values()) {
      const at = `${known.folder}/${known.name}`;
      if (isWithin(at, place) || isWithin(place, at)) known.state = this.#look(known) ?? known.state;
    }
  }

  *contents(): Generator<string> {
    for (const { state } of this.#known.values()) yield* contentsOf(state);
  }

  /** Undefined: its folder is gone. */
  #look({ folder, name, rule, state, place }: Known): PlaceState | undefined {
    using directory = openFolder(folder);
    if (directory === undefined) return undefined;
    return isPlaceholder(place) ? ABSENT : lookAtEntry(directory, name, rule, state, this.#options.contents);
  }
}

function entryOf(place: ProtectedPlace, before: ReadonlyMap<string, Known>): [string, Known] {
  const known = before.get(place.path);
  if (known !== undefined) return [place.path, { ...known, place }];
  const at = latin1Of(place.path);
  const slash = at.lastIndexOf("/");
  const [folder, name] = [at.slice(0, slash) || "/", at.slice(slash + 1)];
  return [
    place.path,
    {
      place,
      folder,
      name,
      rule: ruleFor(place),
      identity: undefined,
      state: ABSENT,
      isExposed: false,
      hasOtherNames: false,
    },
  ];
}

function ruleFor({ path: file, use, isFolder }: ProtectedPlace): PlaceRule {
  const rule: PlaceRule = { level: "settle", why: `it is ${use}`, pattern: compileGlob("**") };
  // A pointer is no configuration, and then all of it counts.
  const counts = (content: Buffer): Uint8Array => Buffer.from(programsIn(content.toString("latin1")), "latin1");
  return !isFolder && use === "obeyed by git" && !/\/(?:commondir|gitdir|\.git)$/.test(file)
    ? { ...rule, counts }
    : rule;
}

function isExposed({ isExposed: wasExposed, hasOtherNames, place, identity }: Known): boolean {
  if (wasExposed || hasOtherNames) return true;
  const now = identityAt(place.path);
  return now !== undefined && !isSameEntry(identity, now) && !isPlaceholder(place);
}

/** What means the same as nothing, and stands there while commands run so that nothing else can. */
function isPlaceholder({ path: file, absent }: ProtectedPlace): boolean {
  if (absent === "nothing") return false;
  if (absent === "folder") return isEmptyFolder(file);
  return readBounded(file, absent.content.length + 1)?.toString("latin1") === absent.content;
}

function hasOtherNames(file: string): boolean {
  const stat = exactEntryStat(file);
  if (stat?.isDirectory() === true) return readFolder(file).some(({ name }) => hasOtherNames(entryIn(file, name)));
  return stat?.isFile() === true && stat.nlink > 1n;
}

function isEmptyFolder(file: string): boolean {
  return exactEntryStat(file)?.isDirectory() === true && readFolder(file).length === 0;
}

/** Whether it need not be read again: one lstat per entry. */
function isUnchanged(file: string, state: PlaceState): boolean {
  const stat = exactEntryStat(file);
  if (stat === undefined) return state.kind === "absent";
  if (state.kind === "file") return isSameIdentity(state.identity, stat);
  if (state.kind !== "folder" || !state.isWhole || !stat.isDirectory()) return false;
  if (state.mode !== (Number(stat.mode) & 0o7777)) return false;
  if (readFolder(file).length !== state.entries.size) return false;
  // Git runs no samples.
  const isSame = ([name, inner]: readonly [string, PlaceState]): boolean =>
    name.endsWith(".sample") || isUnchanged(entryIn(file, pathTextOf(name)), inner);
  return [...state.entries].every(isSame);
}
