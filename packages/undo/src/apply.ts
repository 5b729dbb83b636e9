// A plan carried out: written down first, so that whoever comes after a kill goes on where it ended. Every operation looks
// again at what is there and can be repeated.
import fs from "node:fs";
import { codeOf } from "@bosun/platform/errors";
import { hashEntry, plainEntry } from "./entry-reader.ts";
import { ownOwner } from "./owner.ts";
import type { Operation, Plan } from "./plan.ts";
import type { Step } from "./records.ts";
import { sameContent, sameState } from "./states.ts";
import type { Change, State } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { placeIn, TreeReader } from "./tree-reader.ts";
import { decodePath, encodePath, nameOf, parentOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import { makeFolderAt, makeLinkAt, removeAt, removeTemporary, setModeAt, writeFileAt } from "./write-state.ts";

const PLANNED = 0;
const DONE = 1;
/** A file with several names is being written in place: what is there is neither old nor new. */
const BEGUN = 2;
const LEFT = 3;
const ROW_BYTES = 900;

export type Applied = { readonly step: number; readonly total: number; readonly left: readonly TreePath[] };
export type ApplyHooks = {
  /** Called before each operation, before it is marked as done, and before the end: for tests that kill there. */
  readonly at?: (point: string) => void;
};

type Row = { seq: number; operation: Operation; done: number };

/** Writes the plan and the new step down; from here on it will be finished, by us or by the next start. */
export function writePlan(store: UndoStore, plan: Plan, step: Pick<Step, "kind" | "label" | "undoes">): number {
  keepWhatGoes(store, plan);
  const { contents, records, database } = store;
  // A power cut must not lose the plan when it keeps what the plan did.
  database.run("PRAGMA synchronous = FULL");
  const changes = plan.paths.map(({ path, now, target }): Change => ({ path, before: now, after: target }));
  const n = contents.transaction(plan.operations.length * ROW_BYTES, () => {
    const added = records.addStep(
      {
        ...step,
        timeMs: Date.now(),
        session: "",
        calls: [],
        tool: "",
        certainty: "exact",
        state: "running",
        partial: undefined,
        notCovered: [],
        owner: ownOwner(),
      },
      changes,
    );
    const insert = database.query("INSERT INTO plan VALUES (?, ?, ?, ?, ?, ?, ?)");
    for (const [seq, { kind, path, expected, target }] of plan.operations.entries())
      insert.run(
        added,
        seq,
        kind,
        encodePath(path),
        JSON.stringify(expected ?? null),
        JSON.stringify(target ?? null),
        PLANNED,
      );
    return added;
  });
  database.run("PRAGMA synchronous = NORMAL");
  contents.release();
  return n;
}

/** Does what is left of a plan. */
export function finishPlan(store: UndoStore, step: number, hooks: ApplyHooks = {}): Applied {
  const rows = rowsOf(store, step);
  using reader = new TreeReader(store.root);
  const mark = store.database.query("UPDATE plan SET done = ? WHERE step = ? AND seq = ?");
  const left: TreePath[] = [];
  for (const row of rows) {
    if (row.done === LEFT) left.push(row.operation.path);
    if (row.done === DONE || row.done === LEFT) continue;
    hooks.at?.(`before ${row.seq}`);
    const isDone = carryOut(store, reader, row, () => mark.run(BEGUN, step, row.seq));
    if (!isDone) left.push(row.operation.path);
    hooks.at?.(`after ${row.seq}`);
    mark.run(isDone ? DONE : LEFT, step, row.seq);
  }
  hooks.at?.("end");
  syncWritten(reader, rows);
  settle(store, reader, step, { rows, left: new Set(left) });
  return { step, total: rows.length, left };
}

/** Content that an undo overwrites must be there for redo before anything is written. */
function keepWhatGoes(store: UndoStore, { paths }: Plan): void {
  using reader = new TreeReader(store.root);
  for (const { path, now } of paths) {
    if (now?.blob === undefined || store.contents.has(now.blob)) continue;
    const bytes =
      now.type === "link" ? reader.readLink(path) : reader.readFile(path, store.settings.maxFileSize)?.bytes;
    if (bytes !== undefined) store.contents.put(bytes);
  }
}

function carryOut(store: UndoStore, reader: TreeReader, { operation, done }: Row, begin: () => void): boolean {
  const { kind, path, expected, target } = operation;
  if (kind === "same") return true;
  reader.forget();
  let folder;
  try {
    folder = reader.openFolder(parentOf(path));
  } catch (error) {
    // What is to go has gone with its folder; anything else cannot be made there any more.
    if (/^(ENOENT|ENOTDIR|ELOOP)$/.test(codeOf(error))) return target === undefined;
    throw error;
  }
  using above = folder;
  const now = hashEntry(reader, path, store.settings.maxFileSize);
  if (sameState(now, target)) {
    removeTemporary(above, path);
    return true;
  }
  // Made before the kill, or by somebody else: its mode comes last.
  if (kind === "make" && target?.type === "folder" && now?.type === "folder") return true;
  const isOurs = done === BEGUN || (kind === "mode" ? now?.type === target?.type : sameContent(now, expected));
  if (!isOurs) return false;
  if (target === undefined) removeAt(above, path, now?.type === "folder");
  else if (kind === "mode") setModeAt(above, path, target.mode);
  else return make(store, { above, path, target, now, begin });
  return true;
}

function make(
  store: UndoStore,
  place: {
    above: ReturnType<TreeReader["openFolder"]>;
    path: TreePath;
    target: State;
    now: State | undefined;
    begin: () => void;
  },
): boolean {
  const { above, path, target, now, begin } = place;
  // Something is in it that was not there before: it stays.
  if (now?.type === "folder" && target.type !== "folder") return false;
  if (target.type === "folder") {
    makeFolderAt(above, path);
    return true;
  }
  const bytes = target.blob === undefined ? undefined : store.contents.get(target.blob);
  if (bytes === undefined) return false;
  if (target.type === "link") makeLinkAt(above, path, bytes);
  else {
    const replaced = now === undefined ? undefined : fs.lstatSync(placeIn(above, nameOf(path)), { bigint: true });
    if (replaced !== undefined && replaced.nlink > 1n) begin();
    writeFileAt(above, path, { bytes, state: target, replaced });
  }
  return true;
}

/** All that was written stands on the disk before the step counts as done. */
function syncWritten(reader: TreeReader, rows: readonly Row[]): void {
  const folders = new Set<TreePath>();
  for (const { operation } of rows) {
    if (operation.kind === "same") continue;
    folders.add(parentOf(operation.path));
    if (operation.kind !== "make" || operation.target?.type !== "file") continue;
    try {
      using folder = reader.openFolder(parentOf(operation.path));
      const place = placeIn(folder, nameOf(operation.path));
      const fd = fs.openSync(place, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
      try {
        fs.fdatasyncSync(fd);
      } finally {
        fs.closeSync(fd);
      }
    } catch (error) {
      if (codeOf(error) === "UNKNOWN") throw error; // else: gone again, or a file system that cannot: nothing to sync
    }
  }
  for (const path of folders) {
    try {
      using folder = reader.openFolder(path);
      folder.sync();
    } catch (error) {
      if (codeOf(error) === "UNKNOWN") throw error; // else: the folder has gone
    }
  }
}

/** The index, the undone changes and the step, at once. */
function settle(
  store: UndoStore,
  reader: TreeReader,
  step: number,
  { rows, left }: { rows: readonly Row[]; left: ReadonlySet<TreePath> },
): void {
  const { contents, records, database } = store;
  reader.forget();
  const undo = records.step(step);
  if (undo === undefined) return;
  contents.transaction(rows.length * ROW_BYTES, () => {
    const targets = new Map(rows.map(({ operation }) => [operation.path, operation]));
    for (const { path, kind, target } of targets.values()) {
      if (left.has(path)) {
        records.dropChange(step, path);
        continue;
      }
      for (const other of undo.undoes) records.setUndone(other, path, true);
      if (undo.kind === "redo")
        for (const other of undo.undoes)
          for (const source of records.step(other)?.undoes ?? []) records.setUndone(source, path, false);
      if (kind === "same") continue;
      const stat = reader.look(path);
      const known = records.entry(path)?.blob;
      const blob = target?.blob ?? known;
      records.putEntry(
        path,
        stat === undefined
          ? undefined
          : { ...plainEntry(store, stat), ...(blob === undefined ? {} : { blob, why: undefined }), isRecent: true },
      );
    }
    const sources = undo.undoes.flatMap((n) => [n, ...(undo.kind === "redo" ? (records.step(n)?.undoes ?? []) : [])]);
    for (const n of sources) {
      const isUndone = records.changesOf(n).every(({ isUndone }) => isUndone);
      records.setState(n, isUndone ? "undone" : "done");
    }
    database.query("DELETE FROM plan WHERE step = ?").run(step);
    records.setState(step, "done");
  });
}

function rowsOf(store: UndoStore, step: number): Row[] {
  const rows = store.database.query("SELECT * FROM plan WHERE step = ? ORDER BY seq").all(step) as {
    seq: bigint;
    op: Operation["kind"];
    path: Uint8Array;
    expected: string;
    target: string;
    done: bigint;
  }[];
  return rows.map(({ seq, op, path, expected, target, done }) => ({
    seq: Number(seq),
    done: Number(done),
    operation: {
      kind: op,
      path: decodePath(path),
      expected: stateFrom(expected),
      target: stateFrom(target),
    },
  }));
}

function stateFrom(text: string): State | undefined {
  const value = JSON.parse(text) as (Omit<State, "blob" | "why"> & { blob?: string; why?: string }) | null;
  return value === null ? undefined : { ...value, blob: value.blob, why: value.why };
}
