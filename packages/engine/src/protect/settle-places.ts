// The protected places of one server: seen before commands start, compared and put back when one has ended, while tasks
// run, and after a crash. Commands of several sessions may overlap: what counts is what stood there before the first.
import fs from "node:fs";
import path from "node:path";
import { ioError } from "../engine-error.ts";
import { isWithin } from "../scope/scope.ts";
import type { LostPlace } from "../process/sandbox-words.ts";
import type { CommandKind, CommandObserver } from "../session/command-observer.ts";
import { KeptVersions } from "./quarantine.ts";
import { PlaceMonitor } from "./place-monitor.ts";
import { changesBetween, contentsOf } from "./state-changes.ts";
import type { DeepFolders } from "./deep-folders.ts";
import type { GitFolders } from "./git-folders.ts";
import type { ProtectedPlace } from "./held-places.ts";
import type { HeldOptions } from "./restore-held-places.ts";
import { claimedRoots, claimJournal, Journal, leftJournals, openJournals } from "./crash-journal.ts";
import type { LeftJournal, OpenJournal } from "./crash-journal.ts";
import { KeptContents } from "./content-before.ts";
import { PlaceRules } from "./settled-places.ts";
import type { PlaceLevel, RuleOptions } from "./settled-places.ts";
import type { SettledChange } from "./restore-settled-places.ts";
import { ABSENT } from "./place-state.ts";
import type { PlaceState } from "./place-state.ts";

const NONE_MADE: GitFolders = new Map();
/** While a task or a long command runs; a person who opens something in between is the risk that remains. */
const TASK_MS = 2000;
/** After the last command, before it is asked whether anything of it still runs: commands in a row need not wait. */
const CALM_MS = 50;
/** For another server that is settling what a killed one left here: hundreds of files take less than a second. */
const CLAIMED_MS = 3000;
const CLAIMED_STEP_MS = 10;
/** For the folders that were not looked through yet when the server ends; clients do not wait much longer. */
const CLOSING_MS = 1000;

export type SettledPlacesOptions = RuleOptions & {
  /** Real paths; empty: everything. */
  readonly roots: readonly string[];
  readonly workdir: string;
  readonly home: string;
  readonly stateFolder: string;
  /** Further places by their absolute paths, which come and go. The same list means that nothing changed. */
  readonly further?: (() => readonly string[]) | undefined;
  /** What mounts hold, and is put back should they be lost; asked after `further`. The same list means that nothing changed. */
  readonly held?: (() => readonly ProtectedPlace[]) | undefined;
  /** Looks for repositories further down than is looked before each command. */
  readonly deep?: DeepFolders | undefined;
  /** Whether processes of earlier commands still run. */
  readonly hasLeftovers: () => Promise<boolean>;
  /** Told of every change at once, with the sessions whose commands may have made it. */
  readonly onSettled: (
    changes: readonly SettledChange[],
    sessions: readonly object[],
    /** Commands of another server run in the same folders: a change may be theirs. */
    isShared: boolean,
  ) => void;
  /** Commands of that session were stopped: somebody outside replaced these, and the commands could see or change them. */
  readonly onStopped?: ((places: readonly string[], session: object) => void) | undefined;
  /** Places could not be looked at. They are looked at again; told once until that works. */
  readonly onFailed?: ((error: unknown, sessions: readonly object[]) => void) | undefined;
};

export type SettledPlace = {
  readonly level: PlaceLevel;
  readonly why: string;
  readonly shown: string;
  /** The pattern by which a person would take it out of the list. */
  readonly opening: string;
};

export type WatchedWrite = {
  /** Whether anything that counts is another now. */
  hasChanged(): boolean;
  end(): void;
};

export class SettledPlaces implements CommandObserver {
  readonly #options: SettledPlacesOptions;
  readonly #rules: PlaceRules;
  readonly #aside: KeptVersions;
  #baseline: PlaceMonitor | undefined;
  #contents = new KeptContents(undefined);
  #journal: Journal | undefined;
  #written = "";
  readonly #running = new Map<
    object,
    { readonly session: object; kind: CommandKind; readonly open: readonly string[]; readonly since: number }
  >();
  /** Sessions whose last commands may have left something running. */
  readonly #lingering = new Set<object>();
  /** Sessions whose commands may have made repositories that were not looked for yet. */
  readonly #unlooked = new Set<object>();
  /** Commands may have changed things since what counts was last read. */
  #isOpen = false;
  /** When it was last asked, something of them still ran. */
  #isLeft = false;
  #calm: Timer | undefined;
  #ticks: Timer | undefined;
  #isClosed = false;
  /** Tools that are writing places just now, and whether something waits for them. */
  #writes = 0;
  #isDue = false;
  #isFailing = false;
  /** Contents that somebody may still ask for. */
  readonly #offered = new Set<SettledChange>();

  constructor(options: SettledPlacesOptions) {
    this.#options = options;
    this.#rules = new PlaceRules(options);
    this.#aside = new KeptVersions(options.stateFolder);
    if (options.deep !== undefined) options.deep.onLooked = (hasChanged) => this.#meetDeep(hasChanged);
  }

  /** Settles what servers left that were killed while commands ran in these folders. Never throws: the start goes on. */
  recover(): void {
    const { stateFolder, onFailed } = this.#options;
    const attempt = (work: () => void): void => {
      try {
        work();
      } catch (error) {
        onFailed?.(error, []);
      }
    };
    attempt(() => {
      for (const left of leftJournals(stateFolder)) {
        attempt(() => {
          if (!left.wasOpen || this.#overlaps(left.roots)) this.#recoverFrom(left);
        });
      }
    });
    if (!this.#rules.isEmpty) this.#options.deep?.request();
    attempt(() => {
      // What another server is putting back must not count for us as it was before.
      const until = performance.now() + CLAIMED_MS;
      const isAwaited = (): boolean => claimedRoots(stateFolder).some((roots) => this.#overlaps(roots));
      while (isAwaited() && performance.now() < until) Bun.sleepSync(CLAIMED_STEP_MS);
    });
  }

  begin(session: object, kind: CommandKind, open: readonly string[] = []): () => void {
    if (this.#rules.isEmpty || this.#isClosed) return () => undefined;
    const command = {};
    clearTimeout(this.#calm);
    try {
      if (!this.#isOpen) this.#refresh();
      else if (this.#heldOptions.isAtRisk) this.#known().meetFurther();
      else this.#known().refreshHeld(this.#others());
    } catch (error) {
      // The command does not start; those before it still have to be asked about.
      if (this.#isOpen && this.#running.size === 0) this.#calmDown();
      throw ioError("look at", "protected places", error);
    }
    this.#known().commandsBegin();
    this.#isOpen = true;
    this.#running.set(command, { session, kind, open, since: performance.now() });
    this.#tick();
    return () => {
      if (!this.#running.has(command)) return;
      this.#acceptAll(open);
      this.#settle();
      this.#running.delete(command);
      this.#lingering.add(session);
      this.#lookDeeper(session);
      if (this.#running.size === 0) this.#calmDown();
    };
  }

  /** Mounts are gone for commands that run: from now on their changes are put back as they come. */
  lost(session: object, places: readonly LostPlace[]): void {
    const stopped = places.flatMap(({ path: file, isPutBack }) => (isPutBack ? [] : [file]));
    if (stopped.length > 0) this.#options.onStopped?.(stopped, session);
    if (stopped.length === places.length || this.#isClosed) return;
    for (const command of this.#running.values()) if (command.session === session) command.kind = "background";
    this.#tick();
    if (this.#isOpen) this.#settle();
  }

  /** What a path is, after links or as written. `isMovedOrDeleted`: the name itself would lead elsewhere. */
  placeAt(file: string, isMovedOrDeleted = false): SettledPlace | undefined {
    if (this.#rules.isEmpty) return undefined;
    const baseline = this.#known();
    const found = baseline.ruleFor(file, isMovedOrDeleted);
    if (found === undefined) return undefined;
    const { rule, opening } = found;
    return { level: rule.level, why: rule.why, shown: baseline.shown(file), opening };
  }

  /** The place that a file with several names also is: what is written to it is written there. */
  placeOfSameFile(file: string): string | undefined {
    return this.#rules.isEmpty ? undefined : this.#known().placeOfSameFile(file);
  }

  /** What stands at a place now; undefined when it is none. */
  stateAt(file: string): PlaceState | undefined {
    const found = this.#known().ruleFor(file, true);
    return found && this.#known().stateOf(file, found.rule);
  }

  /** What stands anywhere, as it would count if it stood at that place; undefined when that is none. */
  stateAs(file: string, place: string): PlaceState | undefined {
    const found = this.#known().ruleFor(place, true);
    return found && this.#known().stateOf(file, found.rule);
  }

  /** A tool was let change it; `agreed`: to what, as a state or the digest of a content, where that is known. */
  accept(file: string, agreed?: string | PlaceState): void {
    this.#known().accept(file, (state) => {
      if (typeof agreed === "object") return changesBetween(agreed, state).length === 0;
      return agreed === undefined || (state.kind === "file" && state.content?.sha256 === agreed);
    });
    this.#write();
  }

  /** Before a tool writes there. Nothing is put back under its hands until `end` is called. */
  watchWrite(file: string): WatchedWrite {
    const before = this.stateAt(file);
    this.#writes += 1;
    return {
      hasChanged: () => before !== undefined && changesBetween(before, this.stateAt(file) ?? ABSENT).length > 0,
      end: () => {
        this.#writes -= 1;
        if (this.#writes === 0 && this.#isDue) this.#settle();
      },
    };
  }

  /** Until it is answered, its contents are kept. */
  offer(change: SettledChange): void {
    this.#offered.add(change);
  }

  withdraw(change: SettledChange): void {
    this.#offered.delete(change);
  }

  /** Puts the changed version in again. False: something else is there by now, or it was not kept. */
  putIn(change: SettledChange): boolean {
    this.#offered.delete(change);
    const isIn = this.#known().putIn(change, new Date());
    this.#aside.prune();
    this.#write();
    return isIn;
  }

  /** For the question to a person. */
  contentOf(state: PlaceState): Buffer | undefined {
    return state.kind === "file" && state.content !== undefined ? this.#contents.read(state.content.sha256) : undefined;
  }

  /** Repositories that commands made: settled, so that nothing else need hold them. Another map when it changes. */
  get made(): GitFolders {
    return this.#baseline?.made ?? NONE_MADE;
  }

  /** When no command runs any more. */
  close(): void {
    if (this.#unlooked.size > 0 && this.#options.deep?.finish(CLOSING_MS) === false)
      this.#failed(new Error("there was no time to look for new repositories in all folders"));
    const isSettled = !this.#isOpen || this.#settle();
    this.#isClosed = true;
    this.#options.deep?.close();
    clearTimeout(this.#calm);
    clearInterval(this.#ticks);
    // What could not be looked at is for the next server.
    if (isSettled) this.#journal?.remove();
    this.#journal = undefined;
  }

  #overlaps(roots: readonly string[]): boolean {
    const own = this.#options.roots.length === 0 ? [this.#options.workdir] : this.#options.roots;
    return roots.length === 0 || own.some((one) => roots.some((other) => isWithin(one, other) || isWithin(other, one)));
  }

  #baselineOptions(contents: KeptContents) {
    const { roots, workdir, home, further, held, deep } = this.#options;
    const deeper = deep && (() => deep.folders);
    return { rules: this.#rules, contents, aside: this.#aside, roots, workdir, home, further, held, deeper };
  }

  #recoverFrom(left: LeftJournal): void {
    const folder = claimJournal(left.folder);
    if (folder === undefined) return;
    const failures: unknown[] = [];
    try {
      if (left.wasOpen && !this.#rules.isEmpty) {
        const contents = KeptContents.inFolder(path.join(folder, "copies"));
        const options = { ...this.#baselineOptions(contents), roots: left.roots, held: undefined };
        const baseline = new PlaceMonitor(options, left);
        const settled = baseline.settle(new Date(), (error) => failures.push(error));
        if (settled.length > 0) this.#options.onSettled(settled, [], false);
      }
    } catch (error) {
      failures.push(error);
    }
    const [failure] = failures;
    if (failure === undefined) return fs.rmSync(folder, { recursive: true, force: true });
    this.#options.onFailed?.(failure, []);
    fs.renameSync(folder, left.folder); // the next server tries again
  }

  #known(): PlaceMonitor {
    if (this.#baseline === undefined) {
      this.#journal ??= Journal.create(this.#options.stateFolder);
      this.#contents = new KeptContents(this.#journal?.copies);
      const baseline = new PlaceMonitor(this.#baselineOptions(this.#contents));
      baseline.refresh(this.#others());
      // Not before it has seen everything: what it has not seen would count as made by the next command.
      this.#baseline = baseline;
      this.#write();
    }
    return this.#baseline;
  }

  /** Other servers whose commands may be changing things here. */
  #others(): OpenJournal[] {
    return openJournals(this.#options.stateFolder).filter(({ roots }) => this.#overlaps(roots));
  }

  #refresh(): void {
    const isFirst = this.#baseline === undefined;
    const known = this.#known();
    const isChanged = isFirst || known.refresh(this.#others());
    if (isChanged || !this.#isWritten) this.#write();
    this.#journal?.mark(true);
  }

  #acceptAll(open: readonly string[]): void {
    try {
      for (const place of open) this.accept(place);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Gives whether everything was looked at, or is about to be. Never throws. */
  #settle(): boolean {
    this.#isDue = this.#writes > 0;
    if (this.#isDue) return true;
    const failures: unknown[] = [];
    try {
      const settled = this.#known().settle(new Date(), (error) => failures.push(error), this.#heldOptions);
      if (settled.length > 0) {
        const isShared = this.#others().length > 0;
        this.#options.onSettled(settled, this.#concerned, isShared);
      }
      if (settled.length > 0 || !this.#isWritten) this.#write();
    } catch (error) {
      failures.push(error);
    }
    const [failure] = failures;
    if (failure === undefined) this.#isFailing = false;
    else this.#failed(failure);
    return failure === undefined;
  }

  /** Where nothing of a command runs any more, what is another file now is the person's. */
  get #heldOptions(): HeldOptions {
    const open = [...this.#running.values()].flatMap((command) => command.open);
    return { open, isAtRisk: this.#running.size > 0 || this.#isLeft };
  }

  #lookDeeper(session: object): void {
    if (this.#options.deep === undefined) return;
    this.#unlooked.add(session);
    this.#options.deep.request();
  }

  /** What was found further down is settled at once when no command runs; otherwise when one ends. */
  #meetDeep(hasChanged: boolean): void {
    const isIdle = this.#running.size === 0 && this.#baseline !== undefined && !this.#isClosed;
    if (hasChanged && isIdle) this.#settleDeep();
    if (this.#options.deep?.isDue === false) this.#unlooked.clear();
  }

  #settleDeep(): void {
    try {
      if (!this.#isOpen) this.#refresh();
      this.#settle();
      if (!this.#isOpen) this.#journal?.mark(false);
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#isFailing) this.#options.onFailed?.(error, this.#concerned);
    this.#isFailing = true;
  }

  /** The sessions whose commands may have changed something. */
  get #concerned(): object[] {
    const running = new Set([...this.#running.values()].map(({ session }) => session));
    const ended = this.#lingering.size > 0 ? this.#lingering : this.#unlooked;
    return [...(running.size > 0 ? running : ended)];
  }

  /** Whether the journal names the very contents that count: also what does not count of a file is put back with it. */
  get #isWritten(): boolean {
    return digestsText(this.#known()) === this.#written;
  }

  /** What a crash would need. */
  #write(): void {
    const baseline = this.#known();
    const wanted = new Set(baseline.contents());
    this.#written = digestsText(baseline);
    try {
      this.#contents.persist(wanted);
      this.#journal?.write(baseline.journal);
    } catch {
      // a full disk: nothing survives a crash then, and everything else goes on
    }
    for (const { before, after } of this.#offered) {
      for (const sha256 of [...contentsOf(before), ...contentsOf(after)]) wanted.add(sha256);
    }
    this.#contents.retain(wanted);
  }

  #tick(): void {
    this.#ticks ??= setInterval(() => {
      if (this.#running.size === 0 && this.#lingering.size === 0) {
        clearInterval(this.#ticks);
        this.#ticks = undefined;
        return;
      }
      // What a short command writes is looked at when it has ended.
      const isLong = [...this.#running.values()].some(
        ({ kind, since }) => kind === "background" || performance.now() - since >= TASK_MS,
      );
      if (this.#running.size > 0 && !isLong) return;
      this.#settle();
      for (const { session } of this.#running.values()) this.#lookDeeper(session);
      if (this.#running.size === 0) this.#calmDown();
    }, TASK_MS);
    this.#ticks.unref();
  }

  /** Commands have ended, but what they started may not: only when nothing is left does what stands there count again. */
  #calmDown(): void {
    clearTimeout(this.#calm);
    this.#calm = setTimeout(() => void this.#askForLeftovers(), CALM_MS);
    this.#calm.unref();
  }

  async #askForLeftovers(): Promise<void> {
    const isLeft = await this.#options.hasLeftovers().catch(() => true);
    if (this.#running.size > 0 || this.#isClosed || !this.#isOpen) return;
    this.#isLeft = isLeft;
    const isSettled = this.#settle();
    if (isLeft || !isSettled) return this.#tick();
    this.#lingering.clear();
    this.#isOpen = false;
    this.#journal?.mark(false);
  }
}

function digestsText(baseline: PlaceMonitor): string {
  return [...baseline.contents()].join();
}
