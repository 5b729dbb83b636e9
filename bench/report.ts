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
  const head = ["", "unit", "bosun", ...names, "goal", "reached"];
  const lines = rows.map((row) => [
    row.what,
    row.unit,
    shown(row.ours),
    ...names.map((name) => {
      const value = row.theirs[name];
      return value === undefined ? "" : `${shown(value)} (${shown(value / row.ours)}×)`;
    }),
    row.target?.text ?? "",
    row.target ? yesNo(row.target.reached) : "",
  ]);
  return [`### ${title}`, "", ...table(head, lines), ""].join("\n");
}

/** Every number to reach, beside what was measured. */
export function goals(rows: readonly Row[]): string {
  const lines = rows.flatMap((row) =>
    row.target ? [[row.what, row.target.text, measured(row), yesNo(row.target.reached)]] : [],
  );
  const reached = rows.filter(({ target }) => target?.reached).length;
  return [
    `### ${reached} of ${lines.length} goals reached`,
    "",
    ...table(["", "goal", "measured", "reached"], lines),
    "",
  ].join("\n");
}

/** Our value, and the first peer's with how they compare. */
export function measured({ ours, unit, theirs }: Row): string {
  const own = `${shown(ours)} ${unit}`;
  const [peer] = Object.entries(theirs);
  if (peer === undefined) return own;
  const [name, value] = peer;
  const ratio = ours <= value ? `1/${shown(value / ours)}` : `${shown(ours / value)}×`;
  return `${own}; ${name} ${shown(value)} (${ratio})`;
}

/** As the formatter writes Markdown tables, so that a generated one stays as it is. */
export function table(head: readonly string[], lines: readonly (readonly string[])[]): string[] {
  const widths = head.map((_, at) => Math.max(3, ...[head, ...lines].map((cells) => Bun.stringWidth(cells[at] ?? ""))));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, at) => cell + " ".repeat((widths[at] ?? 0) - Bun.stringWidth(cell))).join(" | ")} |`;
  return [line(head), line(widths.map((width) => "-".repeat(width))), ...lines.map(line)];
}

export function shown(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en-US");
  return String(Number(value.toPrecision(3)));
}

function yesNo(reached: boolean): string {
  return reached ? "yes" : "NO";
}
