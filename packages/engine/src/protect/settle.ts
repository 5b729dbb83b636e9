// The protected places of one server: seen before commands start, compared and put back when one has ended, while tasks
// run, and after a crash. Commands of several sessions may overlap: what counts is what stood there before the first.
import fs from "node:fs";
import path from "node:path";
import { isWithin } from "../scope.ts";
import type { CommandKind, CommandObserver } from "../session/command-observer.ts";
import { Aside } from "./aside.ts";
import { Baseline } from "./baseline.ts";
import type { SettledChange } from "./baseline.ts";
import { changesBetween, contentsOf } from "./changes.ts";
import type { GitFolders } from "./git-folders.ts";
import { Journal, leftJournals } from "./journal.ts";
import { KeptContents } from "./kept-content.ts";
import { PlaceRules } from "./settled-places.ts";
import type { PlaceLevel, RuleOptions } from "./settled-places.ts";
import { ABSENT } from "./snapshot.ts";
import type { PlaceState } from "./snapshot.ts";

const NONE_MADE: GitFolders = new Map();
/** While a task runs; a person who opens something in between is the risk that remains. */
const TASK_MS = 2000;
/** After the last command, before it is asked whether anything of it still runs: commands in a row need not wait. */
const CALM_MS = 50;

export type SettledPlacesOptions = RuleOptions & {
  /** Real paths; empty: everything. */
  readonly roots: readonly string[];
  readonly workdir: string;
  readonly home: string;
  readonly stateFolder: string;
  /** Further places by their absolute paths, which come and go. The same list means that nothing changed. */
  readonly further?: (() => readonly string[]) | undefined;
  /** Whether processes of earlier commands still run. */
  readonly hasLeftovers: () => Promise<boolean>;
  /** Told of every change at once, with the sessions whose commands may have made it. */
  readonly onSettled: (changes: readonly SettledChange[], sessions: readonly object[]) => void;
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
  readonly #aside: Aside;
  #baseline: Baseline | undefined;
  #contents = new KeptContents(undefined);
  #journal: Journal | undefined;
  readonly #running = new Map<object, { readonly session: object; readonly kind: CommandKind }>();
  /** Sessions whose last commands may have left something running. */
  readonly #lingering = new Set<object>();
  /** Commands may have changed things since what counts was last read. */
  #isOpen = false;
  #calm: Timer | undefined;
  #ticks: Timer | undefined;
  #isClosed = false;
  /** Tools that are writing places just now, and whether something waits for them. */
  #writes = 0;
  #isDue = false;
  /** Contents that somebody may still ask for. */
  readonly #offered = new Set<SettledChange>();

  constructor(options: SettledPlacesOptions) {
    this.#options = options;
    this.#rules = new PlaceRules(options);
    this.#aside = new Aside(options.stateFolder);
  }

  /** Settles what servers left that were killed while commands ran in these folders. */
  recover(): void {
    for (const left of leftJournals(this.#options.stateFolder)) {
      const { folder, roots, wasOpen } = left;
      if (wasOpen && !this.#overlaps(roots)) continue;
      if (wasOpen && !this.#rules.isEmpty) {
        const contents = KeptContents.inFolder(path.join(folder, "copies"));
        const settled = new Baseline({ ...this.#baselineOptions(contents), roots }, left).settle(new Date());
        if (settled.length > 0) this.#options.onSettled(settled, []);
      }
      fs.rmSync(folder, { recursive: true, force: true });
    }
  }

  begin(session: object, kind: CommandKind, open: readonly string[] = []): () => void {
    if (this.#rules.isEmpty || this.#isClosed) return () => undefined;
    const command = {};
    const isFirst = !this.#isOpen;
    this.#isOpen = true;
    clearTimeout(this.#calm);
    if (isFirst) this.#refresh();
    else this.#known().meetFurther();
    this.#running.set(command, { session, kind });
    if (kind === "background") this.#tick();
    return () => {
      if (!this.#running.has(command)) return;
      for (const place of open) this.accept(place);
      this.#settle();
      this.#running.delete(command);
      this.#lingering.add(session);
      if (this.#running.size === 0) this.#calmDown();
    };
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

  /** What stands at a place now; undefined when it is none. */
  stateAt(file: string): PlaceState | undefined {
    const found = this.#known().ruleFor(file, true);
    return found && this.#known().stateOf(file, found.rule);
  }

  /** A tool was let change it; `sha256`: of what was agreed to, where that is known. */
  accept(file: string, sha256?: string): void {
    this.#known().accept(
      file,
      (state) => sha256 === undefined || (state.kind === "file" && state.content?.sha256 === sha256),
    );
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
    if (this.#isOpen) this.#settle();
    this.#isClosed = true;
    clearTimeout(this.#calm);
    clearInterval(this.#ticks);
    this.#journal?.remove();
    this.#journal = undefined;
  }

  #overlaps(roots: readonly string[]): boolean {
    const own = this.#options.roots.length === 0 ? [this.#options.workdir] : this.#options.roots;
    return roots.length === 0 || own.some((one) => roots.some((other) => isWithin(one, other) || isWithin(other, one)));
  }

  #baselineOptions(contents: KeptContents) {
    const { roots, workdir, home, further } = this.#options;
    return { rules: this.#rules, contents, aside: this.#aside, roots, workdir, home, further };
  }

  #known(): Baseline {
    if (this.#baseline === undefined) {
      this.#journal = Journal.create(this.#options.stateFolder);
      this.#contents = new KeptContents(this.#journal?.copies);
      this.#baseline = new Baseline(this.#baselineOptions(this.#contents));
      this.#baseline.refresh();
      this.#write();
    }
    return this.#baseline;
  }

  #refresh(): void {
    const baseline = this.#known();
    if (baseline.refresh()) this.#write();
    this.#journal?.mark(true);
  }

  #settle(): void {
    this.#isDue = this.#writes > 0;
    if (this.#isDue) return;
    const settled = this.#known().settle(new Date());
    if (settled.length === 0) return;
    const running = new Set([...this.#running.values()].map(({ session }) => session));
    this.#options.onSettled(settled, [...(running.size > 0 ? running : this.#lingering)]);
    this.#write();
  }

  /** What a crash would need. */
  #write(): void {
    const baseline = this.#known();
    const wanted = new Set(baseline.contents());
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
      const isTask = [...this.#running.values()].some(({ kind }) => kind === "background");
      if (!isTask && this.#lingering.size === 0) {
        clearInterval(this.#ticks);
        this.#ticks = undefined;
        return;
      }
      this.#settle();
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
    this.#settle();
    if (isLeft) return this.#tick();
    this.#lingering.clear();
    this.#isOpen = false;
    this.#journal?.mark(false);
  }
}
