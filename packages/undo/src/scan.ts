// The tree against the index: what differs becomes steps. The first scan makes no steps: it is what later ones compare with.
import fs from "node:fs";
import { attribute } from "./attribution.ts";
import type { Attributed, TimedChange } from "./attribution.ts";
import { recover } from "./recover.ts";
import { Coverage } from "./coverage.ts";
import { isUnchanged, plainEntry, readEntry } from "./entry-reader.ts";
import { isAlive } from "./owner.ts";
import type { NotCovered, Window } from "./records.ts";
import { LIMITS } from "./settings.ts";
import type { Entry } from "./states.ts";
import { isSameVersion, PENDING, sameState } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { TreeReader } from "./tree-reader.ts";
import { parentOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import { walkTree } from "./tree-walk.ts";
import type { Walked } from "./tree-walk.ts";

/** Rows of one transaction: others write in between. */
const BATCH = 1000;
const ROW_BYTES = 600;

export type ScanResult = {
  readonly steps: readonly number[];
  /** Something is being changed right now: look again soon. */
  readonly again: boolean;
  readonly files: number;
};

type Found = { readonly old: Entry | undefined; readonly now: Entry | undefined; readonly walked: Walked | undefined };

export class Scanner {
  readonly #store: UndoStore;
  /** The index, as long as nobody else has written. */
  #entries: Map<TreePath, Entry> | undefined;
  #version = -1n;
  #writes = -1;

  constructor(store: UndoStore) {
    this.#store = store;
  }

  scan(): ScanResult {
    const { records, root, settings, folder } = this.#store;
    if (recover(this.#store) === "busy") return { steps: [], again: true, files: 0 };
    const startNs = this.#store.now();
    this.#closeDeadWindows(startNs);
    const entries = this.#load();
    const missing = new Set(entries.keys());
    const differing: Walked[] = [];
    const limits = { maxFiles: settings.maxFiles, deadlineMs: performance.now() + LIMITS.scanMs };
    const coverage = new Coverage(root, settings, [fs.realpathSync(folder)]);
    const end = walkTree(
      root,
      coverage,
      limits,
      (walked) => {
        missing.delete(walked.path);
        const old = entries.get(walked.path);
        if (old === undefined || !isUnchanged(old, walked.stat, walked.why)) differing.push(walked);
      },
      { wasCovered: (path) => entries.get(path)?.type === "folder" },
    );
    if (end.kind === "too-many") {
      records.setMeta("coverage", `file tools only (above ${settings.maxFiles.toLocaleString("en-US")} files)`);
      return { steps: [], again: false, files: end.files };
    }
    if (records.meta("coverage") !== undefined) records.setMeta("coverage", "");
    if (records.meta("baseline") === undefined) {
      this.#index(differing, end.kind === "whole" ? startNs : undefined, end.notCovered);
      return { steps: [], again: end.kind !== "whole", files: end.files };
    }
    if (differing.length === 0 && (missing.size === 0 || end.kind === "late") && records.windows().length === 0)
      return { steps: [], again: end.kind === "late", files: end.files };
    const gone = end.kind === "late" ? [] : [...missing];
    const uncovered = new Set(end.notCovered.map(({ path }) => path));
    return { ...this.#record({ differing, gone, entries, uncovered, startNs, end }), files: end.files };
  }

  /** Reads what the first scan only listed, in the order of `next`; false when nothing is left to read. */
  keepPending(paths: readonly TreePath[]): void {
    using reader = new TreeReader(this.#store.root);
    const read: [TreePath, Entry][] = [];
    const { contents, records } = this.#store;
    for (const path of paths) {
      const old = records.entry(path);
      const stat = old === undefined ? undefined : reader.look(path);
      if (old?.why !== PENDING || stat === undefined || !isUnchanged(old, stat, undefined)) continue;
      const now = readEntry(this.#store, reader, path);
      // Changed meanwhile: what it was is lost, and the scan must find that it changed.
      if (now?.ctimeNs === old.ctimeNs) read.push([path, now]);
      else if (old !== undefined) read.push([path, { ...old, why: "it changed before it was kept" }]);
    }
    contents.transaction(read.length * ROW_BYTES, () => {
      for (const [path, entry] of read) if (records.entry(path)?.why === PENDING) records.putEntry(path, entry);
    });
    contents.release();
    this.#entries = undefined;
  }

  #load(): Map<TreePath, Entry> {
    const { data_version: version } = this.#store.database.query("PRAGMA data_version").get() as {
      data_version: bigint;
    };
    const isOld = version !== this.#version || this.#ownWrites() !== this.#writes;
    if (this.#entries === undefined || isOld) this.#entries = this.#store.records.entries();
    this.#version = version;
    this.#writes = this.#ownWrites();
    return this.#entries;
  }

  #ownWrites(): number {
    return this.#store.records.entryWrites + this.#store.contents.indexEvictions;
  }

  #index(found: readonly Walked[], wholeNs: bigint | undefined, notCovered: readonly NotCovered[]): void {
    const { contents, records } = this.#store;
    for (let at = 0; at < found.length; at += BATCH) {
      const batch = found.slice(at, at + BATCH);
      contents.transaction(batch.length * ROW_BYTES, () => {
        for (const { path, stat, why } of batch) {
          // A file tool may have recorded it meanwhile, with its content.
          if (records.entry(path) === undefined) records.putEntry(path, plainEntry(this.#store, stat, why));
        }
      });
    }
    this.#entries = undefined;
    contents.transaction(0, () => {
      records.setMeta("not-covered", JSON.stringify(notCovered.slice(0, 1000)));
      if (wholeNs === undefined) return;
      records.setMeta("baseline", String(wholeNs));
      records.setMeta("scanned", String(wholeNs));
    });
  }

  #record(seen: {
    differing: readonly Walked[];
    gone: readonly TreePath[];
    entries: Map<TreePath, Entry>;
    uncovered: ReadonlySet<TreePath>;
    startNs: bigint;
    end: { kind: string; notCovered: readonly NotCovered[] };
  }): { steps: number[]; again: boolean } {
    const { records, contents } = this.#store;
    using reader = new TreeReader(this.#store.root);
    const found = new Map<TreePath, Found>();
    for (const walked of seen.differing) {
      const now = readEntry(this.#store, reader, walked.path, walked.why);
      const old = seen.entries.get(walked.path);
      if (now !== undefined || old !== undefined) found.set(walked.path, { old, now, walked });
    }
    for (const path of seen.gone) found.set(path, { old: seen.entries.get(path), now: undefined, walked: undefined });
    reader.forget();
    const lastNs = BigInt(records.meta("scanned") ?? "0");
    const isShown = (path: TreePath, { old, now }: Found): boolean =>
      !sameState(old, now) &&
      !isSameVersion(old, now) &&
      now?.type !== "uncovered" &&
      (now ?? old)?.why !== "excluded" &&
      !aboveIn(path, (above) => seen.uncovered.has(above)) &&
      // Newly covered: it was there before.
      !aboveIn(path, (above) => seen.entries.get(above)?.type === "uncovered" && found.get(above)?.now !== undefined);
    const shown = [...found].filter(([path, entry]) => isShown(path, entry));
    // What came with a folder that was moved has the times it had before.
    const known = new Set(
      [...found.values()].flatMap(({ old }) => (old === undefined ? [] : [`${old.ino} ${old.ctimeNs}`])),
    );
    const isMoved = ({ now }: Found): boolean => now !== undefined && known.has(`${now.ino} ${now.ctimeNs}`);
    const timed = shown.map(([path, entry]) =>
      this.#timed(reader, path, entry, isMoved(entry) ? seen.startNs : lastNs),
    );
    const windows = records.windows();
    const inFlight = windows.filter(({ kind, toNs }) => kind === "exact" && toNs === undefined);
    // A file tool is about to record these itself.
    const waiting = new Set(
      timed.filter(({ timeNs }) => inFlight.some(({ fromNs }) => fromNs <= timeNs)).map(({ path }) => path),
    );
    const steps: number[] = [];
    let again = waiting.size > 0 || seen.end.kind === "late";
    // Content that goes for want of room from here on must be seen by the next scan.
    const evictions = contents.indexEvictions;
    contents.transaction((found.size + timed.length) * ROW_BYTES, () => {
      const skipped = new Set(waiting);
      for (const [path, { old, now }] of found) {
        if (skipped.has(path)) continue;
        const current = records.entry(path);
        // Recorded by somebody else while we read.
        if (current?.ctimeNs !== old?.ctimeNs || current?.blob !== old?.blob) skipped.add(path);
        else records.putEntry(path, now);
      }
      if (skipped.size > waiting.size) {
        again = true;
        this.#entries = undefined;
      }
      const mine = timed.filter(({ path }) => !skipped.has(path));
      for (const group of attribute(mine, windows))
        steps.push(this.#addStep(group, seen.end.notCovered, seen.end.kind));
      records.setMeta("not-covered", JSON.stringify(seen.end.notCovered.slice(0, 1000)));
      records.setMeta("scanned", String(seen.startNs));
      for (const { id, toNs } of windows) if (toNs !== undefined && toNs < seen.startNs) records.dropWindow(id);
      for (const path of skipped) found.delete(path);
    });
    this.#writes = records.entryWrites + evictions;
    contents.release();
    for (const [path, { now }] of found) {
      if (now === undefined) seen.entries.delete(path);
      else seen.entries.set(path, now);
    }
    return { steps, again };
  }

  #addStep({ certainty, windows, changes }: Attributed, notCovered: readonly NotCovered[], end: string): number {
    const [first] = windows;
    const calls = [...new Set(windows.map(({ call }) => call))];
    const kept = changes.slice(0, LIMITS.changesOfStep);
    return this.#store.records.addStep(
      {
        timeMs: Date.now(),
        session: first?.session ?? "",
        calls,
        tool: first?.tool ?? "",
        label: calls.length > 1 ? `×${calls.length} (calls overlapped)` : (first?.label ?? "changed by nobody's call"),
        kind: "call",
        certainty,
        state: "done",
        partial: this.#partial({ windows, changes, end }),
        undoes: [],
        notCovered: notCovered.slice(0, 100),
        owner: first?.owner ?? "",
      },
      kept,
    );
  }

  #partial(step: { windows: readonly Window[]; changes: readonly TimedChange[]; end: string }): string | undefined {
    if (step.end === "late") return `the scan took longer than ${LIMITS.scanMs / 1000} s`;
    if (step.changes.length > LIMITS.changesOfStep)
      return `${step.changes.length - LIMITS.changesOfStep} more changes are not kept`;
    if (step.windows.some(({ owner }) => !isAlive(owner))) return "the server ended during the call";
    const baseline = BigInt(this.#store.records.meta("baseline") ?? "0");
    if (step.windows.some(({ fromNs }) => fromNs < baseline)) return "the first snapshot was not complete";
    const lost = step.changes.filter(({ before }) => before?.type === "file" && before.blob === undefined).length;
    return lost === 0 ? undefined : `the content of ${lost} file${lost === 1 ? "" : "s"} was not kept`;
  }

  #timed(reader: TreeReader, path: TreePath, { old, now }: Found, sinceNs: bigint): TimedChange {
    const change = { path, before: old, after: now };
    if (now !== undefined && now.ctimeNs >= sinceNs) return { ...change, timeNs: now.ctimeNs, isBound: false };
    // Gone, or moved here with a folder: not later than the last change of a folder above it.
    let timeNs = fs.lstatSync(this.#store.root, { bigint: true }).ctimeNs;
    for (let above = parentOf(path); above !== ""; above = parentOf(above)) {
      const { ctimeNs = 0n } = reader.look(above) ?? {};
      if (ctimeNs > timeNs) timeNs = ctimeNs;
    }
    return { ...change, timeNs, isBound: true };
  }

  #closeDeadWindows(nowNs: bigint): void {
    const { records } = this.#store;
    for (const { id, owner, toNs } of records.windows())
      if (toNs === undefined && !isAlive(owner)) records.closeWindow(id, nowNs);
  }
}

function aboveIn(path: TreePath, test: (above: TreePath) => boolean): boolean {
  for (let above = parentOf(path); above !== ""; above = parentOf(above)) if (test(above)) return true;
  return false;
}
