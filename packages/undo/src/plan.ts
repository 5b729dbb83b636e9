// Chosen changes and what is there now → the operations that take them back, or what stands in the way.
import type { Directory } from "@bosun/engine";
import { codeOf } from "@bosun/platform/errors";
import { hashEntry } from "./entry-reader.ts";
import type { StepChange } from "./records.ts";
import { isKept, sameContent, sameMode, sameState } from "./states.ts";
import type { State } from "./states.ts";
import type { UndoStore } from "./store.ts";
import type { TreeReader } from "./tree-reader.ts";
import { parentOf } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";

export type Operation = {
  readonly kind: "remove" | "make" | "mode" | "same";
  readonly path: TreePath;
  /** What was there when it was planned: anything else is left alone. */
  readonly expected: State | undefined;
  readonly target: State | undefined;
};

export type Obstacle =
  | { readonly kind: "conflict"; readonly path: TreePath; readonly step: number | undefined; readonly timeMs: number }
  | { readonly kind: "lost"; readonly path: TreePath; readonly why: string }
  | { readonly kind: "link"; readonly path: TreePath; readonly link: TreePath };

export type PlannedPath = {
  readonly path: TreePath;
  readonly now: State | undefined;
  readonly target: State | undefined;
};

export type Plan = {
  readonly operations: readonly Operation[];
  /** Each path that gets another state. */
  readonly paths: readonly PlannedPath[];
  readonly same: readonly TreePath[];
  /** Folders that stay because something else is in them. */
  readonly left: readonly TreePath[];
  /** Folders whose content was never covered. */
  readonly skipped: readonly TreePath[];
  readonly obstacles: readonly Obstacle[];
};

export type PlanOptions = { readonly isForced: boolean };

export function makePlan(
  store: UndoStore,
  reader: TreeReader,
  chosen: readonly StepChange[],
  { isForced }: PlanOptions,
): Plan {
  const paths: PlannedPath[] = [];
  const same: TreePath[] = [];
  const skipped: TreePath[] = [];
  const obstacles: Obstacle[] = [];
  const byPath = Map.groupBy(chosen, ({ path }) => path);
  for (const path of [...byPath.keys()].sort()) {
    const changes = (byPath.get(path) ?? []).toSorted((one, other) => one.step - other.step);
    const before = changes[0]?.before;
    const after = changes.at(-1)?.after;
    if (before?.type === "uncovered") {
      skipped.push(path);
      continue;
    }
    // Another repository's history may refer to an object by now: one too many does no harm, one too few does.
    if (before === undefined && /(^|\/)\.git\/objects\//.test(path)) {
      same.push(path);
      continue;
    }
    const now = hashEntry(reader, path, store.settings.maxFileSize);
    const target = targetOf(before, after, now);
    if (target !== "conflict" && sameState(now, target)) {
      same.push(path);
      continue;
    }
    const later = laterChange(store, path, changes);
    const isOthers = target === "conflict" || isBroken(changes) || (later !== undefined && !isHashed(now));
    if (isOthers && !isForced) {
      obstacles.push({ kind: "conflict", path, ...conflictOf(store, later) });
      continue;
    }
    const wanted = target === "conflict" || isOthers ? before : target;
    if (wanted !== undefined && !sameContent(now, wanted) && !canRestore(store, wanted)) {
      obstacles.push({ kind: "lost", path, why: wanted.why ?? "it was evicted" });
    } else if (now !== undefined && !isHashed(now) && !isForced && !sameContent(now, wanted)) {
      obstacles.push({ kind: "lost", path, why: `redo could not bring it back: ${now.why ?? "not kept"}` });
    } else paths.push({ path, now, target: wanted });
  }
  const left = new Set<TreePath>();
  const kept = withoutFilledFolders(reader, paths, left);
  obstacles.push(...linksInTheWay(reader, kept));
  return {
    operations: operationsOf(reader, kept, same),
    paths: kept,
    same,
    left: [...left].sort(),
    skipped,
    obstacles,
  };
}

/** Content and mode count separately: what somebody else changed of one is no reason to keep the other. */
function targetOf(
  before: State | undefined,
  after: State | undefined,
  now: State | undefined,
): State | undefined | "conflict" {
  if (sameState(now, before)) return now;
  if (before === undefined) return sameContent(now, after) ? undefined : "conflict";
  if (after === undefined || now === undefined) return now === undefined && after === undefined ? before : "conflict";
  const mode = sameMode(now, after) && now.type === before.type ? before.mode : now.mode;
  if (sameContent(before, after)) return now.type === before.type ? { ...now, mode } : "conflict";
  if (sameContent(now, before)) return { ...now, mode };
  if (!sameContent(now, after)) return "conflict";
  return { ...before, mode: before.type === after.type && before.mode === after.mode ? now.mode : before.mode };
}

/** Something else changed it between two of the chosen changes. */
function isBroken(changes: readonly StepChange[]): boolean {
  return changes.some((change, at) => {
    const next = changes[at + 1];
    return next !== undefined && !sameState(change.after, next.before);
  });
}

function laterChange(store: UndoStore, path: TreePath, chosen: readonly StepChange[]): StepChange | undefined {
  const first = chosen[0]?.step ?? 0;
  const steps = new Set(chosen.map(({ step }) => step));
  return store.records
    .changesAt(path)
    .findLast(
      ({ step, isUndone }) =>
        step > first && !steps.has(step) && !isUndone && store.records.step(step)?.kind === "call",
    );
}

function conflictOf(store: UndoStore, later: StepChange | undefined): { step: number | undefined; timeMs: number } {
  const step = later === undefined ? undefined : store.records.step(later.step);
  return { step: step?.certainty === "outside" ? undefined : step?.n, timeMs: step?.timeMs ?? Date.now() };
}

function isHashed(state: State | undefined): boolean {
  return state === undefined || (state.type !== "file" && state.type !== "link") || state.blob !== undefined;
}

function canRestore(store: UndoStore, state: State): boolean {
  return isKept(state) && (state.blob === undefined || store.contents.has(state.blob));
}

/** A folder goes only when all that is in it goes; what is above one that stays, stays. */
function withoutFilledFolders(reader: TreeReader, paths: readonly PlannedPath[], left: Set<TreePath>): PlannedPath[] {
  const going = new Set(paths.filter(({ target }) => target?.type !== "folder").map(({ path }) => path));
  const folders = paths
    .filter(({ now, target }) => now?.type === "folder" && target?.type !== "folder")
    .toSorted((one, other) => depth(other.path) - depth(one.path));
  for (const { path } of folders) {
    const names = reader.names(path);
    if (names.every((name) => going.has(`${path}/${name}`))) continue;
    going.delete(path);
    left.add(path);
  }
  return paths.filter(({ path }) => !left.has(path));
}

function linksInTheWay(reader: TreeReader, paths: readonly PlannedPath[]): Obstacle[] {
  const planned = new Map(paths.map(({ path, target }) => [path, target]));
  const found: Obstacle[] = [];
  for (const { path } of paths) {
    for (let above = parentOf(path); above !== ""; above = parentOf(above)) {
      // It becomes a folder, or goes, by this very plan.
      if (planned.has(above)) continue;
      const stat = reader.look(above);
      if (stat !== undefined && !stat.isDirectory()) found.push({ kind: "link", path, link: above });
    }
  }
  return found;
}

function operationsOf(reader: TreeReader, paths: readonly PlannedPath[], same: readonly TreePath[]): Operation[] {
  const removed: Operation[] = [];
  const folders: Operation[] = [];
  const made: Operation[] = [];
  const modes: Operation[] = [];
  const planned = new Set(paths.map(({ path }) => path));
  for (const { path, now, target } of paths) {
    const isReplaced = now !== undefined && target !== undefined && now.type !== target.type;
    if (now !== undefined && (target === undefined || isReplaced))
      removed.push({ kind: "remove", path, expected: now, target: undefined });
    if (target === undefined) continue;
    const expected = isReplaced ? undefined : now;
    if (target.type === "folder") {
      if (expected === undefined) folders.push({ kind: "make", path, expected, target });
      modes.push({ kind: "mode", path, expected, target });
    } else if (sameContent(expected, target)) modes.push({ kind: "mode", path, expected, target });
    else made.push({ kind: "make", path, expected, target });
    // Somebody removed the folder that it stood in.
    for (let above = parentOf(path); above !== "" && !planned.has(above); above = parentOf(above)) {
      planned.add(above);
      if (!isThere(reader, above))
        folders.push({ kind: "make", path: above, expected: undefined, target: { ...FOLDER } });
    }
  }
  return [
    ...removed.sort((one, other) => depth(other.path) - depth(one.path)),
    ...folders.sort((one, other) => depth(one.path) - depth(other.path)),
    ...made,
    // A folder that may not be written in is made so last of all.
    ...modes.sort((one, other) => depth(other.path) - depth(one.path)),
    ...same.map((path): Operation => ({ kind: "same", path, expected: undefined, target: undefined })),
  ];
}

const FOLDER: State = { type: "folder", mode: 0o755, size: 0, blob: undefined, why: undefined };

function isThere(reader: TreeReader, folder: TreePath): boolean {
  try {
    using _opened: Directory = reader.openFolder(folder);
    return true;
  } catch (error) {
    if (/^(ENOENT|ENOTDIR|ELOOP)$/.test(codeOf(error))) return false;
    throw error;
  }
}

function depth(path: TreePath): number {
  return path.split("/").length;
}
