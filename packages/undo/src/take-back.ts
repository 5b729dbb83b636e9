// Undo and redo as a person runs them: look, show, ask, write the plan down, carry it out.
import { finishPlan, writePlan } from "./apply.ts";
import type { ApplyHooks } from "./apply.ts";
import { chooseChanges, chooseRedo } from "./choose-steps.ts";
import type { ChosenChanges, Selection } from "./choose-steps.ts";
import { shownPath } from "./label.ts";
import { Lock } from "./lock.ts";
import { isAlive } from "./owner.ts";
import { makePlan } from "./plan.ts";
import type { Plan } from "./plan.ts";
import { countLine, countsOf, previewLines, refusalOf } from "./preview.ts";
import { recover } from "./recover.ts";
import { pathJson } from "./step-json.ts";
import type { UndoStore } from "./store.ts";
import { TreeReader } from "./tree-reader.ts";
import { StoreFull, UndoError } from "./undo-error.ts";
import { codeOf } from "@bosun/platform/errors";

export type TakeBackRequest = Selection & {
  readonly kind: "undo" | "redo";
  readonly isDryRun?: boolean;
  readonly isAgreed?: boolean;
  readonly isForced?: boolean;
  readonly isJson?: boolean;
};

export type TakeBackConsole = {
  out(line: string): void;
  error(line: string): void;
  /** Undefined without a terminal: then nobody can be asked. */
  readonly ask: ((question: string) => Promise<boolean>) | undefined;
};

export type TakeBackMeans = {
  readonly store: UndoStore;
  readonly console: TakeBackConsole;
  /** Brings the record up to date with the tree. */
  freshen(): Promise<void>;
  readonly hooks?: ApplyHooks;
};

const REFUSED = 3;

/** The exit code: 0 done or shown, 1 the machine failed, 3 refused and nothing changed. */
export async function takeBack(means: TakeBackMeans, request: TakeBackRequest): Promise<number> {
  const { store, console } = means;
  const say = (text: string): void => console.error(`bosun ${request.kind}: ${text}`);
  try {
    using lock = Lock.take(store.folder, "undo.lock");
    if (lock === undefined)
      throw new UndoError(`another undo is running (pid ${store.records.meta("undo-pid") ?? "?"})`);
    if (request.isDryRun !== true) store.records.setMeta("undo-pid", String(process.pid));
    const recovered = recover(store, lock);
    if (recovered !== "busy")
      for (const { done, total } of recovered)
        say(`an undo was interrupted (${done} of ${total} done); it has been finished`);
    return await run(means, request, say);
  } catch (error) {
    if (error instanceof UndoError) {
      say(error.message);
      return error.exitCode;
    }
    if (error instanceof StoreFull) {
      say("what would be overwritten cannot be kept for redo, the store is full; nothing was changed");
      return 1;
    }
    if (codeOf(error) === "UNKNOWN") throw error;
    const why = error instanceof Error ? error.message : String(error);
    say(`${why}; what was begun is finished by the next bosun undo, or when a server starts here`);
    return 1;
  }
}

async function run(means: TakeBackMeans, request: TakeBackRequest, say: (text: string) => void): Promise<number> {
  const { store, console } = means;
  await means.freshen();
  const chosen = choose(store, request);
  if (chosen.changes.length === 0) {
    if (chosen.shared > 0)
      throw new UndoError(
        `${chosen.shared} change${chosen.shared === 1 ? "" : "s"} may be somebody else's; --shared or --path takes them back`,
      );
    say(`nothing to ${request.kind} in ${store.root}`);
    return 0;
  }
  if (!store.isSameRoot() && request.isForced !== true)
    throw new UndoError(
      `${store.root} is another folder than the one that was recorded; --force takes back all the same`,
    );
  refuseWhileRunning(store, request);
  const plan = planOf(store, chosen, request);
  const lines = previewLines(store, plan, chosen.steps.length);
  const refusal = refusalOf(plan, Math.min(...chosen.steps.map(({ n }) => n)));
  const counts = countsOf(plan);
  const isOnlyShown =
    request.isDryRun === true || refusal !== undefined || (request.isAgreed !== true && console.ask === undefined);
  const show = (isChanged: boolean): void => {
    if (request.isJson === true) console.out(JSON.stringify(planJson(store, plan, chosen, isChanged)));
    else for (const line of lines) console.out(line);
  };
  if (isOnlyShown || request.isAgreed !== true) {
    show(false);
    if (request.isJson !== true) console.out(`${countLine(counts)}${isOnlyShown ? " Nothing was changed." : ""}`);
  }
  if (refusal !== undefined) throw new UndoError(refusal);
  if (request.isDryRun === true) return 0;
  if (request.isAgreed !== true) {
    if (console.ask === undefined) {
      say("needs --yes where nobody can be asked");
      return REFUSED;
    }
    if (!(await console.ask("Take this back? [y/N] "))) return REFUSED;
    // Much may have happened while the person read.
    await means.freshen();
    if (previewLines(store, planOf(store, chosen, request), chosen.steps.length).join("\n") !== lines.join("\n"))
      throw new UndoError("something changed meanwhile; nothing was taken back. Look again");
  }
  const step = writePlan(store, plan, {
    kind: request.kind,
    label: request.kind,
    undoes: chosen.steps.map(({ n }) => n).toSorted((one, other) => one - other),
  });
  const { left } = finishPlan(store, step, means.hooks);
  if (request.isAgreed === true) show(true);
  for (const path of left) say(`${shownPath(path)} was changed while this ran; it was left as it is`);
  if (request.isJson !== true) console.out(`${counts.restored} restored, ${counts.removed} removed.`);
  return 0;
}

function choose(store: UndoStore, request: TakeBackRequest): ChosenChanges {
  if (request.kind === "redo") return chooseRedo(store.records);
  return chooseChanges(store.records, store.root, request);
}

function planOf(store: UndoStore, { changes }: ChosenChanges, { isForced }: TakeBackRequest): Plan {
  using reader = new TreeReader(store.root);
  return makePlan(store, reader, changes, { isForced: isForced === true });
}

function refuseWhileRunning(store: UndoStore, { isForced }: TakeBackRequest): void {
  if (isForced === true) return;
  const running = store.records.windows().find(({ toNs, owner }) => toNs === undefined && isAlive(owner));
  if (running === undefined) return;
  const what = running.kind === "command" ? "" : ` (${running.kind} ${running.call})`;
  throw new UndoError(
    `session ${running.session.slice(0, 8)} still runs a command here${what}; stop it, or use --force`,
  );
}

function planJson(store: UndoStore, plan: Plan, { steps }: ChosenChanges, isChanged: boolean): object {
  const counts = countsOf(plan);
  return {
    v: 1,
    tree: store.root,
    steps: steps.map(({ n }) => n),
    changed: isChanged,
    ...counts,
    paths: plan.paths.map(({ path, target }) => ({
      ...pathJson(path),
      what: target === undefined ? "remove" : "restore",
    })),
    obstacles: plan.obstacles.map((obstacle) => ({ ...obstacle, ...pathJson(obstacle.path) })),
  };
}
