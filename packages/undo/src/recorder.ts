// What the server calls: exact changes of file tools, windows for what runs. It keeps no index in memory and never scans.
import { Coverage } from "./coverage.ts";
import { attribute } from "./attribution.ts";
import type { TimedChange } from "./attribution.ts";
import { isFull } from "./database.ts";
import { readEntry } from "./entry-reader.ts";
import { labelOf } from "./label.ts";
import { ownOwner } from "./owner.ts";
import type { WindowKind } from "./records.ts";
import { isSameVersion, sameState } from "./states.ts";
import type { Change, Entry } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { TreeReader } from "./tree-reader.ts";
import { isBelow, parentOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import { StoreFull } from "./undo-error.ts";
import { walkTree } from "./tree-walk.ts";
import { LIMITS } from "./settings.ts";

const ROW_BYTES = 600;

/** What could not be written on a full disk, and must be once there is room: a window that nobody closes would lie. */
type LateWrites = Set<() => void>;

export type Call = { readonly session: string; readonly call: string; readonly tool: string; readonly label: string };

export type KeeperLink = {
  /** Waits for the first snapshot, at most that long. */
  ready(withinMs: number): Promise<boolean>;
  /** Asks for a scan; resolves when one that began after now has ended. */
  scan(): Promise<void>;
};

/** What a result should say: undefined when all was kept. */
export type Kept = { readonly step: number | undefined; readonly problem: string | undefined };

export class Recorder {
  readonly #store: UndoStore;
  readonly #keeper: KeeperLink;
  readonly #owner = ownOwner();
  #lastScan: Promise<void> = Promise.resolve();
  readonly #late: LateWrites = new Set();

  constructor(store: UndoStore, keeper: KeeperLink) {
    this.#store = store;
    this.#keeper = keeper;
  }

  /** Why a change could not be taken back just now; undefined when it could. For `require`, before a call runs. */
  problem(): string | undefined {
    try {
      this.#store.contents.transaction(ROW_BYTES, () => this.#store.records.setMeta("probe", "1"));
      return undefined;
    } catch (error) {
      if (error instanceof StoreFull) return error.message;
      throw error;
    }
  }

  /** Before a command, a task or a terminal starts. `problem`: it runs, but cannot be taken back. */
  async openWindow(call: Call, kind: Exclude<WindowKind, "exact">): Promise<RecordingWindow> {
    writeLate(this.#late);
    await this.#keeper.ready(this.#store.settings.firstWaitMs);
    const fromNs = this.#store.now();
    try {
      const id = this.#store.contents.transaction(ROW_BYTES, () =>
        this.#store.records.openWindow({ ...call, label: labelOf(call.label), kind, owner: this.#owner, fromNs }),
      );
      return { problem: undefined, close: () => this.#closeWindow(id) };
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      return { problem: error.message, close: () => this.#scan() };
    }
  }

  /** Before a file tool writes; the file's lock is held. */
  openChange(call: Call): ExactChange {
    return new ExactChange(this.#store, { ...call, label: labelOf(call.label) }, this.#owner, this.#late);
  }

  /** Until all that has ended is on record. */
  settled(): Promise<void> {
    return this.#lastScan;
  }

  #closeWindow(id: number): Promise<void> {
    const toNs = this.#store.now();
    this.#late.add(() => this.#store.records.closeWindow(id, toNs));
    writeLate(this.#late);
    return this.#scan();
  }

  #scan(): Promise<void> {
    this.#lastScan = this.#keeper.scan();
    return this.#lastScan;
  }
}

export type RecordingWindow = {
  readonly problem: string | undefined;
  /** When all that the call left running has ended. Resolves when its changes are on record; nobody needs to wait. */
  close(): Promise<void>;
};

/** The changes of one call of a file tool. */
export class ExactChange {
  readonly #store: UndoStore;
  readonly #call: Call;
  readonly #reader: TreeReader;
  readonly #before = new Map<TreePath, Entry | undefined>();
  readonly #touched = new Set<TreePath>();
  readonly #window: number | undefined;
  readonly #late: LateWrites;
  #problem: string | undefined;

  constructor(store: UndoStore, call: Call, owner: string, late: LateWrites) {
    this.#store = store;
    this.#call = call;
    this.#late = late;
    this.#reader = new TreeReader(store.root);
    this.#window = this.#attempt(() =>
      store.contents.transaction(ROW_BYTES, () =>
        store.records.openWindow({ ...call, kind: "exact", owner, fromNs: store.now() }),
      ),
    );
  }

  /** What is there now, with all below it, and the folders above it that are not there yet. */
  before(path: TreePath): void {
    for (let above = parentOf(path); above !== "" && this.#reader.look(above) === undefined; above = parentOf(above)) {
      this.#touched.add(above);
      this.#before.set(above, undefined);
    }
    this.#touched.add(path);
    for (const found of this.#withAllBelow(path)) {
      if (!this.#before.has(found)) this.#before.set(found, this.#read(found));
    }
    if (!this.#before.has(path)) this.#before.set(path, undefined);
  }

  /** After the last write, or when the call failed. */
  done(): Kept {
    this.#reader.forget();
    const after = new Map<TreePath, Entry | undefined>();
    for (const path of this.#touched) for (const found of this.#withAllBelow(path)) after.set(found, this.#read(found));
    const changes: Change[] = [];
    const earlier: TimedChange[] = [];
    const { records, contents } = this.#store;
    const hasBaseline = records.meta("baseline") !== undefined;
    for (const path of new Set([...this.#before.keys(), ...after.keys()])) {
      const change = { path, before: this.#before.get(path), after: after.get(path) };
      if (!sameState(change.before, change.after)) changes.push(change);
      const known = records.entry(path);
      // Changed by somebody else since the last scan, and not yet on record: that is not this call's.
      const before = this.#before.get(path);
      const isNews = this.#before.has(path) && !sameState(known, before) && !isSameVersion(known, before);
      if (isNews && (known !== undefined || (hasBaseline && this.#isCovered(path))))
        earlier.push({
          path,
          before: known,
          after: before,
          timeNs: before?.ctimeNs ?? this.#store.now(),
          isBound: before === undefined,
        });
    }
    const step = this.#attempt(() => this.#write(changes, earlier, after));
    contents.release();
    this.#reader[Symbol.dispose]();
    if (this.#window !== undefined) this.#dropWindow(this.#window);
    return { step, problem: this.#problem };
  }

  #write(
    changes: readonly Change[],
    earlier: readonly TimedChange[],
    after: ReadonlyMap<TreePath, Entry | undefined>,
  ): number | undefined {
    const { records, contents } = this.#store;
    return contents.transaction((changes.length + earlier.length + after.size) * ROW_BYTES, () => {
      const windows = records.windows().filter(({ id }) => id !== this.#window);
      for (const group of attribute(earlier, windows)) this.#addStep(group.changes, group.windows[0], group.certainty);
      for (const path of new Set([...this.#before.keys(), ...after.keys()])) records.putEntry(path, after.get(path));
      return changes.length === 0 ? undefined : this.#addStep(changes, this.#call, "exact");
    });
  }

  #addStep(
    changes: readonly Change[],
    call: Call | undefined,
    certainty: "exact" | "window" | "shared" | "outside",
  ): number {
    const lost = changes.some(({ before }) => before?.type === "file" && before.blob === undefined);
    return this.#store.records.addStep(
      {
        timeMs: Date.now(),
        session: call?.session ?? "",
        calls: call === undefined ? [] : [call.call],
        tool: call?.tool ?? "",
        label: call?.label ?? "changed by nobody's call",
        kind: "call",
        certainty,
        state: "done",
        partial: lost ? "the content of a file was not kept" : undefined,
        undoes: [],
        notCovered: [],
        owner: ownOwner(),
      },
      changes.slice(0, LIMITS.changesOfStep),
    );
  }

  #dropWindow(id: number): void {
    this.#late.add(() => this.#store.records.dropWindow(id));
    writeLate(this.#late);
  }

  #read(path: TreePath): Entry | undefined {
    const entry = readEntry(this.#store, this.#reader, path);
    if (entry?.why === "the store is full") this.#problem = entry.why;
    return entry;
  }

  #withAllBelow(path: TreePath): TreePath[] {
    const stat = this.#reader.look(path);
    if (stat === undefined) return [];
    if (!stat.isDirectory()) return [path];
    const found = [path];
    const { root, settings, folder } = this.#store;
    walkTree(
      root,
      new Coverage(root, settings, [folder]),
      { maxFiles: LIMITS.changesOfStep, deadlineMs: performance.now() + LIMITS.scanMs },
      (entry) => found.push(entry.path),
      { from: path, coversAll: true },
    );
    return found;
  }

  #isCovered(path: TreePath): boolean {
    for (let above = parentOf(path); above !== ""; above = parentOf(above))
      if (this.#store.records.entry(above)?.type === "uncovered") return false;
    return !isBelow(".git/objects", path);
  }

  #attempt<T>(write: () => T): T | undefined {
    try {
      return write();
    } catch (error) {
      if (!(error instanceof StoreFull)) throw error;
      this.#problem = error.message;
      return undefined;
    }
  }
}

function writeLate(late: LateWrites): void {
  for (const write of late) {
    try {
      write();
      late.delete(write);
    } catch (error) {
      if (!isFull(error)) throw error;
      return; // with the next call
    }
  }
}
