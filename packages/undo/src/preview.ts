// What an undo would do, one line a path, and why it is refused.
import { shownPath } from "./label.ts";
import type { Obstacle, Plan, PlannedPath } from "./plan.ts";
import { sameContent } from "./states.ts";
import { sidesOf } from "./net-changes.ts";
import type { UndoStore } from "./store.ts";
import type { TreePath } from "./tree-path.ts";
import { countLines } from "./unified-diff.ts";

export type Counts = {
  readonly restored: number;
  readonly removed: number;
  readonly conflicts: number;
  readonly lost: number;
};

export function previewLines(store: UndoStore, plan: Plan, steps: number): string[] {
  const lines: [TreePath, string][] = [];
  const renamed = renamesOf(plan.paths);
  const sources = new Set(renamed.values());
  for (const planned of plan.paths) {
    if (sources.has(planned)) continue;
    const source = renamed.get(planned);
    lines.push([
      planned.path,
      source === undefined
        ? lineOf(store, planned, steps)
        : `rename ${shownPath(source.path)} → ${shownPath(planned.path)}`,
    ]);
  }
  for (const path of plan.same) lines.push([path, `same ${shownPath(path)} (already so)`]);
  for (const path of plan.left) lines.push([path, `keep ${shownPath(path)}/ (something else is in it)`]);
  for (const path of plan.skipped) lines.push([path, `skip ${shownPath(path)}/ (not covered)`]);
  for (const obstacle of plan.obstacles) lines.push([obstacle.path, obstacleLine(obstacle)]);
  return lines.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, text]) => text);
}

export function countsOf({ paths, obstacles }: Plan): Counts {
  const removed = paths.filter(({ target }) => target === undefined).length;
  return {
    restored: paths.length - removed,
    removed,
    conflicts: obstacles.filter(({ kind }) => kind !== "lost").length,
    lost: obstacles.filter(({ kind }) => kind === "lost").length,
  };
}

/** `9 to restore, 2 to remove, 1 conflict.` */
export function countLine({ restored, removed, conflicts, lost }: Counts): string {
  const parts = [
    `${restored} to restore`,
    `${removed} to remove`,
    ...(conflicts === 0 ? [] : [`${conflicts} conflict${conflicts === 1 ? "" : "s"}`]),
    ...(lost === 0 ? [] : [`${lost} not kept`]),
  ];
  return `${parts.join(", ")}.`;
}

/** Why it is refused, in one sentence; undefined when it is not. */
export function refusalOf({ obstacles, paths, same }: Plan, chosenTo: number): string | undefined {
  const link = obstacles.find(({ kind }) => kind === "link");
  if (link?.kind === "link") return `${shownPath(link.link)} is now a link; refused to write through it`;
  const lost = obstacles.filter(({ kind }) => kind === "lost").length;
  if (lost > 0) {
    const files = lost === 1 ? "1 file cannot be restored, its" : `${lost} files cannot be restored, their`;
    return `${files} content was not kept; nothing was changed. --path takes back the others`;
  }
  const conflicts = obstacles.filter((obstacle) => obstacle.kind === "conflict");
  const later = conflicts.find(({ step }) => step !== undefined);
  if (later?.step !== undefined)
    return `${shownPath(later.path)} was changed again by step ${later.step}; undo that first, or use --to ${chosenTo}`;
  if (conflicts.length === 0) return undefined;
  const all = conflicts.length + paths.length + same.length;
  return (
    `${conflicts.length} of ${all} file${all === 1 ? "" : "s"} ${conflicts.length === 1 ? "was" : "were"} changed since; ` +
    "nothing was changed. --path takes back the others, --force all (redo brings this state back)"
  );
}

function lineOf(store: UndoStore, { path, now, target }: PlannedPath, steps: number): string {
  const shown = shownPath(path);
  if (target === undefined)
    return `remove ${shown}${now?.type === "folder" ? "/" : ""} (made by ${steps === 1 ? "this step" : "these steps"})`;
  if (target.type === "folder" && now?.type !== "folder") return `make ${shown}/ (folder)`;
  if (now !== undefined && sameContent(now, target))
    return `mode ${shown} ${now.mode.toString(8)} → ${target.mode.toString(8)}`;
  if (target.type === "link") return `link ${shown} → ${shownPath(linkTarget(store, target.blob))}`;
  const { added, removed, isBinary } = countLines(
    ...sidesOf(store, { path, before: now?.type === "file" ? now : undefined, after: target }),
  );
  return `restore ${shown} (${isBinary ? "binary" : `+${added} -${removed}`})`;
}

function linkTarget(store: UndoStore, blob: string | undefined): string {
  return (blob === undefined ? undefined : store.contents.get(blob)?.toString("utf8")) ?? "?";
}

function obstacleLine(obstacle: Obstacle): string {
  const shown = shownPath(obstacle.path);
  if (obstacle.kind === "link") return `CONFLICT ${shown} (${shownPath(obstacle.link)} is now a link)`;
  if (obstacle.kind === "lost") return `LOST ${shown} (content not kept: ${obstacle.why})`;
  const by = obstacle.step === undefined ? "nobody's call" : `step ${obstacle.step}`;
  return `CONFLICT ${shown} (changed since by ${by}, ${new Date(obstacle.timeMs).toTimeString().slice(0, 8)})`;
}

/** What comes back at one path and goes at another, with the same content: wanted → where it is now. */
function renamesOf(paths: readonly PlannedPath[]): Map<PlannedPath, PlannedPath> {
  const going = new Map<string, PlannedPath[]>();
  for (const planned of paths) {
    const { now, target } = planned;
    if (target === undefined && now?.blob !== undefined && now.size > 0)
      going.set(now.blob, [...(going.get(now.blob) ?? []), planned]);
  }
  const found = new Map<PlannedPath, PlannedPath>();
  for (const planned of paths) {
    const source = planned.now === undefined ? going.get(planned.target?.blob ?? "")?.shift() : undefined;
    if (source !== undefined) found.set(planned, source);
  }
  return found;
}
