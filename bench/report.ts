// What a benchmark says: rows of one contender against others, ratios first, because the machine is noisy.

export type Row = {
  what: string;
  unit: string;
  ours: number;
  theirs: { [name: string]: number };
  /** The number to reach, as a bound on a ratio or on our own value. */
  target?: { text: string; reached: boolean };
};

export type Section = { name: string; about: string; run(progress: (text: string) => void): Promise<Row[]> };

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function markdown(title: string, rows: readonly Row[]): string {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row.theirs)))];
  const head = ["", "unit", "bosun", ...names, "target", "reached"];
  const lines = rows.map((row) => [
    row.what,
    row.unit,
    shown(row.ours),
    ...names.map((name) => {
      const value = row.theirs[name];
      return value === undefined ? "" : `${shown(value)} (${shown(value / row.ours)}×)`;
    }),
    row.target?.text ?? "",
    row.target ? (row.target.reached ? "yes" : "NO") : "",
  ]);
  return [`### ${title}`, "", line(head), line(head.map(() => "---")), ...lines.map(line), ""].join("\n");
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function shown(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return value.toPrecision(3);
}
