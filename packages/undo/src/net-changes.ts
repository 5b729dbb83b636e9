// Many steps as one change for each path: the state before the first of them and after the last.
import type { Records, Step, StepChange } from "./records.ts";
import { sameState } from "./states.ts";
import type { Change } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { isBelow } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import type { Side } from "./unified-diff.ts";

export type Chosen = {
  /** Not before this step, or this time. */
  readonly since?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly session?: string | undefined;
  readonly paths?: readonly TreePath[];
  /** What nobody's call explains as well. */
  readonly withOutside?: boolean;
};

export function chosenSteps(records: Records, { since, sinceMs, session, withOutside }: Chosen): Step[] {
  return records
    .steps()
    .filter(
      (step) =>
        step.n >= (since ?? 0) &&
        step.timeMs >= (sinceMs ?? 0) &&
        (session === undefined || step.session === session) &&
        (withOutside === true || step.certainty !== "outside"),
    );
}

/** Sorted by path; what came back to where it was is left out. */
export function netChanges(records: Records, chosen: Chosen): Change[] {
  const found = new Map<TreePath, Change>();
  for (const { n, kind } of chosenSteps(records, chosen)) {
    for (const change of records.changesOf(n)) {
      // One session's own diff does not show what a person took back.
      if (chosen.session !== undefined && kind === "call" && change.isUndone) continue;
      if (!isChosen(change.path, chosen.paths)) continue;
      found.set(change.path, {
        ...change,
        before: found.has(change.path) ? found.get(change.path)?.before : change.before,
      });
    }
  }
  return [...found.values()]
    .filter(({ before, after }) => !sameState(before, after))
    .sort((one, other) => (one.path < other.path ? -1 : 1));
}

export function isChosen(path: TreePath, paths: readonly TreePath[] | undefined): boolean {
  return paths === undefined || paths.length === 0 || paths.some((chosen) => isBelow(chosen, path));
}

export function sidesOf(store: UndoStore, { before, after }: Change): [Side | undefined, Side | undefined] {
  const side = (state: StepChange["before"]): Side | undefined =>
    state === undefined
      ? undefined
      : { state, bytes: state.blob === undefined ? undefined : store.contents.get(state.blob) };
  return [side(before), side(after)];
}
