// What a soak found → its verdict and the text a person reads.
import type { Ship } from "./fleet.ts";
import { judge } from "./judge.ts";
import type { Finding } from "./judge.ts";
import type { Tally } from "./ledger.ts";

/** Whatever is thrown at them, none needs more at any moment. */
const PEAK_MB = 700;

export type Found = {
  readonly seconds: number;
  readonly interrupted: boolean;
  readonly tally: Tally;
  readonly done: ReadonlyMap<string, number>;
  readonly orphans: readonly string[];
  readonly leftFiles: readonly string[];
  readonly stopped: ReadonlyMap<string, boolean>;
  readonly ships: readonly Pick<Ship, "name" | "looks" | "keeps" | "peakMb">[];
};

/** Everything that must not be. Empty: it held. */
export function failuresOf(found: Found): string[] {
  const { tally, orphans, leftFiles, stopped, ships } = found;
  return [
    ...tally.lost.map((what) => `lost answer: ${what}`),
    ...tally.doubled.map((what) => `doubled answer: ${what}`),
    ...tally.unasked.map((what) => `answer nobody asked for: ${what}`),
    ...tally.wrong.map((what) => `wrong: ${what}`),
    ...orphans.map((what) => `process left: ${what}`),
    ...leftFiles.map((what) => `file left: ${what}`),
    ...[...stopped].filter(([, inTime]) => !inTime).map(([name]) => `${name} did not end when asked`),
    ...ships.flatMap(({ name, looks, keeps, peakMb }) => [
      ...judge(looks, keeps)
        .filter(({ leaks }) => leaks)
        .map((finding) => `leak in ${name}: ${grown(finding)}`),
      ...(peakMb > PEAK_MB ? [`${name} needed ${peakMb.toFixed(0)} MB at once, more than ${PEAK_MB}`] : []),
    ]),
  ];
}

export function summaryText(found: Found): string {
  const { tally, done, ships, seconds } = found;
  const failures = failuresOf(found);
  const deeds = [...done].sort(([, a], [, b]) => b - a).map(([name, times]) => `${name} ${times}`);
  return [
    `Soak of ${(seconds / 60).toFixed(1)} minutes${found.interrupted ? ", interrupted" : ""}`,
    "",
    ...table([
      ["", "looks", "memory MB", "peak MB", "descriptors", "processes below"],
      ...ships.map(({ name, looks, keeps, peakMb }) => {
        const findings = judge(looks, keeps);
        const trend = (measure: Finding["measure"]): string => {
          const found = findings.find((each) => each.measure === measure);
          return found === undefined ? "too short" : `${found.early.toFixed(0)} → ${found.late.toFixed(0)}`;
        };
        return [name, String(looks.length), trend("rssMb"), peakMb.toFixed(0), trend("descriptors"), trend("children")];
      }),
    ]),
    "",
    ...table([
      ["requests", "answered", "cancelled unanswered", "cut off by us", "lost", "doubled", "unasked", "wrong"],
      [
        tally.requests,
        tally.answers,
        tally.cancelledUnanswered,
        tally.cutOff,
        tally.lost.length,
        tally.doubled.length,
        tally.unasked.length,
        tally.wrong.length,
      ].map((value) => value.toLocaleString("en-US")),
    ]),
    "",
    `bad input: ${tally.nonsense} sent, ${tally.nonsenseAnswered} answered with an error`,
    `done: ${deeds.join(", ")}`,
    `processes left: ${found.orphans.length}, files left: ${found.leftFiles.length}`,
    "",
    ...failures.map((failure) => `FAILED  ${failure}`),
    failures.length === 0 ? "held: no leak, no answer lost or doubled, no process left" : `${failures.length} failures`,
  ].join("\n");
}

function grown({ measure, early, late, allowed }: Finding): string {
  return `${measure} ${early.toFixed(0)} → ${late.toFixed(0)}, allowed +${allowed.toFixed(0)}`;
}

function table(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}
