// What a person named (a step, a call, a session, a time, paths) → the changes to take back.
import { isChosen } from "./net-changes.ts";
import type { Records, Step, StepChange } from "./records.ts";
import type { TreePath } from "./tree-path.ts";
import { UndoError } from "./undo-error.ts";

export type Selection = {
  readonly to?: number | undefined;
  readonly sinceMs?: number | undefined;
  readonly call?: string | undefined;
  readonly session?: string | undefined;
  readonly paths?: readonly TreePath[] | undefined;
  readonly isShared?: boolean | undefined;
};

export type ChosenChanges = {
  readonly steps: readonly Step[];
  readonly changes: readonly StepChange[];
  /** Changes that may be somebody else's, left out. */
  readonly shared: number;
};

export function chooseChanges(records: Records, tree: string, selection: Selection): ChosenChanges {
  const { to, sinceMs, call, session, paths } = selection;
  const all = records.steps();
  if (to !== undefined && !all.some(({ n }) => n === to))
    throw new UndoError(`no step ${to} in ${tree}; the newest is ${all.at(-1)?.n ?? 0}`);
  if (call !== undefined && !all.some(({ calls }) => calls.includes(call)))
    throw new UndoError(`no call ${JSON.stringify(call)} on record in ${tree}`);
  const open = all.filter(
    (step) =>
      step.kind === "call" &&
      step.state === "done" &&
      step.certainty !== "outside" &&
      step.n >= (to ?? 0) &&
      step.timeMs >= (sinceMs ?? 0) &&
      (call === undefined || step.calls.includes(call)) &&
      (session === undefined || step.session === session),
  );
  const isNewest = to === undefined && sinceMs === undefined && call === undefined && session === undefined;
  const steps: Step[] = [];
  const changes: StepChange[] = [];
  let shared = 0;
  for (const step of open.toReversed()) {
    const mine = records.changesOf(step.n).filter(({ path, isUndone }) => !isUndone && isChosen(path, paths));
    if (mine.length === 0) continue;
    const isTaken = step.certainty !== "shared" || selection.isShared === true || (paths?.length ?? 0) > 0;
    if (isTaken) {
      steps.push(step);
      changes.push(...mine);
    } else shared += mine.length;
    if (isNewest) break;
  }
  return { steps, changes, shared };
}

/** The newest undo that is not taken back itself. */
export function chooseRedo(records: Records): ChosenChanges {
  const undo = records.steps().findLast(({ kind, state }) => kind === "undo" && state === "done");
  if (undo === undefined) return { steps: [], changes: [], shared: 0 };
  return { steps: [undo], changes: records.changesOf(undo.n).filter(({ isUndone }) => !isUndone), shared: 0 };
}
