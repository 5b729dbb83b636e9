// A step for other programs: fields may be added, never changed.
import type { NotCovered, Step, StepChange } from "./records.ts";
import { isKept } from "./states.ts";
import type { State } from "./states.ts";
import type { UndoStore } from "./store.ts";
import { encodePath } from "./tree-path.ts";
import type { TreePath } from "./tree-path.ts";
import { sidesOf } from "./net-changes.ts";
import { countLines } from "./unified-diff.ts";

const MOST_CHANGES = 1000;

export function stepJson(store: UndoStore, step: Step, isWhole: boolean): object {
  const all = withRenames(store.records.changesOf(step.n));
  const shown = isWhole ? all : all.slice(0, MOST_CHANGES);
  return {
    v: 1,
    tree: store.root,
    step: step.n,
    t: new Date(step.timeMs).toISOString(),
    session: step.session,
    calls: step.calls,
    tool: step.tool,
    label: step.label,
    kind: step.kind,
    certainty: step.certainty,
    state: step.state,
    partial: step.partial !== undefined,
    ...(step.partial === undefined ? {} : { partialWhy: step.partial }),
    undoes: step.undoes.length === 0 ? null : step.undoes,
    changes: shown.map((change) => changeJson(store, change)),
    ...(shown.length < all.length ? { more: all.length - shown.length } : {}),
    notCovered: step.notCovered.map(({ path, why }: NotCovered) => ({ ...pathJson(path), why })),
  };
}

type Shown = Omit<StepChange, "what"> & {
  readonly what: StepChange["what"] | "rename";
  readonly from: TreePath | undefined;
};

/** What went at one path and came at another, with the same content, was renamed. */
export function withRenames(changes: readonly StepChange[]): Shown[] {
  const removed = new Map<string, StepChange[]>();
  for (const change of changes) {
    const { what, before } = change;
    if (what === "remove" && before?.blob !== undefined && before.size > 0)
      removed.set(before.blob, [...(removed.get(before.blob) ?? []), change]);
  }
  const paired = new Set<StepChange>();
  const shown = changes.map((change): Shown => {
    const source = change.what === "make" ? removed.get(change.after?.blob ?? "")?.shift() : undefined;
    if (source === undefined) return { ...change, from: undefined };
    paired.add(source);
    return { ...change, what: "rename", from: source.path, before: source.before };
  });
  return shown.filter((_, at) => !paired.has(changes[at] as StepChange));
}

export function changeJson(store: UndoStore, change: Shown): object {
  const isText = change.before?.type !== "folder" && change.after?.type !== "folder";
  const counts = isText ? countLines(...sidesOf(store, change)) : { added: 0, removed: 0, isBinary: false };
  return {
    ...pathJson(change.path),
    what: change.what,
    from: change.from ?? null,
    before: stateJson(change.before),
    after: stateJson(change.after),
    added: counts.added,
    removed: counts.removed,
    binary: counts.isBinary,
  };
}

/** Bytes that are no text beside the text that stands for them. */
export function pathJson(path: TreePath): object {
  if (path.isWellFormed()) return { path };
  return { path: path.toWellFormed(), path64: encodePath(path).toString("base64") };
}

function stateJson(state: State | undefined): object | null {
  if (state === undefined) return null;
  const { type, mode, size, blob, why } = state;
  return {
    type,
    mode,
    size,
    ...(blob === undefined ? {} : { id: `sha256:${blob}` }),
    kept: isKept(state),
    ...(why === undefined ? {} : { why }),
  };
}
