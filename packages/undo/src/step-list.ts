// Steps as a table for a person, newest first.
import { shownPath } from "./label.ts";
import type { NotCovered, Records, Step, StepChange } from "./records.ts";
import { isKept } from "./states.ts";

const BY_WIDTH = 44;
const NAMED = 6;

export function stepList(records: Records): string {
  const rows = records
    .steps()
    .toReversed()
    .map((step) => rowOf(step, records.changesOf(step.n)));
  const widths = [4, 8, 8, Math.min(BY_WIDTH, Math.max(2, ...rows.map((row) => row[3]?.length ?? 0))), 11];
  const lines = [["STEP", "WHEN", "SESSION", "BY", "FILES", "MARK"], ...rows].map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padStart(4) : at === 5 ? cell : cell.padEnd(widths[at] ?? 0)))
      .join("  ")
      .trimEnd(),
  );
  return [...lines, ...coverageLines(records)].join("\n");
}

/** What is not covered, as the last scan saw it, in one line each; none when everything is. */
export function coverageLines(records: Records): string[] {
  const coverage = records.meta("coverage") ?? "";
  const all = JSON.parse(records.meta("not-covered") ?? "[]") as NotCovered[];
  const byReason = Map.groupBy(all, ({ why }) => why);
  const parts = [...byReason].map(([why, places]) => {
    const names = places.slice(0, NAMED).map(({ path }) => shownPath(path));
    const more = places.length > NAMED ? ` and ${places.length - NAMED} more` : "";
    return `${names.join(", ")}${more} (${why})`;
  });
  const evicted = records.meta("evicted");
  return [
    ...(coverage === "" ? [] : [`Coverage: ${coverage}`]),
    ...(parts.length === 0 ? [] : [`Not covered: ${parts.join(" · ")}`]),
    ...(evicted === undefined ? [] : [`Steps up to ${evicted} went to make room.`]),
    ...(records.meta("index-evicted") === undefined ? [] : ["Large files are not kept: the store is full."]),
  ];
}

/** `bash: sed -i s/a/b/ *`, `str_replace src/main.ts`, `undo of step 12`. */
export function byOf({ tool, label, kind, certainty, undoes }: Step): string {
  if (kind !== "call") return `${kind} of step${undoes.length > 1 ? "s" : ""} ${undoes.join(", ")}`;
  if (certainty === "outside") return label;
  const name = tool.split(".").at(-1) ?? tool;
  return `${name}${certainty === "exact" || label.startsWith("×") ? " " : ": "}${label}`;
}

function rowOf(step: Step, changes: readonly StepChange[]): string[] {
  const when = new Date(step.timeMs);
  const by = byOf(step);
  const shortBy = by.length > BY_WIDTH ? `${by.slice(0, BY_WIDTH - 1)}…` : by;
  return [
    String(step.n),
    when.toTimeString().slice(0, 8),
    step.session.slice(0, 8),
    shortBy,
    filesOf(changes),
    markOf(step, changes),
  ];
}

function filesOf(changes: readonly StepChange[]): string {
  const count = (test: (change: StepChange) => boolean, sign: string): string[] => {
    const found = changes.filter(test).length;
    return found === 0 ? [] : [`${sign}${found}`];
  };
  return [
    ...count(({ what }) => what === "make", "+"),
    ...count(({ what }) => what === "modify" || what === "mode" || what === "type", "~"),
    ...count(({ what }) => what === "remove", "-"),
  ].join(" ");
}

function markOf({ state, partial, certainty }: Step, changes: readonly StepChange[]): string {
  const lost = changes.some(({ before }) => before?.type === "file" && !isKept(before));
  const marks = [
    ...(state === "done" ? [] : [state]),
    ...(lost ? ["not kept"] : []),
    ...(partial !== undefined && !lost ? ["partial"] : []),
    ...(certainty === "shared" ? ["shared"] : []),
  ];
  return marks.join(", ");
}
