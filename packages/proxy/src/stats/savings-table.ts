// Savings as a person reads them: a table per server, and what is left when everything against us is taken off.
import type { SavingsLedger, TokenPair, Sum } from "./savings-ledger.ts";

export function savingsTable(ledger: SavingsLedger): string {
  const hasSecond = Object.values(ledger.servers).some(({ tools }) =>
    Object.values(tools).some((sum) => sum.before[1] > 0),
  );
  const lines = Object.entries(ledger.servers).flatMap(([name, { results, tools, classes }]) => [
    `${name}: ${results} ${results === 1 ? "result" : "results"}`,
    ...rows("tool", tools, hasSecond),
    ...rows("class", classes, hasSecond),
    "",
  ]);
  return [...lines, ...totals(ledger, hasSecond)].join("\n");
}

function rows(what: string, sums: Readonly<Record<string, Sum>>, hasSecond: boolean): string[] {
  const sorted = Object.entries(sums).toSorted(([, a], [, b]) => b.before[0] - a.before[0]);
  if (sorted.length === 0) return [];
  const head = [what, "results", "smaller", "before", "after", "saved", ...(hasSecond ? ["saved (claude)"] : [])];
  const body = sorted.map(([name, { results, smaller, before, after }]) => [
    shown(name),
    String(results),
    String(smaller),
    String(before[0]),
    String(after[0]),
    share(before[0], after[0]),
    ...(hasSecond ? [share(before[1], after[1])] : []),
  ]);
  return table([head, ...body]);
}

function totals(
  { servers, sessions, retrievals, ownTools, lists, since }: SavingsLedger,
  hasSecond: boolean,
): string[] {
  const sums = Object.values(servers).flatMap(({ tools }) => Object.values(tools));
  const total = (side: "before" | "after", at: 0 | 1): number => sums.reduce((sum, one) => sum + one[side][at], 0);
  const [before, after]: TokenPair = [total("before", 0), total("after", 0)];
  const net = before - after + (lists.before - lists.after) - retrievals.tokens - ownTools;
  const second = hasSecond ? `; ${share(total("before", 1), total("after", 1))} in Claude's older vocabulary` : "";
  return [
    `results: ${before} → ${after} tokens (${share(before, after)} saved, o200k${second})`,
    ...(lists.before > 0 ? [`tool lists: ${lists.before} → ${lists.after} tokens`] : []),
    `fetched back: ${retrievals.count} originals, ${retrievals.tokens} tokens`,
    `our own tools: ${ownTools} tokens in ${sessions} ${sessions === 1 ? "session" : "sessions"}`,
    `net: ${net} tokens saved since ${since.slice(0, 10)}`,
  ];
}

function table(lines: readonly string[][]): string[] {
  const widths = (lines[0] ?? []).map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines.map(
    (line) =>
      `  ${line.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))).join("  ")}`,
  );
}

function share(before: number, after: number): string {
  return before === 0 ? "0 %" : `${Math.round((1 - after / before) * 1000) / 10} %`;
}

/** Names come from servers. */
function shown(name: string): string {
  return name.replace(/[^\x21-\x7e]/g, "?").slice(0, 40);
}
